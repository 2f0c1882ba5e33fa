import { readableText } from '../../dfi/kernel/text.js';
import { isRecent, type PricePair, pricePair } from '../../dfi/oracles/columns.js';
import { compactSize, i64, struct, u32 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { roundedQuotient } from '../../util/numbers.js';
import type { IndexedBlock } from './indexed-block.js';
import { type PairAtHeight, pairAtHeight } from './keys.js';
import { oraclesOfPair } from './oracles.js';

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

/** Number of pairs that ever had a price. */
export function tickerCount(view: StateView): number {
  return [...view.entries(tickers)].length;
}

/** `token-currency`, readable. */
export function pairName({ token, currency }: PricePair): string {
  return readableText(`${token}-${currency}`);
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
  view.put(tickers, pair, { ...price, height });
  return price;
}

/** @param time of the block, which decides which reports are recent */
function aggregate(view: StateView, pair: PricePair, time: number): AggregatedPrice | undefined {
  let [sum, weightage, active] = [0n, 0, 0];
  const all = view.get(oraclesOfPair, pair) ?? [];
  for (const { weight, latest } of all) {
    if (weight === 0 || !latest || !isRecent(latest.timestamp, time)) continue;
    active += 1;
    weightage += weight;
    sum += latest.amount * BigInt(weight);
  }
  return active === 0 ? undefined : { amount: roundedQuotient(sum, BigInt(weightage)), weightage, active, total: all.length };
}
