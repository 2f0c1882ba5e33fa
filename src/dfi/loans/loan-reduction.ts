import { isActive } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import type { HeightContext, WriteContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import { loanSymbol } from '../loan-tokens/columns.js';
import { type InterestRate, type LoanKey, loansOf, subLoan } from './columns.js';
import { ALL_INTEREST, decreaseInterest, interestRate, totalInterest } from './interest.js';
import { countNegativeInterest, subEconomy } from './totals.js';

/** Result of a payment for a loan, in satoshis of the loan's token. */
export interface LoanPaid {
  /** Principal before the payment. */
  readonly before: bigint;
  readonly principal: bigint;
  /** Negative if interest was in the vault's favour. */
  readonly interest: bigint;
}

/**
 * Subtracts a payment from interest and principal.
 * @param scheme loan scheme of the vault
 * @param worth satoshis of the loan's token
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.10
 */
export function subtractPayment(context: WriteContext, key: LoanKey, scheme: string, worth: bigint): LoanPaid {
  const { view } = context;
  const { vaultId, tokenId } = key;
  const symbol = loanSymbol(view, tokenId);
  const { before, rate } = requireLoan(context, key, symbol);
  const owed = totalInterest(rate, context);
  // Negative interest larger than the loan is not counted: `defid` adds the negative amount, which its totals reject.
  if (owed < 0n && before > -owed) countNegativeInterest(context, { tokenId, amount: -owed });
  const isShort = worth < owed;
  const interest = isShort ? worth : owed;
  // If negative interest makes a very large payment overflow, `defid` subtracts a negative amount, which is rejected.
  const principal = isShort ? 0n : cappedAt(before, BigInt.asIntN(64, worth - owed));
  if (symbol === 'DUSD') subEconomy(view, 'loans', { tokenId, amount: principal });
  subLoan(context, vaultId, { tokenId, amount: principal });
  const endsInterest = interest < 0n || (rate.perBlock.negative && principal === before);
  decreaseInterest(context, key, { scheme, loan: principal, interest: endsInterest ? ALL_INTEREST : interest });
  if (principal < before) requireInterestLeft(context, key, symbol);
  return { before, principal, interest };
}

function cappedAt(most: bigint, amount: bigint): bigint {
  return amount > most ? most : amount;
}

/** @throws {TxRejected} */
function requireLoan(context: WriteContext, key: LoanKey, symbol: string): { readonly before: bigint; readonly rate: InterestRate } {
  const { view } = context;
  const loans = loansOf(view, key.vaultId);
  if (!loans) throw new TxRejected(`There are no loans on this vault (${formatHash(key.vaultId)})!`);
  const loan = loans.find(({ tokenId }) => tokenId === key.tokenId);
  if (!loan) throw new TxRejected(`There is no loan on token (${symbol}) in this vault!`);
  const rate = interestRate(view, key, context);
  if (!rate) throw new TxRejected(`Cannot get interest rate for this token (${symbol})!`);
  return { before: loan.amount, rate };
}

/** From Museum to Great World requires that a remaining loan has interest. @throws {TxRejected} */
function requireInterestLeft(context: WriteContext, key: LoanKey, symbol: string): void {
  const { view, height, params } = context;
  if (!isActive(params, 'fortCanningMuseum', height) || isActive(params, 'fortCanningGreatWorld', height)) return;
  if (interestRate(view, key, context)?.perBlock.amount === 0n) {
    throw new TxRejected(`Cannot payback this amount of loan for ${symbol}, either payback full amount or less than this amount!`);
  }
}

/** Negative interest as a positive amount, which pays for the loan too. */
function creditOf({ interest }: LoanPaid): bigint {
  return interest < 0n ? -interest : 0n;
}

/** Satoshis to subtract from the supply of the loan's token if the loan's own token pays. */
export function supplyReduction(paid: LoanPaid): bigint {
  return paid.principal - creditOf(paid);
}

/**
 * Satoshis charged for the principal if the loan's own token pays.
 * @param worth satoshis that were offered
 * @returns undefined if negative interest pays for all of it
 */
export function costInOwnToken({ height, params }: HeightContext, paid: LoanPaid, worth: bigint): bigint | undefined {
  const { before, principal } = paid;
  const credit = creditOf(paid);
  if (credit > 0n && credit >= before) return undefined;
  if (credit > 0n && worth + credit > before) return before - credit;
  return isActive(params, 'fortCanningEpilogue', height) ? principal - credit : principal;
}
