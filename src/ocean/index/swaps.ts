import { poolByTokens, termsOf } from '../../dfi/pools/columns.js';
import { type CompositeSwap, compositeSwap, poolSwap } from '../../dfi/pools/swap-transactions.js';
import { bool, encode, i64, list, struct, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { EMPTY_BYTES, equalBytes } from '../../util/bytes.js';
import { type AppliedCustomTx, messageOf } from './indexed-block.js';
import type { AddRows } from './rows.js';
import { wideSum } from './wide-sum.js';

/** Lengths of the intervals for which swaps are added up, in seconds: an hour and a day. */
export const SWAP_INTERVALS = [3600, 86_400] as const;
/** Length of an interval, in seconds. */
export type SwapInterval = (typeof SWAP_INTERVALS)[number];

/** Place of a swap in the list of a pool. */
export interface SwapKey {
  readonly pool: number;
  readonly height: number;
  /** Index of the transaction in its block. */
  readonly txno: number;
}

/** Swap through a pool, alone or as a step of a path. */
export interface SwapRow {
  readonly txid: Hash256;
  /** Amount that entered the first pool of the swap. */
  readonly amount: bigint;
  readonly tokenFrom: number;
  readonly tokenTo: number;
  /** True if token A entered this pool. */
  readonly sellsA: boolean;
  readonly from: Uint8Array;
  /** Receiver; empty if it is the sender. */
  readonly to: Uint8Array;
}

/** Start of a bucket: seconds since 1970, a multiple of the interval. */
export interface BucketKey {
  readonly interval: number;
  readonly bucket: number;
}

/** Bucket of one pool. */
export interface PoolBucketKey extends BucketKey {
  readonly pool: number;
}

/** Sum of one token. It may exceed the supply of the token, and 64 bits, because the same coins may be swapped repeatedly. */
export interface SwapSum {
  readonly tokenId: number;
  readonly amount: bigint;
}

/** Swaps by pool, oldest first. */
export const swaps: Column<SwapKey, SwapRow> = {
  name: 'ocean/swap',
  key: struct<SwapKey>({ pool: u32be, height: u32be, txno: u32be }),
  value: struct<SwapRow>({
    txid: hash256,
    amount: i64,
    tokenFrom: varInt32,
    tokenTo: varInt32,
    sellsA: bool,
    from: varBytes,
    to: varBytes,
  }),
};

/** Height of the block that opened a bucket, by interval. It holds for all pools that existed then. */
export const swapBuckets: Column<BucketKey, number> = {
  name: 'ocean/swap-bucket',
  key: struct<BucketKey>({ interval: u32be, bucket: u32be }),
  value: u32be,
};

/** Amounts swapped in a pool during a bucket, ascending by token; absent if there are none. */
export const swapSums: Column<PoolBucketKey, readonly SwapSum[]> = {
  name: 'ocean/swap-sum',
  key: struct<PoolBucketKey>({ pool: u32be, interval: u32be, bucket: u32be }),
  value: list(struct<SwapSum>({ tokenId: varInt32, amount: wideSum })),
};

/** Columns of this part of the index. */
export const swapColumns: readonly AnyColumn[] = [swaps, swapBuckets, swapSums];

/** True if the number can be the id of a pool. */
export function isPoolId(id: number): boolean {
  return id >= 0 && id <= 0xffffffff;
}

/** Bytes that the keys of all swaps of a pool begin with. */
export function swapsOfPool(pool: number): Uint8Array {
  return encode(u32be, pool);
}

/** Bytes that the keys of all buckets of an interval begin with. */
export function bucketsOf(interval: SwapInterval): Uint8Array {
  return encode(u32be, interval);
}

/** Bucket of a median time. */
export function bucketAt(time: number, interval: SwapInterval): number {
  return time - (time % interval);
}

/**
 * Adds the swaps of a block, their sums, and the buckets that it opens. Pools without swaps have no rows of their own: their buckets are
 * those of all pools, from their creation on.
 * @see docs/protocol/ocean.md 4.5
 */
export const addSwaps: AddRows = (view, { entry, state, customTxs }) => {
  const time = entry.medianTimePast();
  const before = entry.parent?.medianTimePast();
  for (const interval of SWAP_INTERVALS) {
    const bucket = bucketAt(time, interval);
    // The median time never decreases, so a bucket is opened once.
    if (before === undefined || bucketAt(before, interval) < bucket) view.put(swapBuckets, { interval, bucket }, entry.height);
  }
  for (const applied of customTxs) {
    const swap = swapOf(applied);
    if (!swap) continue;
    const { tokenFrom, amountFrom, tokenTo, from, to } = swap;
    const receiver = equalBytes(from, to) ? EMPTY_BYTES : to;
    for (const [pool, sellsA] of poolsOf(state, swap)) {
      const { tx, txno } = applied;
      const row = { txid: tx.txid, amount: amountFrom, tokenFrom, tokenTo, sellsA, from, to: receiver };
      view.put(swaps, { pool, height: entry.height, txno }, row);
      for (const interval of SWAP_INTERVALS) {
        const key = { pool, interval, bucket: bucketAt(time, interval) };
        view.put(swapSums, key, added(view.get(swapSums, key) ?? [], { tokenId: tokenFrom, amount: amountFrom }));
      }
    }
  }
};

function swapOf(applied: AppliedCustomTx): CompositeSwap | undefined {
  const direct = messageOf(poolSwap, applied);
  return direct ? { ...direct, path: [] } : messageOf(compositeSwap, applied);
}

/** Pools of a swap, and whether token A entered each. */
function poolsOf(state: StateView, { tokenFrom, tokenTo, path }: CompositeSwap): Map<number, boolean> {
  const found = new Map<number, boolean>();
  const direct = path.length === 0 ? poolByTokens(state, tokenFrom, tokenTo) : undefined;
  let token = tokenFrom;
  for (const id of direct ? [direct.id] : path) {
    const terms = termsOf(state, id);
    if (!terms) continue;
    const sellsA = terms.tokenA === token;
    found.set(id, sellsA);
    token = sellsA ? terms.tokenB : terms.tokenA;
  }
  return found;
}

function added(sums: readonly SwapSum[], { tokenId, amount }: SwapSum): SwapSum[] {
  const known = sums.find((each) => each.tokenId === tokenId);
  const rest = sums.filter((each) => each !== known);
  return [...rest, { tokenId, amount: (known?.amount ?? 0n) + amount }].sort((a, b) => a.tokenId - b.tokenId);
}
