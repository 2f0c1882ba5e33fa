import type { Accounts } from '../accounts/columns.js';
import type { Balances } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { deleteShare, hasPool, setShare } from '../pools/columns.js';
import { type SettledAt, settleRewards } from './owner-rewards.js';

/**
 * Takes amounts from an owner in the way of account transactions: its rewards are settled first, and an owner that gives away all
 * its shares of a pool leaves it.
 * @throws {TxRejected} if there is too little
 * @see docs/protocol/defi.md 1.4
 */
export function withdraw(accounts: Accounts, owner: Uint8Array, amounts: Balances, at: SettledAt): void {
  const { view } = accounts;
  settleRewards(view, owner, at);
  try {
    accounts.subAll(owner, amounts);
  } catch (error) {
    if (error instanceof TxRejected) throw new TxRejected(error.message, { lacksBalance: true });
    throw error;
  }
  for (const { tokenId } of amounts) {
    if (hasPool(view, tokenId) && accounts.balance(owner, tokenId) === 0n) deleteShare(view, tokenId, owner);
  }
}

/**
 * Gives amounts to an owner in the way of account transactions: its rewards are settled first, and its first share of a pool makes
 * it a member.
 * @throws {TxRejected} if an amount is negative or a balance would be too large
 * @see docs/protocol/defi.md 1.4
 */
export function deposit(accounts: Accounts, owner: Uint8Array, amounts: Balances, at: SettledAt): void {
  const { view } = accounts;
  settleRewards(view, owner, at);
  accounts.addAll(owner, amounts);
  for (const { tokenId, amount } of amounts) {
    if (hasPool(view, tokenId) && accounts.balance(owner, tokenId) === amount) setShare(view, tokenId, owner, at.height);
  }
}
