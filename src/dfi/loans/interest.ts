import { isActive, type NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { StateView } from '../../storage/view.js';
import type { HeightContext, WriteContext } from '../kernel/block-context.js';
import { low64, multiplyAmounts, toSingle } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { getLoanToken } from '../loan-tokens/columns.js';
import { type Interest, type InterestRate, interestRates, type LoanKey, loanOf } from './columns.js';
import { getLoanScheme } from './scheme-columns.js';

/** One satoshi in the unit of interest from Fort Canning Hill on, 10^-16 satoshi. */
export const HIGH_PRECISION = COIN * COIN;

export const NO_INTEREST: Interest = { negative: false, amount: 0n };

/** Interest per year due to the loan token and to the scheme, in percent scaled by COIN. */
interface YearlyRates {
  readonly token: bigint;
  readonly scheme: bigint;
}

function isPrecise({ height, params }: HeightContext): boolean {
  return isActive(params, 'fortCanningHill', height);
}

function wide(value: bigint): bigint {
  return BigInt.asUintN(128, value);
}

/** Stored interest of a loan, converted to the unit at `at`; undefined for a token that the vault never borrowed. */
export function interestRate(view: StateView, key: LoanKey, at: HeightContext): InterestRate | undefined {
  const rate = view.get(interestRates, key);
  if (!rate || isPrecise({ ...at, height: rate.height }) || !isPrecise(at)) return rate;
  const scaled = ({ negative, amount }: Interest): Interest => ({ negative, amount: wide(amount * HIGH_PRECISION) });
  return { ...rate, perBlock: scaled(rate.perBlock), toHeight: scaled(rate.toHeight) };
}

/** Sum of two signed amounts of interest; zero is never negative. */
export function addInterest(a: Interest, b: Interest): Interest {
  const signed = ({ negative, amount }: Interest) => (negative ? -amount : amount);
  const sum = signed(a) + signed(b);
  return { negative: sum < 0n, amount: wide(sum < 0n ? -sum : sum) };
}

/** Interest up to a height, in the unit of that height. @see docs/protocol/defi.md 3.6 */
export function interestTo({ height, perBlock, toHeight }: InterestRate, atHeight: number): Interest {
  const blocks = BigInt((atHeight - height) >>> 0);
  return addInterest(toHeight, { negative: perBlock.negative, amount: wide(perBlock.amount * blocks) });
}

/** Interest in satoshis, rounded up. */
export function roundInterestUp(amount: bigint, at: HeightContext): bigint {
  return low64(isPrecise(at) ? (amount + HIGH_PRECISION - 1n) / HIGH_PRECISION : amount);
}

/** Interest of a loan in satoshis: rounded up if the vault owes it, otherwise negative and rounded towards zero. */
export function totalInterest(rate: InterestRate, at: HeightContext): bigint {
  const { negative, amount } = interestTo(rate, at.height);
  return negative ? -low64(amount / HIGH_PRECISION) : roundInterestUp(amount, at);
}

/** Share per year. `defid` adds the rates in 64 bits, so that about 92 billion percent and more are negative. */
function netRate({ token, scheme }: YearlyRates): bigint {
  return low64(token + scheme) / 100n;
}

function blocksPerYear({ blocksPerDay }: NetworkParams): bigint {
  return 365n * BigInt(blocksPerDay);
}

/** Interest of a loan per block from Fort Canning Hill on; not negative before Great World. @see docs/protocol/defi.md 3.6 */
export function interestPerBlock(loan: bigint, rates: YearlyRates, params: NetworkParams): Interest {
  const net = netRate(rates);
  const size = net < 0n ? -net : net;
  return { negative: net < 0n && loan > 0n, amount: wide((BigInt.asUintN(64, loan) * size * COIN) / blocksPerYear(params)) };
}

/** Interest per block that a loan change adds before Fort Canning Hill, in satoshis; from Museum on in single precision, rounded up. */
function plainInterest(change: bigint, rates: YearlyRates, { height, params }: HeightContext): bigint {
  const perYear = multiplyAmounts(netRate(rates), change);
  if (!isActive(params, 'fortCanningMuseum', height)) return perYear / blocksPerYear(params);
  return BigInt(Math.ceil(Math.fround(toSingle(perYear) / toSingle(blocksPerYear(params)))));
}

/** Rates and stored interest of a loan that changes. */
interface LoanTerms {
  readonly rates: YearlyRates;
  readonly rate: InterestRate;
}

/** @throws {TxRejected} */
function requireTerms(context: WriteContext, key: LoanKey, schemeId: string): LoanTerms {
  const { view, height } = context;
  const scheme = getLoanScheme(view, schemeId);
  if (!scheme) throw new TxRejected(`No such scheme id ${schemeId}`);
  const token = getLoanToken(view, key.tokenId);
  if (!token) throw new TxRejected(`No such loan token id ${key.tokenId}`);
  const rate = interestRate(view, key, context) ?? { height: 0, perBlock: NO_INTEREST, toHeight: NO_INTEREST };
  if (height < rate.height) throw new TxRejected('Cannot store height in the past');
  return { rates: { token: token.interest, scheme: scheme.rate }, rate };
}

/** Increase of a loan, or change of its terms. */
export interface LoanIncrease {
  /** Loan scheme of the vault. */
  readonly scheme: string;
  /** Satoshis by which the loan grew; the stored loan already includes them. */
  readonly added: bigint;
  /** New interest of the token in percent scaled by COIN, if it is about to change. */
  readonly tokenInterest?: bigint;
}

/**
 * Updates the interest of a loan that grew, or whose terms changed.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.6
 */
export function increaseInterest(context: WriteContext, key: LoanKey, { scheme, added, tokenInterest }: LoanIncrease): void {
  const { view, height, params } = context;
  const { rates, rate } = requireTerms(context, key, scheme);
  const newRates = isActive(params, 'fortCanningGreatWorld', height) ? { ...rates, token: tokenInterest ?? rates.token } : rates;
  const perBlock = isPrecise(context)
    ? interestPerBlock(loanOf(view, key), newRates, params)
    : { negative: false, amount: wide(plainSum(rate, plainInterest(added, rates, context), context)) };
  view.put(interestRates, key, { height, perBlock, toHeight: interestTo(rate, height) });
}

/** Interest per block after an increase, in satoshis; between Museum and Hill also the sum is in single precision. */
function plainSum({ perBlock }: InterestRate, added: bigint, { height, params }: HeightContext): bigint {
  if (!isActive(params, 'fortCanningMuseum', height)) return perBlock.amount + added;
  return BigInt(Math.trunc(Math.fround(toSingle(low64(perBlock.amount)) + Number(added))));
}

/** Value for {@link LoanDecrease}: all accrued interest, of either sign. */
export const ALL_INTEREST = 0x7fff_ffff_ffff_ffffn;

/** Decrease of a loan. */
export interface LoanDecrease {
  /** Loan scheme of the vault. */
  readonly scheme: string;
  /** Satoshis by which the loan decreased; the stored loan no longer includes them. */
  readonly loan: bigint;
  /** Interest that was paid, in satoshis. */
  readonly interest: bigint;
}

/**
 * Updates the interest of a loan that was partly or fully repaid.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.6
 */
export function decreaseInterest(context: WriteContext, key: LoanKey, paid: LoanDecrease): void {
  const { view, height, params } = context;
  const { rates, rate } = requireTerms(context, key, paid.scheme);
  if (rate.height === 0) throw new TxRejected('Data mismatch height == 0');
  const total = interestTo(rate, height);
  const interest = wide(isPrecise(context) ? wide(paid.interest) * HIGH_PRECISION : paid.interest);
  const toHeight = total.amount < interest ? NO_INTEREST : { negative: total.negative, amount: total.amount - interest };
  const perBlock = isPrecise(context)
    ? interestPerBlock(loanOf(view, key), rates, params)
    : { negative: false, amount: plainRest(rate, plainInterest(paid.loan, rates, context)) };
  view.put(interestRates, key, { height, perBlock, toHeight });
}

function plainRest({ perBlock }: InterestRate, taken: bigint): bigint {
  return perBlock.amount < taken ? 0n : perBlock.amount - taken;
}

/** Restarts the interest of a loan at zero. @throws {TxRejected} if scheme or token do not exist */
export function resetInterest(context: WriteContext, key: LoanKey, schemeId: string): void {
  const { view, height, params } = context;
  const { rates } = requireTerms(context, key, schemeId);
  view.put(interestRates, key, { height, perBlock: interestPerBlock(loanOf(view, key), rates, params), toHeight: NO_INTEREST });
}
