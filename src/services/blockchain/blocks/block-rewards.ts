import type { NonUtxoRewards } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { blockSubsidy, legacyShare, type RewardShare, rewardShare } from '../../../consensus/subsidy.js';
import { isActive, type NetworkParams } from '../../../params/network.js';

/** Shares of the subsidy that are burnt. */
const BURNT_SHARES: readonly RewardShare[] = ['incentive', 'loan', 'options', 'unallocated'];

/** Shares of the subsidy that have no output in the coinbase, in satoshis; 0 for a share that does not exist at the height. */
export interface UnpaidShares {
  readonly anchorReward: bigint;
  readonly communityDevelopmentFunds: bigint;
  readonly incentiveFunding: bigint;
  readonly burnt: bigint;
}

/** Shares of a block; undefined before AMK. */
export function unpaidShares(height: number, params: NetworkParams): UnpaidShares | undefined {
  if (!isActive(params, 'amk', height)) return undefined;
  const subsidy = blockSubsidy(height, params);
  if (!isActive(params, 'eunos', height)) {
    const [anchorReward, incentiveFunding] = [legacyShare(subsidy, 'anchor', params), legacyShare(subsidy, 'incentive', params)];
    return { anchorReward, communityDevelopmentFunds: 0n, incentiveFunding, burnt: 0n };
  }
  return {
    anchorReward: rewardShare(subsidy, 'anchor', params),
    communityDevelopmentFunds: isActive(params, 'grandCentral', height) ? rewardShare(subsidy, 'communityDevelopment', params) : 0n,
    incentiveFunding: 0n,
    burnt: BURNT_SHARES.reduce((sum, share) => sum + rewardShare(subsidy, share, params), 0n),
  };
}

/**
 * Shares of a block as `getblock` shows them; none before AMK. `defid` 4.2.5 names the same three at every height, 3.2.8 those that exist.
 * @param tip height of the tip: 4.2.5 reports about all blocks once the chain has reached Metachain
 * @see docs/protocol/rpc-chain.md 3.1.5, nonutxo
 */
export function nonUtxoRewards(height: number, tip: number, params: NetworkParams): NonUtxoRewards[] {
  const shares = unpaidShares(height, params);
  if (!shares) return [];
  const { anchorReward, communityDevelopmentFunds, incentiveFunding, burnt } = shares;
  if (isActive(params, 'metachain', tip)) return [{ anchorReward, communityDevelopmentFunds, burnt }];
  if (!isActive(params, 'eunos', height)) return [{ anchorReward, incentiveFunding }];
  return [isActive(params, 'grandCentral', height) ? { anchorReward, communityDevelopmentFunds, burnt } : { anchorReward, burnt }];
}
