import { readableText } from '../../dfi/kernel/text.js';
import { isRecent, type PricePair, pricePair } from '../../dfi/oracles/columns.js';
import { compactSize, i64, mapped, restBytes, struct, u32, u32be } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import type { IndexedBlock } from './indexed-block.js';
import { type PairAtHeight, pairAtHeight } from './keys.js';
import { oraclesOfPair, pairPrefix } from './oracles.js';

/** Mean of the recent reports for a pair, by the weights of the oracles. */
export interface AggregatedPrice {
  /** Satoshis of the currency for one token. */
  readonly amount: bigint;
  /** Sum of the weights of the oracles that count. */
  readonly weightage: number;
  /** Oracles with a weight and a recent report. */
  readonly active: number;
  /** Oracles that may report the pair. */
  readonly total: number;
}

const priceFields = { amount: i64, weightage: compactSize, active: compactSize, total: compactSize };

export const aggregatedPriceCodec = struct<AggregatedPrice>(priceFields);

/** Prices of the blocks in which an oracle reported the pair. */
export const aggregatedPrices: Column<PairAtHeight, AggregatedPrice> = {
  name: 'ocean/aggregated-price',
  key: pairAtHeight,
  value: aggregatedPriceCodec,
};

/** Newest price of a pair, and the height of its block. */
export interface Ticker extends AggregatedPrice {
  readonly height: number;
}

/** Newest prices by pair. They stay when all oracles of the pair are gone. */
export const tickers: Column<PricePair, Ticker> = {
  name: 'ocean/ticker',
  key: pricePair,
  value: struct<Ticker>({ ...priceFields, height: u32 }),
};

/** Place of a ticker in the list of all. */
export interface TickerPlace {
  readonly total: number;
  readonly height: number;
  /** `token-currency`. */
  readonly name: string;
}

/** Pairs with a ticker, in the order of their list. */
export const tickerPlaces: Column<TickerPlace, PricePair> = {
  name: 'ocean/ticker-place',
  key: struct<TickerPlace>({
    total: u32be,
    height: u32be,
    name: mapped(
      restBytes,
      (bytes) => Buffer.from(bytes).toString('utf8'),
      (text) => Buffer.from(text, 'utf8'),
    ),
  }),
  value: pricePair,
};

/** `token-currency`, readable. */
export function pairName({ token, currency }: PricePair): string {
  return readableText(`${token}-${currency}`);
}

export function tickerPlace(pair: PricePair, { total, height }: Pick<Ticker, 'total' | 'height'>): TickerPlace {
  return { total, height, name: pairName(pair) };
}

/**
 * Adds the price of a pair after a report. A later report in the same block replaces it.
 * @returns undefined if no oracle with a weight has a recent report: then nothing is added
 * @see docs/protocol/ocean.md 4.4
 */
export function addPrice(view: WritableView, { entry }: Pick<IndexedBlock, 'entry'>, pair: PricePair): AggregatedPrice | undefined {
  const { height, time } = entry;
  const price = aggregate(view, pair, time);
  if (!price) return undefined;
  view.put(aggregatedPrices, { ...pair, height }, price);
  const before = view.get(tickers, pair);
  const ticker = { ...price, height };
  if (before) view.delete(tickerPlaces, tickerPlace(pair, before));
  view.put(tickers, pair, ticker);
  view.put(tickerPlaces, tickerPlace(pair, ticker), pair);
  return price;
}

/** @param time of the block, which decides which reports are recent */
function aggregate(view: StateView, pair: PricePair, time: number): AggregatedPrice | undefined {
  let [sum, weightage, active, total] = [0n, 0, 0, 0];
  for (const [, { weight, latest }] of view.entries(oraclesOfPair, { prefix: pairPrefix(pair) })) {
    total += 1;
    if (weight === 0 || !latest || !isRecent(latest.timestamp, time)) continue;
    active += 1;
    weightage += weight;
    sum += latest.amount * BigInt(weight);
  }
  return active === 0 ? undefined : { amount: quotient(sum, BigInt(weightage)), weightage, active, total };
}

/** Quotient of two integers, the second positive, rounded to the nearest integer and halves away from zero. */
export function quotient(dividend: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return dividend < 0n ? -((-dividend + half) / divisor) : (dividend + half) / divisor;
}
