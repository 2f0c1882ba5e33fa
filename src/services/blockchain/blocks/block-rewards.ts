import type { NonUtxoRewards } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { blockSubsidy, legacyShare, type RewardShare, rewardShare } from '../../../consensus/subsidy.js';
import { isActive, type NetworkParams } from '../../../params/network.js';

/** Shares of the subsidy that are burnt. */
const BURNT_SHARES: readonly RewardShare[] = ['incentive', 'loan', 'options', 'unallocated'];

/**
 * Shares of the subsidy that have no output in the coinbase, in satoshis; none before AMK.
 * @see docs/protocol/rpc-chain.md 3.1.5, nonutxo; before Eunos the incentive share is shown, as in chains recorded with `defid`
 */
export function nonUtxoRewards(height: number, params: NetworkParams): NonUtxoRewards[] {
  if (!isActive(params, 'amk', height)) return [];
  const subsidy = blockSubsidy(height, params);
  if (!isActive(params, 'eunos', height))
    return [{ anchorReward: legacyShare(subsidy, 'anchor', params), incentiveFunding: legacyShare(subsidy, 'incentive', params) }];
  return [
    {
      anchorReward: rewardShare(subsidy, 'anchor', params),
      communityDevelopmentFunds: isActive(params, 'grandCentral', height)
        ? rewardShare(subsidy, 'communityDevelopment', params)
        : undefined,
      burnt: BURNT_SHARES.reduce((sum, share) => sum + rewardShare(subsidy, share, params), 0n),
    },
  ];
}
