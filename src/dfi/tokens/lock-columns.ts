import { varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { attributes, storedAttributes, valueAs } from '../attributes/attributes.js';
import { liveKey } from '../attributes/live-totals.js';
import { BalanceSum, type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';

/** Locked balances by owner, shorter scripts first; releases iterate in this order. The account of the token lock contract holds them. */
export const lockedTokens: Column<Uint8Array, Balances> = { name: 'dfi/token-lock', key: varBytes, value: balances };

/** Columns of locked tokens. */
export const tokenLockColumns: readonly AnyColumn[] = [lockedTokens];

/** Attribute of the lock ratio. */
export const LOCK_RATIO = liveKey('token_lock_ratio');
/** Attribute of the tokens that the restart replaced, with amount 1 each. While it is set, no other restart runs. */
export const RESTARTED_TOKENS = liveKey('locked_tokens');

/** Part of the initially locked amounts that is still locked, scaled by COIN (1e8 is all of it). */
export function lockRatio(view: StateView): bigint {
  return valueAs(storedAttributes(view), LOCK_RATIO, 'amount') ?? 0n;
}

/** Replaces the lock ratio, scaled by COIN. */
export function setLockRatio(view: WritableView, value: bigint): void {
  view.put(attributes, LOCK_RATIO, { kind: 'amount', value });
}

/** Locked part of an amount in satoshis; rounded up, so that small amounts do not evade the lock. @param ratio scaled by COIN */
export function lockedPart(amount: bigint, ratio: bigint): bigint {
  const locked = multiplyAmounts(amount, ratio);
  return locked < amount && divideAmounts(locked, ratio) !== amount ? locked + 1n : locked;
}

/** Adds to the locked balances of an owner. The entry is written even if nothing is locked in the end. @throws {TxRejected} */
export function addLocked(view: WritableView, owner: Uint8Array, amount: TokenAmount): void {
  const own = new BalanceSum();
  for (const before of view.get(lockedTokens, owner) ?? []) own.add(before);
  own.add(amount);
  view.put(lockedTokens, owner, own.list());
}
