import type { NetworkParams } from '../../params/network.js';
import { COIN, formatAmount } from '../../primitives/amount.js';
import { i64, struct } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { isTokenLocked } from '../attributes/features.js';
import { governedNumber } from '../governance/governed-columns.js';
import { multiplyAmounts } from '../kernel/math.js';
import { TxRejected, unlessRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';
import { tokenIdByBytes } from '../tokens/columns.js';
import { aggregatePrice, formatPair, isPegged, isReported, type PricePair, pricePair } from './columns.js';

/** Fixed interval price: used by loans and futures for an interval of blocks. Prices are satoshis of the currency for one token. */
export interface FixedPrice {
  /** Time of the block that fixed it, in seconds since 1970. */
  readonly timestamp: bigint;
  /** Price of the current interval; 0 before the first one. */
  readonly active: bigint;
  /** Price of the next interval; -1 if there is none. */
  readonly next: bigint;
}

/** Fixed interval prices by pair. Lists and updates iterate in the order of the key bytes: shorter tokens first. */
export const fixedPrices: Column<PricePair, FixedPrice> = {
  name: 'dfi/fixed-price',
  key: pricePair,
  value: struct<FixedPrice>({ timestamp: i64, active: i64, next: i64 }),
};

const NO_PRICE = -1n;
/** 30 %, scaled by COIN. */
const DEFAULT_DEVIATION = 30_000_000n;

/** Blocks from one update of the prices to the next. */
export function priceInterval(view: StateView, params: Pick<NetworkParams, 'pos'>): number {
  return Number(governedNumber(view, 'oracleInterval') ?? BigInt(defaultPriceInterval(params)));
}

/** Blocks from one update of the prices to the next unless governance sets it: about an hour. */
export function defaultPriceInterval({ pos }: Pick<NetworkParams, 'pos'>): number {
  return Math.floor(3600 / pos.targetSpacing);
}

/** True if active and next price exist and their difference is within the permitted deviation. */
export function isLive(view: StateView, { active, next }: FixedPrice): boolean {
  if (active <= 0n || next <= 0n) return false;
  const change = next > active ? next - active : active - next;
  return change < multiplyAmounts(active, priceDeviation(view));
}

/** Change from active to next price from which on a price is not live, as a share of the active price scaled by COIN. */
export function priceDeviation(view: StateView): bigint {
  return governedNumber(view, 'oracleDeviation') ?? DEFAULT_DEVIATION;
}

/** Moves every next price to active and aggregates new next prices. @see docs/protocol/oracles-governance.md 1.5 */
export function updateFixedPrices(view: WritableView, time: number, params: Pick<NetworkParams, 'isRegtest'>): void {
  for (const [pair, { active, next }] of [...view.entries(fixedPrices)]) {
    view.put(fixedPrices, pair, {
      timestamp: BigInt(time),
      active: next > 0n ? next : active,
      next: aggregatePrice(view, pair, time, params).price ?? NO_PRICE,
    });
  }
}

/** @throws {TxRejected} if no oracle may report the pair */
export function requireReported(view: StateView, pair: PricePair): void {
  if (!isPegged(pair) && !isReported(view, pair)) throw new TxRejected(`Price feed ${formatPair(pair)} does not belong to any oracle`);
}

/** Starts a fixed interval price without an active price, with `price` as the next; replaces an existing one. */
export function putNewPrice(view: WritableView, pair: PricePair, time: number, price = NO_PRICE): void {
  view.put(fixedPrices, pair, { timestamp: BigInt(time), active: 0n, next: price });
}

/** Starts a fixed interval price unless it exists. @throws {TxRejected} if no oracle may report the pair */
export function ensureFixedPrice(view: WritableView, pair: PricePair, time: number, params: Pick<NetworkParams, 'isRegtest'>): void {
  if (view.has(fixedPrices, pair)) return;
  requireReported(view, pair);
  putNewPrice(view, pair, time, aggregatePrice(view, pair, time, params).price);
}

/** @throws {TxRejected} if the pair has no fixed interval price, or one of its tokens is a locked loan token */
export function requireFixedPrice(view: StateView, pair: PricePair): FixedPrice {
  const price = view.get(fixedPrices, pair);
  if (!price) throw new TxRejected(`fixedIntervalPrice with id <${formatPair(pair)}> not found`);
  if (isLockedLoan(view, pair.token) || isLockedLoan(view, pair.currency)) {
    throw new TxRejected('Fixed interval price currently disabled due to locked token');
  }
  return price;
}

/** Like {@link requireFixedPrice}, but undefined instead of an error. */
export function findFixedPrice(view: StateView, pair: PricePair): FixedPrice | undefined {
  return unlessRejected(() => requireFixedPrice(view, pair));
}

/** @param text that names a token, one char per byte */
function isLockedLoan(view: StateView, text: string): boolean {
  const id = tokenIdByBytes(view, text);
  return id !== undefined && isTokenLocked(view, id) && isLoanToken(view, id);
}

/** Selects a price of a pair. */
export interface PriceChoice {
  /** The next price instead of the active one. */
  readonly useNext: boolean;
  /** Rejects a pair that is not live, see {@link isLive}. */
  readonly requireLive: boolean;
}

/** Active price, which must be live. */
export const ACTIVE_PRICE: PriceChoice = { useNext: false, requireLive: true };
/** Next price, which must be live. */
export const NEXT_PRICE: PriceChoice = { useNext: true, requireLive: true };

/** Satoshis of the currency for one token. @throws {TxRejected} if there is no such price */
export function requirePrice(view: StateView, pair: PricePair, { useNext, requireLive }: PriceChoice = ACTIVE_PRICE): bigint {
  const fixed = requireFixedPrice(view, pair);
  if (requireLive && !isLive(view, fixed)) throw new TxRejected(`No live fixed prices for ${formatPair(pair)}`);
  const price = useNext ? fixed.next : fixed.active;
  if (price <= 0n) throw new TxRejected(`Negative price (${formatPair(pair)})`);
  return price;
}

/** Value of an amount in satoshis of the pair's currency, rounded down. @throws {TxRejected} if there is no such price, or on overflow */
export function requireValue(view: StateView, amount: bigint, pair: PricePair, choice: PriceChoice = ACTIVE_PRICE): bigint {
  return priceTimes(requirePrice(view, pair, choice), amount);
}

/** Product of a price and an amount, both in satoshis, rounded down. @throws {TxRejected} on overflow */
export function priceTimes(price: bigint, amount: bigint): bigint {
  const value = multiplyAmounts(price, amount);
  if (price > COIN && value < amount) {
    throw new TxRejected(`Value/price too high (${formatAmount(amount)}/${formatAmount(price)})`);
  }
  return value;
}
