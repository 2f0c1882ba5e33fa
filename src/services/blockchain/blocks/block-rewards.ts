import type { NonUtxoRewards } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { blockSubsidy, legacyShare, type RewardShare, rewardShare } from '../../../consensus/subsidy.js';
import { isActive, type NetworkParams } from '../../../params/network.js';

/** Shares of the subsidy that are burnt. */
const BURNT_SHARES: readonly RewardShare[] = ['incentive', 'loan', 'options', 'unallocated'];

/**
 * Shares of the subsidy that have no output in the coinbase, in satoshis; none before AMK. From version 4 on `defid` names the same three
 * shares at every height, with 0 for those that do not exist. We do so from Metachain on, which its version 3 does not reach.
 * @see docs/protocol/rpc-chain.md 3.1.5, nonutxo
 */
export function nonUtxoRewards(height: number, params: NetworkParams): NonUtxoRewards[] {
  if (!isActive(params, 'amk', height)) return [];
  const subsidy = blockSubsidy(height, params);
  const isLate = isActive(params, 'metachain', height);
  if (!isActive(params, 'eunos', height)) {
    const anchorReward = legacyShare(subsidy, 'anchor', params);
    if (isLate) return [{ anchorReward, communityDevelopmentFunds: 0n, burnt: 0n }];
    return [{ anchorReward, incentiveFunding: legacyShare(subsidy, 'incentive', params) }];
  }
  const noCommunityShare = isLate ? 0n : undefined;
  return [
    {
      anchorReward: rewardShare(subsidy, 'anchor', params),
      communityDevelopmentFunds: isActive(params, 'grandCentral', height)
        ? rewardShare(subsidy, 'communityDevelopment', params)
        : noCommunityShare,
      burnt: BURNT_SHARES.reduce((sum, share) => sum + rewardShare(subsidy, share, params), 0n),
    },
  ];
}
