import type { NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { WritableView } from '../../storage/view.js';
import type { HeightContext } from '../kernel/block-context.js';
import { low64 } from '../kernel/math.js';
import { poolIds } from '../pools/columns.js';
import { type RewardKind, setReward, setShareOf, shareOf } from '../pools/reward-columns.js';
import { governedNumber, setGovernedNumber } from './governed-columns.js';
import type { PoolShare } from './variables.js';

/** Names of the stored daily amounts. */
const DAILY = { coinbase: 'dailyReward', loan: 'dailyLoanReward' } as const;

/** Satoshis per block of one pool, rounded down twice: the daily amount per block, then its share. */
function perBlock(daily: bigint, share: bigint, { blocksPerDay }: NetworkParams): bigint {
  return low64((daily / BigInt(blocksPerDay)) * share) / COIN;
}

/** Sets the shares of all pools in the daily rewards; a pool that is not listed gets 0. @see docs/protocol/defi.md 2.8 */
export function divideRewards(view: WritableView, kind: RewardKind, shares: readonly PoolShare[], at: HeightContext): void {
  const given = new Map(shares.map(({ pool, share }) => [pool, share]));
  for (const pool of [...poolIds(view)]) setPoolShare(view, kind, pool, given.get(pool) ?? 0n, at);
}

/** Sets the share of one pool in the daily rewards. @param share of COIN */
export function setPoolShare(view: WritableView, kind: RewardKind, pool: number, share: bigint, { height, params }: HeightContext): void {
  setShareOf(view, pool, kind, share);
  const daily = governedNumber(view, DAILY[kind]);
  if (daily !== undefined) setReward(view, pool, kind, height, perBlock(daily, share, params));
}

/** Sets the daily rewards of all pools together. @param daily satoshis @see docs/protocol/defi.md 2.8 */
export function setDailyReward(view: WritableView, kind: RewardKind, daily: bigint, { height, params }: HeightContext): void {
  for (const pool of [...poolIds(view)]) {
    const share = shareOf(view, pool, kind);
    if (share !== undefined) setReward(view, pool, kind, height, perBlock(daily, share, params));
  }
  setGovernedNumber(view, DAILY[kind], daily);
}
