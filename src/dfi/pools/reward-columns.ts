import { i64, optional, struct } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type Balances, balances } from '../kernel/amounts.js';
import { customRewardHistory, loanRewardHistory, rewardHistory } from './history-columns.js';

/** Rewards of a pool's providers per block, without commissions. */
export interface PoolRewards {
  /** Part of the daily rewards, scaled by COIN; undefined if never set. */
  readonly share: bigint | undefined;
  readonly loanShare: bigint | undefined;
  /** Satoshis of DFI per block. */
  readonly reward: bigint;
  readonly loanReward: bigint;
  /** Custom rewards per block that the owner pays and can afford. */
  readonly custom: Balances;
}

/** Current values, so that the histories need not be searched. */
const poolRewards: Column<number, PoolRewards> = {
  name: 'dfi/pool-rewards',
  key: varInt32,
  value: struct<PoolRewards>({ share: optional(i64), loanShare: optional(i64), reward: i64, loanReward: i64, custom: balances }),
};

/** Columns of the rewards of pools. */
export const poolRewardColumns: readonly AnyColumn[] = [poolRewards];

const NONE: PoolRewards = { share: undefined, loanShare: undefined, reward: 0n, loanReward: 0n, custom: [] };

/** Current rewards; zeros for a pool without any. */
export function rewardsOf(view: StateView, pool: number): PoolRewards {
  return view.get(poolRewards, pool) ?? NONE;
}

/** The two parts of the block subsidy that pools share. */
export type RewardKind = 'coinbase' | 'loan';

const KINDS = {
  coinbase: { share: 'share', reward: 'reward', history: rewardHistory },
  loan: { share: 'loanShare', reward: 'loanReward', history: loanRewardHistory },
} as const;

/** Part of the daily rewards, scaled by COIN; undefined if never set. */
export function shareOf(view: StateView, pool: number, kind: RewardKind): bigint | undefined {
  return rewardsOf(view, pool)[KINDS[kind].share];
}

/** Sets the part of the daily rewards. @param share scaled by COIN */
export function setShareOf(view: WritableView, pool: number, kind: RewardKind, share: bigint): void {
  view.put(poolRewards, pool, { ...rewardsOf(view, pool), [KINDS[kind].share]: share });
}

/** Sets satoshis of DFI per block, from the block at `height` on. */
export function setReward(view: WritableView, pool: number, kind: RewardKind, height: number, perBlock: bigint): void {
  view.put(poolRewards, pool, { ...rewardsOf(view, pool), [KINDS[kind].reward]: perBlock });
  view.put(KINDS[kind].history, { pool, height }, perBlock);
}

/** Sets the custom rewards that are paid, from the block at `height` on. */
export function setCustomRewards(view: WritableView, pool: number, height: number, custom: Balances): void {
  view.put(poolRewards, pool, { ...rewardsOf(view, pool), custom });
  view.put(customRewardHistory, { pool, height }, custom);
}
