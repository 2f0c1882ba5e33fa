import type { Accounts } from '../accounts/columns.js';
import type { Balances } from '../kernel/amounts.js';
import type { HeightContext } from '../kernel/block-context.js';
import { mapRejection, TxRejected } from '../kernel/rejected.js';
import { deleteShare, hasPool, setShare } from '../pools/columns.js';
import { materialiseRewards } from './owner-rewards.js';

/**
 * Debits amounts like account transactions do: materialises the owner's rewards first, and removes an owner without remaining shares of
 * a pool from its providers.
 * @throws {TxRejected} if a balance is too small
 * @see docs/protocol/defi.md 1.4
 */
export function withdraw(accounts: Accounts, owner: Uint8Array, amounts: Balances, at: HeightContext): void {
  const { view } = accounts;
  materialiseRewards(view, owner, at);
  mapRejection(
    () => accounts.subAll(owner, amounts),
    ({ message }) => new TxRejected(message, { lacksBalance: true }),
  );
  for (const { tokenId } of amounts) {
    if (hasPool(view, tokenId) && accounts.balance(owner, tokenId) === 0n) deleteShare(view, tokenId, owner);
  }
}

/**
 * Credits amounts like account transactions do: materialises the owner's rewards first, and adds an owner to the providers of a pool with
 * its first share.
 * @throws {TxRejected} if an amount is negative or a balance overflows
 * @see docs/protocol/defi.md 1.4
 */
export function deposit(accounts: Accounts, owner: Uint8Array, amounts: Balances, at: HeightContext): void {
  const { view } = accounts;
  materialiseRewards(view, owner, at);
  accounts.addAll(owner, amounts);
  for (const { tokenId, amount } of amounts) {
    if (hasPool(view, tokenId) && accounts.balance(owner, tokenId) === amount) setShare(view, tokenId, owner, at.height);
  }
}
