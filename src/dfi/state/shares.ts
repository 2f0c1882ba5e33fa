import type { Balances } from '../amounts.js';
import { TxRejected } from '../rejected.js';
import { settleRewards } from '../rewards.js';
import type { Accounts } from './accounts.js';

/**
 * Takes amounts from an owner in the way of account transactions: its rewards are settled first, and an owner that gives away all
 * its shares of a pool leaves it.
 * @throws {TxRejected} if there is too little
 * @see spec: accounts 3
 */
export function withdraw(accounts: Accounts, owner: Uint8Array, amounts: Balances, height: number): void {
  settleRewards(accounts.view, owner, height);
  try {
    accounts.subAll(owner, amounts);
  } catch (error) {
    if (error instanceof TxRejected) throw new TxRejected(error.message, { lacksBalance: true });
    throw error;
  }
}

/**
 * Gives amounts to an owner in the way of account transactions: its rewards are settled first, and its first share of a pool makes
 * it a member.
 * @throws {TxRejected} if an amount is negative or a balance would be too large
 * @see spec: accounts 3
 */
export function deposit(accounts: Accounts, owner: Uint8Array, amounts: Balances, height: number): void {
  settleRewards(accounts.view, owner, height);
  accounts.addAll(owner, amounts);
}
