import { i64, u8 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { TxRejected } from '../kernel/rejected.js';

/** Accounts of the community, by what they are for. */
export const COMMUNITY = {
  anchor: 'A',
  communityDevelopment: 'C',
  incentive: 'I',
  loan: 'L',
  options: 'O',
  unallocated: 'U',
} as const;

export type CommunityAccount = keyof typeof COMMUNITY;

/** Satoshis of DFI by the letter of the account. */
const communityBalances: Column<number, bigint> = { name: 'dfi/community', key: u8, value: i64 };

export const communityColumns = [communityBalances] as const;

function keyOf(account: CommunityAccount): number {
  return COMMUNITY[account].charCodeAt(0);
}

export function communityBalance(view: StateView, account: CommunityAccount): bigint {
  return view.get(communityBalances, keyOf(account)) ?? 0n;
}

/** @throws {TxRejected} if the balance would be negative */
export function setCommunityBalance(view: WritableView, account: CommunityAccount, balance: bigint): void {
  if (balance < 0n) throw new TxRejected('negative amount');
  view.put(communityBalances, keyOf(account), balance);
}

export function addCommunityBalance(view: WritableView, account: CommunityAccount, amount: bigint): void {
  if (amount === 0n) return;
  setCommunityBalance(view, account, communityBalance(view, account) + amount);
}

/** @throws {TxRejected} if the amount is negative, or there is less */
export function subCommunityBalance(view: WritableView, account: CommunityAccount, amount: bigint): void {
  if (amount === 0n) return;
  if (amount < 0n) throw new TxRejected('negative amount');
  const balance = communityBalance(view, account);
  if (balance < amount) throw new TxRejected(`Amount ${balance} is less than ${amount}`);
  setCommunityBalance(view, account, balance - amount);
}
