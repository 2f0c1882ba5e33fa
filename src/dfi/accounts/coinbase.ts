import { blockSubsidy, legacyShare, type RewardShare, rewardShare } from '../../consensus/subsidy.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { WritableView } from '../../storage/view.js';
import { isFeatureOn } from '../attributes/features.js';
import { Accounts } from './columns.js';
import { addCommunityBalance, type CommunityAccount } from './community-columns.js';

/** Shares in the order in which they are credited: that of the accounts' letters. */
const SHARES = ['anchor', 'communityDevelopment', 'incentive', 'loan', 'options', 'unallocated'] as const satisfies readonly (RewardShare &
  CommunityAccount)[];

/**
 * Credits the shares of the block reward that the coinbase may not pay out: to community accounts, or to the accounts that replace them.
 * Runs after the block's transactions. Neither the history nor the list of accounts includes these credits.
 * @throws {TxRejected} if a balance overflows
 * @see docs/protocol/chain.md 4.8, docs/protocol/accounts.md 8.2
 */
export function creditCommunity(view: WritableView, height: number, params: NetworkParams): void {
  if (!isActive(params, 'amk', height)) return;
  const reward = blockSubsidy(height, params);
  if (isActive(params, 'eunos', height)) {
    for (const share of SHARES) creditShare(view, share, rewardShare(reward, share, params), height, params);
    return;
  }
  for (const share of ['anchor', 'incentive'] as const) addCommunityBalance(view, share, legacyShare(reward, share, params));
}

function creditShare(view: WritableView, share: (typeof SHARES)[number], amount: bigint, height: number, params: NetworkParams): void {
  const grandCentral = isActive(params, 'grandCentral', height);
  const { foundationShare, unusedEmission } = params.scripts;
  const accounts = new Accounts(view);
  switch (share) {
    case 'communityDevelopment':
      // Before Grand Central the coinbase pays it out.
      if (!grandCentral) return;
      if (isFeatureOn(view, 'gov')) addCommunityBalance(view, share, amount);
      else accounts.add(foundationShare, { tokenId: 0, amount });
      return;
    case 'loan':
      addCommunityBalance(view, isActive(params, 'fortCanning', height) ? 'loan' : 'unallocated', amount);
      return;
    case 'options':
    case 'unallocated':
      if (grandCentral && isFeatureOn(view, 'emission-unused-fund')) accounts.add(unusedEmission, { tokenId: 0, amount });
      else addCommunityBalance(view, 'unallocated', amount);
      return;
    default:
      addCommunityBalance(view, share, amount);
  }
}
