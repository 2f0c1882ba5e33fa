import { byteString } from '../../dfi/kernel/text.js';
import { type PricePair, pricePair } from '../../dfi/oracles/columns.js';
import { encode, i64, list, mapped, struct, u32, u32be, u64 } from '../../primitives/codec.js';
import type { Column, WritableView } from '../../storage/view.js';
import { roundedQuotient } from '../../util/numbers.js';
import type { IndexedBlock } from './indexed-block.js';
import type { AggregatedPrice } from './prices.js';

/** Lengths of the intervals, in seconds. */
export const PRICE_INTERVALS: readonly number[] = [900, 3600, 86_400];

/** A pair and the length of its intervals. */
export interface PairInterval extends PricePair {
  readonly interval: number;
}

/** An interval by its first block. */
export interface PairIntervalAtHeight extends PairInterval {
  readonly height: number;
}

/**
 * Mean of the prices in an interval. The mean amount is rounded after each price, as clients know it. The other means are computed from
 * stored sums when they are shown, so that they do not drift.
 */
export interface IntervalPrice {
  /** Median time of the first block. */
  readonly medianTime: number;
  /** Number of prices. */
  readonly count: number;
  /** Mean, satoshis of the currency for one token. */
  readonly amount: bigint;
  readonly weightageSum: number;
  readonly activeSum: number;
  readonly totalSum: number;
}

const sum = mapped(u64, Number, BigInt);
const pairInterval = struct<PairInterval>({ token: byteString, currency: byteString, interval: u32be });

/** Prices of intervals. */
export const intervalPrices: Column<PairIntervalAtHeight, IntervalPrice> = {
  name: 'ocean/interval-price',
  key: struct<PairIntervalAtHeight>({ token: byteString, currency: byteString, interval: u32be, height: u32be }),
  value: struct<IntervalPrice>({ medianTime: u32, count: u32, amount: i64, weightageSum: sum, activeSum: sum, totalSum: sum }),
};

/** Heights of the first blocks of the newest intervals, in the order of {@link PRICE_INTERVALS}. */
export const newestIntervals: Column<PricePair, readonly number[]> = { name: 'ocean/newest-intervals', key: pricePair, value: list(u32) };

/** Prefix of the keys of all intervals of a pair and length. */
export function intervalsPrefix(key: PairInterval): Uint8Array {
  return encode(pairInterval, key);
}

/**
 * Adds a price of a block to the newest intervals of its pair, or opens new intervals. An interval begins with the first price after the
 * end of the previous one, not at a round time.
 * @see docs/protocol/ocean.md 4.4
 */
export function addToIntervals(view: WritableView, { entry }: Pick<IndexedBlock, 'entry'>, pair: PricePair, price: AggregatedPrice): void {
  const medianTime = entry.medianTimePast();
  const newest = view.get(newestIntervals, pair);
  const keys = PRICE_INTERVALS.map((interval, i) => ({ ...pair, interval, height: newest?.[i] ?? entry.height }));
  const known = newest && view.getMany(intervalPrices, keys);
  const heights = keys.map((key, i) => {
    const before = known?.[i];
    const isOpen = before !== undefined && medianTime - before.medianTime <= key.interval;
    const height = isOpen ? key.height : entry.height;
    view.put(intervalPrices, { ...key, height }, joined(isOpen ? before : { ...EMPTY, medianTime }, price));
    return height;
  });
  if (heights.some((height, i) => height !== newest?.[i])) view.put(newestIntervals, pair, heights);
}

const EMPTY = { count: 0, amount: 0n, weightageSum: 0, activeSum: 0, totalSum: 0 };

function joined(before: IntervalPrice, { amount, weightage, active, total }: AggregatedPrice): IntervalPrice {
  const count = before.count + 1;
  return {
    medianTime: before.medianTime,
    count,
    amount: roundedQuotient(before.amount * BigInt(before.count) + amount, BigInt(count)),
    weightageSum: before.weightageSum + weightage,
    activeSum: before.activeSum + active,
    totalSum: before.totalSum + total,
  };
}
