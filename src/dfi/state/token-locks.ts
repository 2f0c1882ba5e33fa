import { varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type Balances, balances } from '../amounts.js';
import { attributes, storedAttributes, valueAs } from '../governance/attributes.js';
import { liveKey } from '../governance/live-totals.js';

/** What owners have that is locked, shorter scripts first; releases go through them in this order. The contract's account holds it. */
export const lockedTokens: Column<Uint8Array, Balances> = { name: 'dfi/token-lock', key: varBytes, value: balances };

export const tokenLockColumns: readonly AnyColumn[] = [lockedTokens];

const LOCK_RATIO = liveKey('e', 't');
/** Tokens that a restart put an end to, with an amount of 1 each: where it is set, there is no other restart. */
export const RESTARTED_TOKENS = liveKey('e', 'u');

/** Part of what was locked at first that still is, of COIN. */
export function lockRatio(view: StateView): bigint {
  return valueAs(storedAttributes(view), LOCK_RATIO, 'amount') ?? 0n;
}

export function setLockRatio(view: WritableView, value: bigint): void {
  view.put(attributes, LOCK_RATIO, { form: 'amount', value });
}
