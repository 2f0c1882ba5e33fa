import { i64, optional, struct, varInt32 } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type Balances, balances } from '../kernel/amounts.js';
import { customRewardHistory, loanRewardHistory, rewardHistory } from './history-columns.js';

/** What a pool's providers get per block, beside commissions. */
export interface PoolRewards {
  /** Part of the daily rewards, of COIN; undefined: never decided. */
  readonly share: bigint | undefined;
  readonly loanShare: bigint | undefined;
  /** DFI per block. */
  readonly reward: bigint;
  readonly loanReward: bigint;
  /** What the owner pays per block, and has. */
  readonly custom: Balances;
}

/** What holds now, so that nobody searches the histories for it. */
const poolRewards: Column<number, PoolRewards> = {
  name: 'dfi/pool-rewards',
  key: varInt32,
  value: struct<PoolRewards>({ share: optional(i64), loanShare: optional(i64), reward: i64, loanReward: i64, custom: balances }),
};

export const poolRewardColumns: readonly AnyColumn[] = [poolRewards];

const NONE: PoolRewards = { share: undefined, loanShare: undefined, reward: 0n, loanReward: 0n, custom: [] };

export function rewardsOf(view: StateView, pool: number): PoolRewards {
  return view.get(poolRewards, pool) ?? NONE;
}

/** The two streams of new coins that pools share. */
export type RewardKind = 'coinbase' | 'loan';

const KINDS = {
  coinbase: { share: 'share', reward: 'reward', history: rewardHistory },
  loan: { share: 'loanShare', reward: 'loanReward', history: loanRewardHistory },
} as const;

export function shareOf(view: StateView, pool: number, kind: RewardKind): bigint | undefined {
  return rewardsOf(view, pool)[KINDS[kind].share];
}

export function setShareOf(view: WritableView, pool: number, kind: RewardKind, share: bigint): void {
  view.put(poolRewards, pool, { ...rewardsOf(view, pool), [KINDS[kind].share]: share });
}

/** From `height` on, the block itself included. */
export function setReward(view: WritableView, pool: number, kind: RewardKind, height: number, perBlock: bigint): void {
  view.put(poolRewards, pool, { ...rewardsOf(view, pool), [KINDS[kind].reward]: perBlock });
  view.put(KINDS[kind].history, { pool, height }, perBlock);
}

/** From `height` on, the block itself included. */
export function setCustomRewards(view: WritableView, pool: number, height: number, custom: Balances): void {
  view.put(poolRewards, pool, { ...rewardsOf(view, pool), custom });
  view.put(customRewardHistory, { pool, height }, custom);
}
