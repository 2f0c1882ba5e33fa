import { isActive } from '../../params/network.js';
import { bool, type Codec, encode, struct, u32, u64 } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import type { WriteContext } from '../kernel/block-context.js';
import { addToBalances, amountOf, subFromBalances } from '../kernel/keyed-balances.js';
import { TxRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';

/** Principal of the loans by vault; a vault without loans has no entry. Rules iterate in the order of vault ids. */
export const loanAmounts: Column<Hash256, Balances> = { name: 'dfi/loan', key: hash256, value: balances };

/** A token that a vault borrowed. */
export interface LoanKey {
  readonly vaultId: Hash256;
  readonly tokenId: number;
}

/** Signed interest, with a magnitude of 128 bits. */
export interface Interest {
  readonly negative: boolean;
  /** Satoshis up to Fort Canning Hill, 10^-16 satoshi from there on. */
  readonly amount: bigint;
}

/** Interest of a loan. The height determines the unit of its amounts. */
export interface InterestRate {
  /** Height of the block that wrote the record. */
  readonly height: number;
  /** Interest per block from that height on. */
  readonly perBlock: Interest;
  /** Interest accrued up to that height. */
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

/** Interest by vault, then by token. A repaid loan keeps its entry until the vault is closed. */
export const interestRates: Column<LoanKey, InterestRate> = {
  name: 'dfi/loan-interest',
  key: struct<LoanKey>({ vaultId: hash256, tokenId: varInt32 }),
  value: struct<InterestRate>({ height: u32, perBlock: interest, toHeight: interest }),
};

/** Columns of loans and their interest. */
export const loanColumns: readonly AnyColumn[] = [loanAmounts, interestRates];

/** Undefined for a vault without loans. */
export function loansOf(view: StateView, vaultId: Hash256): Balances | undefined {
  return view.get(loanAmounts, vaultId);
}

/** Principal of one token in satoshis; 0 without a loan. */
export function loanOf(view: StateView, { vaultId, tokenId }: LoanKey): bigint {
  return amountOf(loansOf(view, vaultId), tokenId);
}

/** Adds to the principal. @throws {TxRejected} if the token is no loan token, the amount is negative, or the sum overflows */
export function addLoan(view: WritableView, vaultId: Hash256, amount: TokenAmount): void {
  requireBorrowable(view, amount.tokenId);
  addToBalances(view, loanAmounts, vaultId, amount);
}

/** Subtracts from the principal. @throws {TxRejected} if it is too small (another text before Metachain) or the token is no loan token */
export function subLoan({ view, height, params }: WriteContext, vaultId: Hash256, amount: TokenAmount): void {
  requireBorrowable(view, amount.tokenId);
  const absent = `Loan token for vault <${formatHash(vaultId)}> not found`;
  subFromBalances(view, loanAmounts, vaultId, amount, { absent, namesAmounts: isActive(params, 'metachain', height) });
}

function requireBorrowable(view: StateView, tokenId: number): void {
  if (!isLoanToken(view, tokenId)) throw new TxRejected(`No such loan token id ${tokenId}`);
}

/** Vaults with a loan of the token, in the order of ids. */
export function* borrowersOf(view: StateView, tokenId: number): Generator<Hash256> {
  for (const [vaultId, loans] of view.entries(loanAmounts)) if (loans.some((own) => own.tokenId === tokenId)) yield vaultId;
}

/** Deletes the interest of all loans of a vault. */
export function deleteInterest(view: WritableView, vaultId: Hash256): void {
  for (const [key] of [...view.entries(interestRates, { prefix: encode(hash256, vaultId) })]) view.delete(interestRates, key);
}
