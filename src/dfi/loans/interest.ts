import { isActive, type NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { low64, multiplyAmounts, toSingle } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { getLoanToken } from '../loan-tokens/columns.js';
import { type Interest, type InterestRate, interestRates, type LoanKey, loanOf } from './columns.js';
import { getLoanScheme } from './scheme-columns.js';

/** One satoshi in the unit of interest from Fort Canning Hill on. */
export const HIGH_PRECISION = COIN * COIN;

export const NO_INTEREST: Interest = { negative: false, amount: 0n };

/** When interest is asked for. */
export interface InterestMoment {
  readonly height: number;
  readonly params: NetworkParams;
}

export interface InterestContext extends InterestMoment {
  readonly view: WritableView;
}

/** What two parties get per year, in satoshis of a percent. */
interface YearlyRates {
  readonly token: bigint;
  readonly scheme: bigint;
}

function isPrecise({ height, params }: InterestMoment): boolean {
  return isActive(params, 'fortCanningHill', height);
}

function wide(value: bigint): bigint {
  return BigInt.asUintN(128, value);
}

/** Interest of a loan as it is stored, in the unit of `at`; undefined for a token that the vault never borrowed. */
export function interestRate(view: StateView, key: LoanKey, at: InterestMoment): InterestRate | undefined {
  const rate = view.get(interestRates, key);
  if (!rate || isPrecise({ ...at, height: rate.height }) || !isPrecise(at)) return rate;
  const scaled = ({ negative, amount }: Interest): Interest => ({ negative, amount: wide(amount * HIGH_PRECISION) });
  return { ...rate, perBlock: scaled(rate.perBlock), toHeight: scaled(rate.toHeight) };
}

/** Sum of two amounts of interest; nothing is never negative. */
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

/** Satoshis, rounded up. */
export function roundInterestUp(amount: bigint, at: InterestMoment): bigint {
  return low64(isPrecise(at) ? (amount + HIGH_PRECISION - 1n) / HIGH_PRECISION : amount);
}

/** Satoshis that a vault owes for a loan beside the principal: rounded up, or, where it is owed something, down. */
export function totalInterest(rate: InterestRate, at: InterestMoment): bigint {
  const { negative, amount } = interestTo(rate, at.height);
  return negative ? -low64(amount / HIGH_PRECISION) : roundInterestUp(amount, at);
}

function netRate({ token, scheme }: YearlyRates): bigint {
  return (token + scheme) / 100n;
}

function blocksPerYear({ blocksPerDay }: NetworkParams): bigint {
  return 365n * BigInt(blocksPerDay);
}

/** What a loan costs per block from Fort Canning Hill on; before Great World rates are never negative. @see docs/protocol/defi.md 3.6 */
export function interestPerBlock(loan: bigint, rates: YearlyRates, params: NetworkParams): Interest {
  const net = netRate(rates);
  const size = net < 0n ? -net : net;
  return { negative: net < 0n && loan > 0n, amount: wide((BigInt.asUintN(64, loan) * size * COIN) / blocksPerYear(params)) };
}

/** What a change of a loan adds per block before Fort Canning Hill, in satoshis; from Museum on in single precision, rounded up. */
function plainInterest(change: bigint, rates: YearlyRates, { height, params }: InterestMoment): bigint {
  const perYear = multiplyAmounts(netRate(rates), change);
  if (!isActive(params, 'fortCanningMuseum', height)) return perYear / blocksPerYear(params);
  return BigInt(Math.ceil(Math.fround(toSingle(perYear) / toSingle(blocksPerYear(params)))));
}

/** Who pays what for a loan that changes. */
interface LoanTerms {
  readonly rates: YearlyRates;
  readonly rate: InterestRate;
}

/** @throws {TxRejected} */
function requireTerms(context: InterestContext, key: LoanKey, schemeId: string): LoanTerms {
  const { view, height } = context;
  const scheme = getLoanScheme(view, schemeId);
  if (!scheme) throw new TxRejected(`No such scheme id ${schemeId}`);
  const token = getLoanToken(view, key.tokenId);
  if (!token) throw new TxRejected(`No such loan token id ${key.tokenId}`);
  const rate = interestRate(view, key, context) ?? { height: 0, perBlock: NO_INTEREST, toHeight: NO_INTEREST };
  if (height < rate.height) throw new TxRejected('Cannot store height in the past');
  return { rates: { token: token.interest, scheme: scheme.rate }, rate };
}

export interface LoanIncrease {
  /** Scheme of the vault. */
  readonly scheme: string;
  /** By how much the loan grew; it holds this already. */
  readonly added: bigint;
  /** Interest of the token, where it is about to change. */
  readonly tokenInterest?: bigint;
}

/**
 * Goes on with the interest of a loan that grew, or whose terms changed.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.6
 */
export function increaseInterest(context: InterestContext, key: LoanKey, { scheme, added, tokenInterest }: LoanIncrease): void {
  const { view, height, params } = context;
  const { rates, rate } = requireTerms(context, key, scheme);
  const newRates = isActive(params, 'fortCanningGreatWorld', height) ? { ...rates, token: tokenInterest ?? rates.token } : rates;
  const perBlock = isPrecise(context)
    ? interestPerBlock(loanOf(view, key), newRates, params)
    : { negative: false, amount: wide(plainSum(rate, plainInterest(added, rates, context), context)) };
  view.put(interestRates, key, { height, perBlock, toHeight: interestTo(rate, height) });
}

/** Between Museum and Hill also the sum is in single precision. */
function plainSum({ perBlock }: InterestRate, added: bigint, { height, params }: InterestMoment): bigint {
  if (!isActive(params, 'fortCanningMuseum', height)) return perBlock.amount + added;
  return BigInt(Math.trunc(Math.fround(toSingle(low64(perBlock.amount)) + Number(added))));
}

/** For {@link LoanDecrease}: all the interest that there is, whatever its sign. */
export const ALL_INTEREST = 0x7fff_ffff_ffff_ffffn;

export interface LoanDecrease {
  /** Scheme of the vault. */
  readonly scheme: string;
  /** By how much the loan shrank; it has lost this already. */
  readonly loan: bigint;
  /** Satoshis of interest that were paid. */
  readonly interest: bigint;
}

/**
 * Goes on with the interest of a loan of which something was paid back.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.6
 */
export function decreaseInterest(context: InterestContext, key: LoanKey, paid: LoanDecrease): void {
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

/** Begins the interest of a loan anew. @throws {TxRejected} if scheme or token are gone */
export function resetInterest(context: InterestContext, key: LoanKey, schemeId: string): void {
  const { view, height, params } = context;
  const { rates } = requireTerms(context, key, schemeId);
  view.put(interestRates, key, { height, perBlock: interestPerBlock(loanOf(view, key), rates, params), toHeight: NO_INTEREST });
}
