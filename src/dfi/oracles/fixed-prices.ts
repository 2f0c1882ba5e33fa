import type { NetworkParams } from '../../params/network.js';
import { COIN, formatAmount } from '../../primitives/amount.js';
import { i64, struct } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { isTokenLocked } from '../attributes/features.js';
import { governedNumber } from '../governance/governed-columns.js';
import { multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { aggregatePrice, formatPair, isPegged, isReported, type PricePair, pricePair } from './columns.js';

/** A price that loans and futures use for an interval of blocks. */
export interface FixedPrice {
  /** Time of the block that fixed it, in seconds since 1970. */
  readonly timestamp: bigint;
  /** In use; 0 before the first interval. */
  readonly active: bigint;
  /** In use from the next interval on; -1 while there is none. */
  readonly next: bigint;
}

/** By pair. Listed and renewed in the order of these bytes: shorter tokens first. */
export const fixedPrices: Column<PricePair, FixedPrice> = {
  name: 'dfi/fixed-price',
  key: pricePair,
  value: struct<FixedPrice>({ timestamp: i64, active: i64, next: i64 }),
};

const NO_PRICE = -1n;
const DEFAULT_DEVIATION = 30_000_000n;

/** Blocks from one renewal of the prices to the next. */
export function priceInterval(view: StateView, { pos }: Pick<NetworkParams, 'pos'>): number {
  return Number(governedNumber(view, 'oracleInterval') ?? BigInt(Math.floor(3600 / pos.targetSpacing)));
}

/** Whether both prices are there and close to each other. */
export function isLive(view: StateView, { active, next }: FixedPrice): boolean {
  if (active <= 0n || next <= 0n) return false;
  const change = next > active ? next - active : active - next;
  return change < multiplyAmounts(active, priceDeviation(view));
}

/** From which share of the price in use on a change is too large, of COIN. */
export function priceDeviation(view: StateView): bigint {
  return governedNumber(view, 'oracleDeviation') ?? DEFAULT_DEVIATION;
}

/** What happens to every price once per interval. @see docs/protocol/oracles-governance.md 1.5 */
export function renewFixedPrices(view: WritableView, time: number, params: Pick<NetworkParams, 'isRegtest'>): void {
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

/** Begins to fix the price of a pair, as it stands now; over again if it is fixed already. */
export function putNewPrice(view: WritableView, pair: PricePair, time: number, price = NO_PRICE): void {
  view.put(fixedPrices, pair, { timestamp: BigInt(time), active: 0n, next: price });
}

/** Begins to fix the price of a pair if that is not done already. @throws {TxRejected} if no oracle may report it */
export function ensureFixedPrice(view: WritableView, pair: PricePair, time: number, params: Pick<NetworkParams, 'isRegtest'>): void {
  if (view.has(fixedPrices, pair)) return;
  requireReported(view, pair);
  putNewPrice(view, pair, time, aggregatePrice(view, pair, time, params).price);
}

/** @throws {TxRejected} if there is none, or one of its tokens is locked */
export function requireFixedPrice(view: StateView, pair: PricePair): FixedPrice {
  const price = view.get(fixedPrices, pair);
  if (!price) throw new TxRejected(`fixedIntervalPrice with id <${formatPair(pair)}> not found`);
  if (isLockedLoan(view, pair.token) || isLockedLoan(view, pair.currency)) {
    throw new TxRejected('Fixed interval price currently disabled due to locked token');
  }
  return price;
}

/** Undefined where {@link requireFixedPrice} fails. */
export function findFixedPrice(view: StateView, pair: PricePair): FixedPrice | undefined {
  try {
    return requireFixedPrice(view, pair);
  } catch (error) {
    if (error instanceof TxRejected) return undefined;
    throw error;
  }
}

function isLockedLoan(view: StateView, text: string): boolean {
  const id = /^\d+$/.test(text) ? Number(text) : tokenBySymbol(view, text)?.id;
  return id !== undefined && isTokenLocked(view, id) && isLoanToken(view, id);
}

/** Which price is asked for. */
export interface PriceChoice {
  /** The next one instead of that in use. */
  readonly useNext: boolean;
  /** Only a pair whose prices are close to each other will do. */
  readonly requireLive: boolean;
}

/** The price in use, which must be live. */
export const ACTIVE_PRICE: PriceChoice = { useNext: false, requireLive: true };
/** The price of the next interval, which must be live. */
export const NEXT_PRICE: PriceChoice = { useNext: true, requireLive: true };

/** @throws {TxRejected} if there is no such price */
export function requirePrice(view: StateView, pair: PricePair, { useNext, requireLive }: PriceChoice = ACTIVE_PRICE): bigint {
  const fixed = requireFixedPrice(view, pair);
  if (requireLive && !isLive(view, fixed)) throw new TxRejected(`No live fixed prices for ${formatPair(pair)}`);
  const price = useNext ? fixed.next : fixed.active;
  if (price <= 0n) throw new TxRejected(`Negative price (${formatPair(pair)})`);
  return price;
}

/** Value of an amount in the currency of the pair. @throws {TxRejected} if there is no such price, or the value has no room */
export function requireValue(view: StateView, amount: bigint, pair: PricePair, choice: PriceChoice = ACTIVE_PRICE): bigint {
  return priceTimes(requirePrice(view, pair, choice), amount);
}

/** @throws {TxRejected} if the value has no room */
export function priceTimes(price: bigint, amount: bigint): bigint {
  const value = multiplyAmounts(price, amount);
  if (price > COIN && value < amount) {
    throw new TxRejected(`Value/price too high (${formatAmount(amount)}/${formatAmount(price)})`);
  }
  return value;
}
