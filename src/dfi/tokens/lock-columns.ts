import { varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { attributes, storedAttributes, valueAs } from '../attributes/attributes.js';
import { liveKey } from '../attributes/live-totals.js';
import { BalanceSum, type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';

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

/** What is locked of an amount; rounded up, so that nobody gets around it with small amounts. */
export function lockedPart(amount: bigint, ratio: bigint): bigint {
  const locked = multiplyAmounts(amount, ratio);
  return locked < amount && divideAmounts(locked, ratio) !== amount ? locked + 1n : locked;
}

/** Notes that more of what an owner has is locked. One of whom nothing is locked in the end has an entry too. @throws {TxRejected} */
export function addLocked(view: WritableView, owner: Uint8Array, amount: TokenAmount): void {
  const own = new BalanceSum();
  for (const before of view.get(lockedTokens, owner) ?? []) own.add(before);
  own.add(amount);
  view.put(lockedTokens, owner, own.list());
}
