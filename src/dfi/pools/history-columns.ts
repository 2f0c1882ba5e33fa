import { bool, type Codec, encode, i64, struct, u32, u32be, varBytes } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { descending } from '../accounts/history-columns.js';
import { type Balances, balances } from '../kernel/amounts.js';

/** A pool at a height. Within a pool the newest entry comes first; the first entry at or below a height is valid at that height. */
export interface PoolHeight {
  readonly pool: number;
  readonly height: number;
}

const poolHeight: Codec<PoolHeight> = struct<PoolHeight>({ pool: varInt32, height: descending });

function history<V>(name: string, value: Codec<V>): Column<PoolHeight, V> {
  return { name, key: poolHeight, value };
}

/** Commissions of a block for the providers, in satoshis. */
export interface SwapEntry {
  /** False for commissions that an earlier block did not distribute. */
  readonly swapped: boolean;
  readonly commissionA: bigint;
  readonly commissionB: bigint;
}

/** Shares of the pool. */
export const liquidityHistory = history('dfi/pool-liquidity', i64);
/** Commissions of blocks with swaps, and commissions that remained from them. */
export const swapHistory = history('dfi/pool-swap', struct<SwapEntry>({ swapped: bool, commissionA: i64, commissionB: i64 }));
/** Satoshis of DFI per block. */
export const rewardHistory = history('dfi/pool-reward', i64);
/** Satoshis of DFI per block, from the subsidy share for loan tokens. */
export const loanRewardHistory = history('dfi/pool-loan-reward', i64);
/** Satoshis per block, from the pool's owner. */
export const customRewardHistory = history<Balances>('dfi/pool-custom-reward', balances);

/** Rewards of one share from DF24 up to and including a block, in units of 10^-16 satoshis. @see docs/protocol/defi.md 2.8 */
export interface EarnedPerShare {
  readonly coinbase: bigint;
  readonly loan: bigint;
  readonly tokenA: number;
  readonly tokenB: number;
  readonly commissionA: bigint;
  readonly commissionB: bigint;
  /** Ascending by token. */
  readonly custom: readonly { readonly tokenId: number; readonly amount: bigint }[];
}

export const NOTHING_EARNED: EarnedPerShare = {
  coinbase: 0n,
  loan: 0n,
  tokenA: 0,
  tokenB: 0,
  commissionA: 0n,
  commissionB: 0n,
  custom: [],
};

/** 256 bits, big endian, without leading zeros. */
const wideAmount: Codec<bigint> = {
  write(w, value) {
    const hex = value === 0n ? '' : value.toString(16);
    varBytes.write(w, Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'));
  },
  read(r) {
    const bytes = varBytes.read(r);
    return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  },
};

const customEarnings: Codec<EarnedPerShare['custom']> = {
  write(w, value) {
    u32.write(w, value.length);
    for (const { tokenId, amount } of value) {
      u32.write(w, tokenId);
      wideAmount.write(w, amount);
    }
  },
  read: (r) => Array.from({ length: u32.read(r) }, () => ({ tokenId: u32.read(r), amount: wideAmount.read(r) })),
};

/** Rewards per share by height, then by pool. */
export const earnedPerShare: Column<PoolHeight, EarnedPerShare> = {
  name: 'dfi/pool-earned',
  key: struct<PoolHeight>({ height: u32be, pool: varInt32 }),
  value: struct<EarnedPerShare>({
    coinbase: wideAmount,
    loan: wideAmount,
    tokenA: u32,
    tokenB: u32,
    commissionA: wideAmount,
    commissionB: wideAmount,
    custom: customEarnings,
  }),
};

/** Columns of past values that rewards are computed from. */
export const poolHistoryColumns: readonly AnyColumn[] = [
  liquidityHistory,
  swapHistory,
  rewardHistory,
  loanRewardHistory,
  customRewardHistory,
  earnedPerShare,
];

const ANY_HEIGHT = 0xffffffff;

/** Newest entry at or below a height, with its height. */
export function newestEntry<V>(
  view: StateView,
  column: Column<PoolHeight, V>,
  pool: number,
  height = ANY_HEIGHT,
): readonly [number, V] | undefined {
  const range = { from: { pool, height }, prefix: encode(varInt32, pool) };
  for (const [key, value] of view.entries(column, range)) return [key.height, value];
  return undefined;
}

/** Entries above a height, oldest first, with their heights. */
export function* valuesAfter<V>(
  view: StateView,
  column: Column<PoolHeight, V>,
  pool: number,
  height: number,
): Generator<readonly [number, V]> {
  const range = { from: { pool, height: height + 1 }, prefix: encode(varInt32, pool), reverse: true };
  for (const [key, value] of view.entries(column, range)) yield [key.height, value];
}

/** Rewards per share up to and including a block; zeros if the pool has no entry at exactly this height. */
export function earnedUpTo(view: StateView, pool: number, height: number): EarnedPerShare {
  return view.get(earnedPerShare, { pool, height }) ?? NOTHING_EARNED;
}
