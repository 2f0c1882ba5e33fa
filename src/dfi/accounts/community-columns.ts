import { i64, u8 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { TxRejected } from '../kernel/rejected.js';

/** Community accounts by purpose, with their letters in the state. */
export const COMMUNITY = {
  anchor: 'A',
  communityDevelopment: 'C',
  incentive: 'I',
  loan: 'L',
  options: 'O',
  unallocated: 'U',
} as const;

export type CommunityAccount = keyof typeof COMMUNITY;

/** Satoshis of DFI, by the letter of the account. */
const communityBalances: Column<number, bigint> = { name: 'dfi/community', key: u8, value: i64 };

/** Columns of the community accounts. */
export const communityColumns = [communityBalances] as const;

function keyOf(account: CommunityAccount): number {
  return COMMUNITY[account].charCodeAt(0);
}

/** Satoshis of DFI. */
export function communityBalance(view: StateView, account: CommunityAccount): bigint {
  return view.get(communityBalances, keyOf(account)) ?? 0n;
}

/** Replaces the balance. @param balance satoshis of DFI @throws {TxRejected} if it is negative */
export function setCommunityBalance(view: WritableView, account: CommunityAccount, balance: bigint): void {
  if (balance < 0n) throw new TxRejected('negative amount');
  view.put(communityBalances, keyOf(account), balance);
}

/** Adds satoshis of DFI, which may be negative. @throws {TxRejected} if the balance would be negative */
export function addCommunityBalance(view: WritableView, account: CommunityAccount, amount: bigint): void {
  if (amount === 0n) return;
  setCommunityBalance(view, account, communityBalance(view, account) + amount);
}

/** Subtracts satoshis of DFI. @throws {TxRejected} if the amount is negative or exceeds the balance */
export function subCommunityBalance(view: WritableView, account: CommunityAccount, amount: bigint): void {
  if (amount === 0n) return;
  if (amount < 0n) throw new TxRejected('negative amount');
  const balance = communityBalance(view, account);
  if (balance < amount) throw new TxRejected(`Amount ${balance} is less than ${amount}`);
  setCommunityBalance(view, account, balance - amount);
}
