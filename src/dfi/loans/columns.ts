import { isActive, type NetworkParams } from '../../params/network.js';
import { bool, type Codec, encode, struct, u32, u64, varInt32 } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import { addToBalances, heldAmount, subFromBalances } from '../kernel/held-amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';

/** Principal of the loans of vaults; a vault without has no entry. Rules go through them in the order of vault ids. */
export const loanAmounts: Column<Hash256, Balances> = { name: 'dfi/loan', key: hash256, value: balances };

/** One token that a vault borrowed. */
export interface LoanKey {
  readonly vaultId: Hash256;
  readonly tokenId: number;
}

/** Interest with its sign, its size in 128 bits. */
export interface Interest {
  readonly negative: boolean;
  /** Satoshis up to Fort Canning Hill, 10^-16 of a satoshi from there on. */
  readonly amount: bigint;
}

/** Interest of a loan. In what unit its numbers are, its height tells. */
export interface InterestRate {
  /** Of the block that wrote it. */
  readonly height: number;
  /** From that height on. */
  readonly perBlock: Interest;
  /** Up to that height. */
  readonly toHeight: Interest;
}

/** Low half, then high half. */
const u128: Codec<bigint> = {
  write(w, value) {
    u64.write(w, BigInt.asUintN(64, value));
    u64.write(w, value >> 64n);
  },
  read: (r) => u64.read(r) | (u64.read(r) << 64n),
};
const interest = struct<Interest>({ negative: bool, amount: u128 });

/** By vault, then by token. It stays when a loan is paid back, until the vault ends. */
export const interestRates: Column<LoanKey, InterestRate> = {
  name: 'dfi/loan-interest',
  key: struct<LoanKey>({ vaultId: hash256, tokenId: varInt32 }),
  value: struct<InterestRate>({ height: u32, perBlock: interest, toHeight: interest }),
};

export const loanColumns: readonly AnyColumn[] = [loanAmounts, interestRates];

/** Undefined for a vault without loans. */
export function loansOf(view: StateView, vaultId: Hash256): Balances | undefined {
  return view.get(loanAmounts, vaultId);
}

/** Principal of one token; 0 if there is none. */
export function loanOf(view: StateView, { vaultId, tokenId }: LoanKey): bigint {
  return heldAmount(loansOf(view, vaultId), tokenId);
}

/** @throws {TxRejected} if it is no token to borrow, the amount is negative, or the sum too large */
export function addLoan(view: WritableView, vaultId: Hash256, amount: TokenAmount): void {
  requireBorrowable(view, amount.tokenId);
  addToBalances(view, loanAmounts, vaultId, amount);
}

/** Where a loan becomes less. */
export interface LoanChange {
  readonly view: WritableView;
  readonly height: number;
  readonly params: NetworkParams;
}

/** @throws {TxRejected} if it is no token to borrow, or too little was borrowed; before Metachain in words for no loans at all */
export function subLoan({ view, height, params }: LoanChange, vaultId: Hash256, amount: TokenAmount): void {
  requireBorrowable(view, amount.tokenId);
  const absent = `Loan token for vault <${formatHash(vaultId)}> not found`;
  subFromBalances(view, loanAmounts, vaultId, amount, { absent, isPrecise: isActive(params, 'metachain', height) });
}

function requireBorrowable(view: StateView, tokenId: number): void {
  if (!isLoanToken(view, tokenId)) throw new TxRejected(`No such loan token id ${tokenId}`);
}

/** Vaults that borrowed a token, in the order of ids. */
export function* borrowersOf(view: StateView, tokenId: number): Generator<Hash256> {
  for (const [vaultId, loans] of view.entries(loanAmounts)) if (loans.some((own) => own.tokenId === tokenId)) yield vaultId;
}

/** Forgets the interest of all loans of a vault. */
export function deleteInterest(view: WritableView, vaultId: Hash256): void {
  for (const [key] of [...view.entries(interestRates, { prefix: encode(hash256, vaultId) })]) view.delete(interestRates, key);
}
