import { COIN } from '../../primitives/amount.js';
import { struct, u32, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { TxRejected } from '../kernel/rejected.js';

/** A pool and one of its tokens; for a fee of all pools, a token and {@link EVERY_POOL}. */
interface DexFeeKey {
  readonly first: number;
  readonly second: number;
}

/** Placeholder for all pools in a key: after a token for its fee on the way in, before a token for the way out. */
const EVERY_POOL = 0xffffffff;

/** Burnt parts of swapped amounts, scaled by COIN. */
const dexFees: Column<DexFeeKey, number> = { name: 'dfi/dex-fee', key: struct<DexFeeKey>({ first: u32be, second: u32be }), value: u32 };

/** Columns of the fees that attributes set. */
export const dexFeeColumns: readonly AnyColumn[] = [dexFees];

/** Scope of a fee: a token in one pool in both directions, or a token in one direction in all pools. */
export type DexFeeScope = { readonly pool: number; readonly tokenId: number } | { readonly way: 'in' | 'out'; readonly tokenId: number };

function keyOf(scope: DexFeeScope): DexFeeKey {
  if ('pool' in scope) return { first: scope.pool, second: scope.tokenId };
  return scope.way === 'in' ? { first: scope.tokenId, second: EVERY_POOL } : { first: EVERY_POOL, second: scope.tokenId };
}

/** @param part scaled by COIN, 0 to COIN @throws {TxRejected} */
export function setDexFee(view: WritableView, scope: DexFeeScope, part: bigint): void {
  if (part < 0n || part > COIN) throw new TxRejected('Token dex fee should be in percentage');
  view.put(dexFees, keyOf(scope), Number(part));
}

export function deleteDexFee(view: WritableView, scope: DexFeeScope): void {
  view.delete(dexFees, keyOf(scope));
}

/** Burnt part of an amount paid into or out of a pool, scaled by COIN. The pool's own fee takes precedence over that of the token. */
export function dexFeeOf(view: StateView, way: 'in' | 'out', pool: number, tokenId: number): bigint {
  return BigInt(view.get(dexFees, keyOf({ pool, tokenId })) ?? view.get(dexFees, keyOf({ way, tokenId })) ?? 0);
}
