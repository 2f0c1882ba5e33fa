import type { StateView, WritableView } from '../../storage/view.js';
import { type AttributeSource, storedAttributes, valueAs } from '../attributes/attributes.js';
import { letter } from '../attributes/key.js';
import { addToLive, liveKey, liveTotal, storedTotals, subFromLive } from '../attributes/live-totals.js';
import { addToken, type Balances, type TokenAmount, toBalances } from '../kernel/amounts.js';
import type { WriteContext } from '../kernel/block-context.js';
import { ignoreRejection, unlessRejected } from '../kernel/rejected.js';

/** Informational totals of loans, stored as attributes. */
const TOTALS = {
  /** Principal of all DUSD loans. */
  loans: liveKey('loans'),
  /** Loans repaid with DFI, including interest, and the fees for that. */
  paidWithCoin: liveKey('dfi_payback_tokens'),
  /** Principal repaid with DFI. */
  principalPaidWithCoin: liveKey('dfi_payback_tokens_principal'),
  /** Reduction of loans by negative interest so far. Only with `-negativeinterest`. */
  negativeInterest: liveKey('negative_interest'),
  /** Reduction of loans by negative interest so far, plus the negative interest accrued on current loans. Only with `-negativeinterest`. */
  currentNegativeInterest: liveKey('negative_interest_current'),
} as const;

export type EconomyTotal = keyof typeof TOTALS;

/** Adds to a total; on overflow it stays unchanged. */
export function addEconomy(view: WritableView, total: EconomyTotal, amount: TokenAmount): void {
  ignoreRejection(() => addToLive(storedTotals(view), TOTALS[total], [amount]));
}

/** Subtracts from a total; if it is too small it stays unchanged. */
export function subEconomy(view: WritableView, total: EconomyTotal, amount: TokenAmount): void {
  ignoreRejection(() => subFromLive(storedTotals(view), TOTALS[total], amount));
}

/** Current value of a total. */
export function economyTotal(view: StateView, total: EconomyTotal): Balances {
  return liveTotal(storedAttributes(view), TOTALS[total]);
}

/** Adds the reduction of a loan by negative interest to the total, if this node counts it. */
export function countNegativeInterest({ view, params }: WriteContext, amount: TokenAmount): void {
  if (params.keepsNegativeInterest) addEconomy(view, 'negativeInterest', amount);
}

/** Replaces a total; an empty list leaves it unchanged. */
export function replaceEconomy(view: WritableView, total: EconomyTotal, amounts: Balances): void {
  if (amounts.length > 0) storedTotals(view).set(TOTALS[total], { kind: 'balances', value: amounts });
}

/** `defid` has no name for this total, and listings omit it. */
const PAYBACKS = { ...liveKey('loans'), key: letter('b') };

/** Loans repaid with tokens other than DFI, and the fees for that. */
export function countedPaybacks(source: AttributeSource): { readonly fees: Balances; readonly payback: Balances } {
  return valueAs(source, PAYBACKS, 'payback') ?? { fees: [], payback: [] };
}

/** Adds a repayment with another token and its fee to the totals; amounts that overflow are left out. */
export function countPayback(view: WritableView, paid: TokenAmount, fee: TokenAmount): void {
  const totals = storedTotals(view);
  const before = countedPaybacks(totals);
  totals.set(PAYBACKS, { kind: 'payback', value: { fees: added(before.fees, fee), payback: added(before.payback, paid) } });
}

function added(balances: Balances, { tokenId, amount }: TokenAmount): Balances {
  const all = new Map(balances.map((own) => [own.tokenId, own.amount]));
  const sum = unlessRejected(() => addToken(all.get(tokenId) ?? 0n, amount));
  if (sum === undefined || sum === 0n) return balances;
  return toBalances(all.set(tokenId, sum));
}
