import { i64, mapped, struct, u32, u32be, varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type AttributeSource, storedAttributes, valueAs } from '../attributes/attributes.js';
import type { AttributeKey } from '../attributes/key.js';
import { type LiveTotals, liveKey, liveTotal, subFromLive } from '../attributes/live-totals.js';
import { attributeAt } from '../attributes/path.js';
import { BalanceSum, type Balances, compareOwners, type TokenAmount, tokenAmount } from '../kernel/amounts.js';
import { CONTRACT } from '../kernel/contract-addresses.js';

/** DFIP2203: future swaps between loan tokens and DUSD; DFIP2206F: future swaps of DFI for DUSD. */
export type FutureKind = 'dfip2203' | 'dfip2206f';

/** Origin of a pending swap: height of its block, script of the owner, and place in the block. */
export interface FutureKey {
  readonly height: number;
  readonly owner: Uint8Array;
  /** Index of the transaction in its block. */
  readonly txn: number;
}

/** A pending swap. The destination is a token id; 0 for a swap of a loan token to DUSD. */
export interface FutureSwap {
  readonly source: TokenAmount;
  readonly destination: number;
}

const descending = mapped(
  u32be,
  (value) => 0xffffffff - value,
  (value: number) => 0xffffffff - value,
);
const futureKey = struct<FutureKey>({ height: descending, owner: varBytes, txn: descending });

/** Pending swaps. Settlement iterates in this order: the newest height first, then by owner. */
export const futureSwaps: Column<FutureKey, FutureSwap> = {
  name: 'dfi/future-swap',
  key: futureKey,
  value: struct<FutureSwap>({ source: tokenAmount, destination: u32 }),
};

/** Pending swaps of DFI for DUSD in satoshis of DFI, in the same order. */
export const dusdSwaps: Column<FutureKey, bigint> = { name: 'dfi/dusd-swap', key: futureKey, value: i64 };

/** Columns of pending future swaps. */
export const futureColumns: readonly AnyColumn[] = [futureSwaps, dusdSwaps];

/** A pending swap with its key. Swaps of DFI have the same shape as those of tokens. */
export type FutureEntry = readonly [key: FutureKey, swap: FutureSwap];

/** Swaps of a kind in stored order. */
export function listFutures(view: StateView, kind: FutureKind): FutureEntry[] {
  if (kind === 'dfip2203') return [...view.entries(futureSwaps)];
  return [...view.entries(dusdSwaps)].map(([key, amount]): FutureEntry => [key, { source: { tokenId: 0, amount }, destination: 0 }]);
}

export function putFuture(view: WritableView, kind: FutureKind, key: FutureKey, swap: FutureSwap): void {
  if (kind === 'dfip2203') view.put(futureSwaps, key, swap);
  else view.put(dusdSwaps, key, swap.source.amount);
}

export function deleteFuture(view: WritableView, kind: FutureKind, key: FutureKey): void {
  if (kind === 'dfip2203') view.delete(futureSwaps, key);
  else view.delete(dusdSwaps, key);
}

/** Order in which refunds are paid: by height, owner and transaction, ascending. */
export function byAge([a]: FutureEntry, [b]: FutureEntry): number {
  return a.height - b.height || compareOwners(a.owner, b.owner) || a.txn - b.txn;
}

/** Script of the contract account that holds the sources of pending swaps. */
export function contractOf(kind: FutureKind): Uint8Array {
  return CONTRACT[kind];
}

/** Attributes of a kind of future swaps. */
export interface FutureTerms {
  /** Added to or subtracted from the price, scaled by COIN. */
  readonly rewardPct: bigint;
  /** Blocks from one settlement to the next. */
  readonly blockPeriod: number;
  readonly startBlock: number;
}

/** Undefined while future swaps of the kind are not active. */
export function futureTerms(source: AttributeSource, kind: FutureKind): FutureTerms | undefined {
  const amount = (name: string) => valueAs(source, attributeAt(`v0/params/${kind}/${name}`), 'amount');
  const isActive = valueAs(source, attributeAt(`v0/params/${kind}/active`), 'bool') ?? false;
  const rewardPct = amount('reward_pct');
  const blockPeriod = amount('block_period');
  if (!isActive || rewardPct === undefined || blockPeriod === undefined) return undefined;
  return { rewardPct, blockPeriod: Number(blockPeriod), startBlock: Number(amount('start_block') ?? 0n) };
}

/** True unless an attribute disables future swaps of a token. */
export function allowsFutures(view: StateView, tokenId: number): boolean {
  return valueAs(storedAttributes(view), attributeAt(`v0/token/${tokenId}/dfip2203`), 'bool') ?? true;
}

/** Totals of a kind: sources of pending swaps, sources of paid swaps, and amounts paid. */
export type TotalName = 'current' | 'burned' | 'minted';

function totalKey(kind: FutureKind, name: TotalName): AttributeKey {
  return liveKey(`${kind}_${name}`);
}

/** Current value of a total; empty if nothing was counted. */
export function totalOf(totals: AttributeSource, kind: FutureKind, name: TotalName): Balances {
  return liveTotal(totals, totalKey(kind, name));
}

/** Adds amounts to a total, except those that overflow it; creates the total even if nothing is added. */
export function addToTotal(totals: LiveTotals, kind: FutureKind, name: TotalName, amounts: readonly TokenAmount[]): void {
  const sum = new BalanceSum();
  for (const amount of [...totalOf(totals, kind, name), ...amounts]) sum.addIfPossible(amount);
  totals.set(totalKey(kind, name), { kind: 'balances', value: sum.list() });
}

/** @throws {TxRejected} if the total is smaller */
export function subFromTotal(totals: LiveTotals, kind: FutureKind, name: TotalName, amount: TokenAmount): void {
  subFromLive(totals, totalKey(kind, name), amount);
}
