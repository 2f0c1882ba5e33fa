import { COIN } from '../../primitives/amount.js';
import { struct, u32, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { TxRejected } from '../kernel/rejected.js';

/** A pool and one of its tokens; or, where a fee holds in all pools, a token and {@link EVERY_POOL}. */
interface DexFeeKey {
  readonly first: number;
  readonly second: number;
}

/** Stands in a key for all pools: behind a token for the fee on its way in, before it for the way out. */
const EVERY_POOL = 0xffffffff;

/** Parts of swapped amounts that are burnt, of COIN. */
const dexFees: Column<DexFeeKey, number> = { name: 'dfi/dex-fee', key: struct<DexFeeKey>({ first: u32be, second: u32be }), value: u32 };

export const dexFeeColumns: readonly AnyColumn[] = [dexFees];

/** Which amounts a fee is for: those of a token in one pool, both ways, or all that go into or come out of pools. */
export type DexFeeScope = { readonly pool: number; readonly tokenId: number } | { readonly way: 'in' | 'out'; readonly tokenId: number };

function keyOf(scope: DexFeeScope): DexFeeKey {
  if ('pool' in scope) return { first: scope.pool, second: scope.tokenId };
  return scope.way === 'in' ? { first: scope.tokenId, second: EVERY_POOL } : { first: EVERY_POOL, second: scope.tokenId };
}

/** @param part of COIN. @throws {TxRejected} */
export function setDexFee(view: WritableView, scope: DexFeeScope, part: bigint): void {
  if (part < 0n || part > COIN) throw new TxRejected('Token dex fee should be in percentage');
  view.put(dexFees, keyOf(scope), Number(part));
}

export function deleteDexFee(view: WritableView, scope: DexFeeScope): void {
  view.delete(dexFees, keyOf(scope));
}

/** Part of what goes into a pool, or comes out of it, that is burnt: of COIN. The pool's own fee comes before that of the token. */
export function dexFeeOf(view: StateView, way: 'in' | 'out', pool: number, tokenId: number): bigint {
  return BigInt(view.get(dexFees, keyOf({ pool, tokenId })) ?? view.get(dexFees, keyOf({ way, tokenId })) ?? 0);
}
