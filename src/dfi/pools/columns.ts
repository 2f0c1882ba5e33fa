import { bool, encode, i64, struct, u8, u32, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { type Balances, balances } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { liquidityHistory, poolHistoryColumns, type SwapEntry, swapHistory } from './history-columns.js';
import { poolRewardColumns } from './reward-columns.js';

/** Properties of a pool, without its reserves. The id of a pool is that of its share token. */
export interface PoolTerms {
  readonly tokenA: number;
  readonly tokenB: number;
  /** Part of every swapped amount that goes to the providers, scaled by COIN. */
  readonly commission: bigint;
  /** Owner of the pool, who pays the custom rewards. */
  readonly owner: Uint8Array;
  /** False if swaps are disabled. */
  readonly status: boolean;
  readonly creationTx: Hash256;
  readonly creationHeight: number;
  /** Custom rewards per block, debited from the owner. */
  readonly rewards: Balances;
}

/** Reserves and shares of a pool, in satoshis. */
export interface PoolHoldings {
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  /** All shares, including the 1000 without an owner. */
  readonly totalLiquidity: bigint;
  /** Commissions not yet distributed, including those of the current block. The reserves do not include them. */
  readonly commissionA: bigint;
  readonly commissionB: bigint;
}

/** A pool with properties and reserves, as swap rules use it. */
export interface PoolPair extends PoolTerms, PoolHoldings {}

/** A pool with its id, which is that of its share token. */
export interface IdentifiedPool {
  readonly id: number;
  readonly pool: PoolPair;
}

interface TokenPair {
  readonly tokenA: number;
  readonly tokenB: number;
}

/** An owner's share of a pool. */
export interface ShareKey {
  readonly pool: number;
  readonly owner: Uint8Array;
}

/** Pools by id, ascending below 16,512: events and queries iterate in this order. */
export const poolTerms: Column<number, PoolTerms> = {
  name: 'dfi/pool',
  key: varInt32,
  value: struct<PoolTerms>({
    tokenA: varInt32,
    tokenB: varInt32,
    commission: i64,
    owner: varBytes,
    status: bool,
    creationTx: hash256,
    creationHeight: u32,
    rewards: balances,
  }),
};

/** Pool by its tokens, in either order. */
const poolsByTokens: Column<TokenPair, number> = {
  name: 'dfi/pool-pair',
  key: struct<TokenPair>({ tokenA: varInt32, tokenB: varInt32 }),
  value: varInt32,
};

/** Current holdings, in addition to the histories, so that they need not be searched. */
export const poolHoldings: Column<number, PoolHoldings> = {
  name: 'dfi/pool-holdings',
  key: varInt32,
  value: struct<PoolHoldings>({ reserveA: i64, reserveB: i64, totalLiquidity: i64, commissionA: i64, commissionB: i64 }),
};

const NO_HOLDINGS: PoolHoldings = { reserveA: 0n, reserveB: 0n, totalLiquidity: 0n, commissionA: 0n, commissionB: 0n };

/** Height from which on an owner's share earns, by pool, then by owner (shorter scripts first): providers are paid in this order. */
export const shareHeights: Column<ShareKey, number> = {
  name: 'dfi/pool-share',
  key: struct<ShareKey>({ pool: u32be, owner: varBytes }),
  value: u32,
};

/** Rows of {@link shareHeights} by owner, then by pool, so that materialising an owner's rewards reads its pools only. */
const sharesOfOwners: Column<ShareKey, number> = {
  name: 'dfi/pool-share-owner',
  key: struct<ShareKey>({ owner: varBytes, pool: u32be }),
  value: u8,
};

/** Columns of pools and of their providers. */
export const poolColumns: readonly AnyColumn[] = [
  poolTerms,
  poolsByTokens,
  poolHoldings,
  shareHeights,
  sharesOfOwners,
  ...poolRewardColumns,
  ...poolHistoryColumns,
];

/** Properties of a pool, without its reserves. */
export function termsOf(view: StateView, id: number): PoolTerms | undefined {
  return view.get(poolTerms, id);
}

/** Pool with properties and holdings; undefined if it does not exist. */
export function poolOf(view: StateView, id: number): PoolPair | undefined {
  const terms = view.get(poolTerms, id);
  return terms && withHoldings(view, id, terms);
}

/** Pool of two tokens, in either order. */
export function poolByTokens(view: StateView, a: number, b: number): IdentifiedPool | undefined {
  const id = view.get(poolsByTokens, { tokenA: a, tokenB: b });
  const pool = id === undefined ? undefined : poolOf(view, id);
  return id === undefined || !pool ? undefined : { id, pool };
}

/** Pools in ascending order of ids. */
export function* pools(view: StateView, fromId = 0): Generator<IdentifiedPool> {
  for (const [id, terms] of view.entries(poolTerms, { from: fromId })) yield { id, pool: withHoldings(view, id, terms) };
}

/** Ids of all pools, in order. */
export function* poolIds(view: StateView): Generator<number> {
  for (const [id] of view.entries(poolTerms)) yield id;
}

/** True if a token is the share token of a pool. */
export function hasPool(view: StateView, id: number): boolean {
  return view.has(poolTerms, id);
}

function withHoldings(view: StateView, id: number, terms: PoolTerms): PoolPair {
  const { reserveA, reserveB, totalLiquidity, commissionA, commissionB } = view.get(poolHoldings, id) ?? NO_HOLDINGS;
  const { tokenA, tokenB, commission, owner, status, creationTx, creationHeight, rewards } = terms;
  const held = { reserveA, reserveB, totalLiquidity, commissionA, commissionB };
  return Object.assign(held, { tokenA, tokenB, commission, owner, status, creationTx, creationHeight, rewards });
}

/** Stores a new pool without reserves. @throws {TxRejected} @see docs/protocol/defi.md 2.2 */
export function putNewPool(view: WritableView, id: number, { tokenA, tokenB, ...rest }: PoolTerms): void {
  if (tokenA === tokenB) throw new TxRejected('Error: tokens IDs are the same.');
  if (view.has(poolsByTokens, { tokenA, tokenB })) {
    throw new TxRejected('Error, there is already a poolpair with same tokens, but different poolId');
  }
  view.put(poolTerms, id, { tokenA, tokenB, ...rest });
  view.put(poolsByTokens, { tokenA, tokenB }, id);
  view.put(poolsByTokens, { tokenA: tokenB, tokenB: tokenA }, id);
}

/** Replaces the properties of a pool; its holdings stay. */
export function putPoolTerms(view: WritableView, id: number, terms: PoolTerms): void {
  const { tokenA, tokenB, commission, owner, status, creationTx, creationHeight, rewards } = terms;
  view.put(poolTerms, id, { tokenA, tokenB, commission, owner, status, creationTx, creationHeight, rewards });
}

/**
 * Stores the holdings of a pool after a transaction or event of the block at `height`. Its properties stay.
 * @param swapped the commissions are those of a swap in this block
 */
export function putHoldings(view: WritableView, id: number, height: number, pool: PoolPair, swapped = false): void {
  const { reserveA, reserveB, totalLiquidity, commissionA, commissionB } = pool;
  const before = view.get(poolHoldings, id) ?? NO_HOLDINGS;
  if (before.totalLiquidity !== totalLiquidity) view.put(liquidityHistory, { pool: id, height }, totalLiquidity);
  view.put(poolHoldings, id, { ...before, reserveA, reserveB, totalLiquidity });
  if (swapped) putSwapEntry(view, id, height, { swapped, commissionA, commissionB });
}

/**
 * Stores the commissions at a height. They are the present ones, unless the rewards of that block are paid already, which stored those of
 * the next block: swaps of auctions come later, and their commissions replace those of the block's transactions.
 * @see docs/protocol/defi.md 2.8
 */
export function putSwapEntry(view: WritableView, id: number, height: number, entry: SwapEntry): void {
  view.put(swapHistory, { pool: id, height }, entry);
  if (view.has(swapHistory, { pool: id, height: height + 1 })) return;
  const { commissionA, commissionB } = entry;
  view.put(poolHoldings, id, { ...(view.get(poolHoldings, id) ?? NO_HOLDINGS), commissionA, commissionB });
}

/** Height from which on an owner's share of a pool earns; undefined for an owner without shares. */
export function shareHeight(view: StateView, pool: number, owner: Uint8Array): number | undefined {
  return view.get(shareHeights, { pool, owner });
}

/** Adds an owner to the providers of a pool; it earns from `height` on. */
export function setShare(view: WritableView, pool: number, owner: Uint8Array, height: number): void {
  view.put(shareHeights, { pool, owner }, height);
  view.put(sharesOfOwners, { pool, owner }, 0);
}

/** Removes an owner from the providers of a pool. */
export function deleteShare(view: WritableView, pool: number, owner: Uint8Array): void {
  view.delete(shareHeights, { pool, owner });
  view.delete(sharesOfOwners, { pool, owner });
}

/** Pools of which an owner has a share that earns, ascending. */
export function* poolsOfOwner(view: StateView, owner: Uint8Array): Generator<number> {
  for (const [{ pool }] of view.entries(sharesOfOwners, { prefix: encode(varBytes, owner) })) yield pool;
}

/** Pools of all owners from one on, shorter scripts first. */
export function sharesByOwner(view: StateView, from?: Uint8Array): Iterable<readonly [ShareKey, unknown]> {
  return view.entries(sharesOfOwners, from ? { from: { owner: from, pool: 0 } } : {});
}

/** Shares of all pools from `fromPool` on, by pool, then by owner. */
export function* shares(view: StateView, fromPool: number): Generator<ShareKey> {
  for (const [key] of view.entries(shareHeights, { from: { pool: fromPool, owner: EMPTY_BYTES } })) yield key;
}

/** Owners of shares of a pool that earn, shorter scripts first. */
export function* providersOf(view: StateView, pool: number): Generator<Uint8Array> {
  for (const [{ owner }] of view.entries(shareHeights, { prefix: encode(u32be, pool) })) yield owner;
}
