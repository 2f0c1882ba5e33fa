import type { NetworkParams } from '../../params/network.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { type AttributeSource, storedAttributes, valueAs } from '../attributes/attributes.js';
import { addToLive, liveKey, liveTotal, storedTotals, subFromLive } from '../attributes/live-totals.js';
import { addToken, type Balances, type TokenAmount, toBalances } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';

/** Running totals of loans. */
const TOTALS = {
  /** DUSD that vaults owe, interest left out. */
  loans: liveKey('e', 'q'),
  /** What was paid back with DFI, and the fees for that. */
  paidWithCoin: liveKey('e', 'a'),
  /** The same, without interest and fees. */
  principalPaidWithCoin: liveKey('e', 'p'),
  /** What loans became less because interest was negative. Only with `-negativeinterest`. */
  negativeInterest: liveKey('e', 'j'),
  /** The same, and what the loans of now would become less. Only with `-negativeinterest`. */
  currentNegativeInterest: liveKey('e', 'k'),
} as const;

export type EconomyTotal = keyof typeof TOTALS;

/** Adds to a total; what cannot be added leaves it as it is. */
export function addEconomy(view: WritableView, total: EconomyTotal, amount: TokenAmount): void {
  attempt(() => addToLive(storedTotals(view), TOTALS[total], [amount]));
}

/** Takes from a total; what is more than there is leaves it as it is. */
export function subEconomy(view: WritableView, total: EconomyTotal, amount: TokenAmount): void {
  attempt(() => subFromLive(storedTotals(view), TOTALS[total], amount));
}

/** A total as it stands. */
export function economyTotal(view: StateView, total: EconomyTotal): Balances {
  return liveTotal(storedAttributes(view), TOTALS[total]);
}

/** Where negative interest is used up. */
interface InterestUse {
  readonly view: WritableView;
  readonly params: NetworkParams;
}

/** Counts what a loan became less because its interest was negative, if this node keeps that. */
export function noteNegativeInterest({ view, params }: InterestUse, amount: TokenAmount): void {
  if (params.keepsNegativeInterest) addEconomy(view, 'negativeInterest', amount);
}

/** Sets a total; nothing at all leaves it as it is. */
export function replaceEconomy(view: WritableView, total: EconomyTotal, amounts: Balances): void {
  if (amounts.length > 0) storedTotals(view).set(TOTALS[total], { form: 'balances', value: amounts });
}

const PAYBACKS = liveKey('e', 'b');

/** What was paid back with tokens other than DFI, and the fees for that. */
export function notedPaybacks(source: AttributeSource): { readonly fees: Balances; readonly payback: Balances } {
  return valueAs(source, PAYBACKS, 'payback') ?? { fees: [], payback: [] };
}

/** Notes what was paid back of a loan with another token, and the fee for that; what cannot be added is left out. */
export function notePayback(view: WritableView, paid: TokenAmount, fee: TokenAmount): void {
  const totals = storedTotals(view);
  const before = notedPaybacks(totals);
  totals.set(PAYBACKS, { form: 'payback', value: { fees: added(before.fees, fee), payback: added(before.payback, paid) } });
}

function added(balances: Balances, { tokenId, amount }: TokenAmount): Balances {
  const all = new Map(balances.map((own) => [own.tokenId, own.amount]));
  const sum = attempt(() => addToken(all.get(tokenId) ?? 0n, amount));
  if (sum === undefined || sum === 0n) return balances;
  return toBalances(all.set(tokenId, sum));
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof TxRejected) return undefined;
    throw error;
  }
}
