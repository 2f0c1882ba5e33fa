import { isActive, type NetworkParams } from '../params/network.js';
import { COIN } from '../primitives/amount.js';

const REDUCTION_SCALE = 100_000n;
const SHARE_SCALE = 10_000n;

/**
 * Subsidy of the block at `height`, without fees. From Eunos on it decreases by a fixed share every period, except on regtest, where it
 * halves.
 * @returns satoshis
 * @see DFIP-8 emission schedule; docs/protocol/chain.md 1.4
 */
export function blockSubsidy(height: number, params: NetworkParams): bigint {
  const { subsidy } = params;
  if (subsidy.halves) {
    const halvings = Math.floor(height / subsidy.halvingInterval);
    return halvings >= 64 ? 0n : subsidy.base >> BigInt(halvings);
  }
  if (!isActive(params, 'eunos', height)) return subsidy.base;
  let reward = subsidy.reducedBase;
  for (let periods = Math.floor((height - params.upgrades.eunos) / subsidy.reductionPeriod); periods > 0; periods--) {
    const reduction = (reward * subsidy.reductionAmount) / REDUCTION_SCALE;
    if (reduction === 0n) return 0n;
    reward -= reduction;
  }
  return reward;
}

export type RewardShare = keyof NetworkParams['subsidy']['shares'];

/** Share of the subsidy for one purpose from Eunos on, satoshis, rounded down. */
export function rewardShare(reward: bigint, share: RewardShare, params: NetworkParams): bigint {
  return (reward * params.subsidy.shares[share]) / SHARE_SCALE;
}

/** Share of the subsidy for one purpose from AMK up to Eunos, satoshis, rounded down. */
export function legacyShare(reward: bigint, share: keyof NetworkParams['subsidy']['legacy'], params: NetworkParams): bigint {
  return (reward * params.subsidy.legacy[share]) / COIN;
}

/** Output to the foundation that a coinbase must have from AMK up to Grand Central, satoshis; otherwise 0. */
export function foundationShare(reward: bigint, height: number, params: NetworkParams): bigint {
  if (!isActive(params, 'amk', height) || isActive(params, 'grandCentral', height)) return 0n;
  return isActive(params, 'eunos', height)
    ? rewardShare(reward, 'communityDevelopment', params)
    : legacyShare(reward, 'foundation', params);
}

const NON_UTXO_SHARES: readonly RewardShare[] = ['anchor', 'incentive', 'loan', 'options', 'unallocated'];

/**
 * Part of the subsidy that a coinbase must not pay out, because it is credited to community accounts.
 * @returns satoshis
 * @see docs/protocol/chain.md 4.8
 */
export function communityAccountShares(reward: bigint, height: number, params: NetworkParams): bigint {
  if (!isActive(params, 'amk', height)) return 0n;
  if (!isActive(params, 'eunos', height)) return legacyShare(reward, 'anchor', params) + legacyShare(reward, 'incentive', params);
  const shares = isActive(params, 'grandCentral', height) ? (['communityDevelopment', ...NON_UTXO_SHARES] as const) : NON_UTXO_SHARES;
  return shares.reduce((sum, share) => sum + rewardShare(reward, share, params), 0n);
}
