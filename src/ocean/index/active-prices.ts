import { isRecent, type PricePair } from '../../dfi/oracles/columns.js';
import { optional, struct } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import type { IndexedBlock } from './indexed-block.js';
import { type PairAtHeight, pairAtHeight, pairPrefix } from './keys.js';
import { type AggregatedPrice, aggregatedPriceCodec, type Ticker, tickers } from './prices.js';
import { rowsBehind } from './seek.js';

/**
 * Price of an interval of blocks and of the next one, as loans use them. It is computed from the tickers and not from the state, which
 * lacks weights and numbers of oracles; it differs from the state where governance changed the interval.
 */
export interface ActivePrice {
  readonly active: AggregatedPrice | undefined;
  readonly next: AggregatedPrice | undefined;
}

/** Active prices by pair and the height from which they hold. */
export const activePrices: Column<PairAtHeight, ActivePrice> = {
  name: 'ocean/active-price',
  key: pairAtHeight,
  value: struct<ActivePrice>({ active: optional(aggregatedPriceCodec), next: optional(aggregatedPriceCodec) }),
};

/** Fewest oracles whose mean becomes the next price. */
const MIN_ORACLES = 2;

/** True if both prices are known and differ by less than 30 %. */
export function isLivePrice({ active, next }: ActivePrice): boolean {
  if (!active || !next || active.amount <= 0n || next.amount <= 0n) return false;
  const change = next.amount - active.amount;
  return (change < 0n ? -change : change) * 10n < active.amount * 3n;
}

/** Active prices of a pair, the newest first. @param below height below which they begin; undefined for the newest */
export function newestActivePrices(
  view: StateView,
  pair: PricePair,
  count: number,
  below?: number,
): (readonly [PairAtHeight, ActivePrice])[] {
  const key = below === undefined ? undefined : { ...pair, height: below };
  return rowsBehind(view, activePrices, { prefix: pairPrefix(pair), behind: key, reverse: true }, count);
}

/**
 * Makes the next price of a pair the active one, and its ticker the next one. No effect without a ticker.
 * @see docs/protocol/ocean.md 4.4
 */
export function advanceActivePrice(view: WritableView, block: Pick<IndexedBlock, 'entry'>, pair: PricePair): void {
  const ticker = view.get(tickers, pair);
  if (ticker) advance(view, block, pair, ticker);
}

/** Makes the next prices of all pairs with a ticker the active ones, and their tickers the next ones. */
export function advanceActivePrices(view: WritableView, block: Pick<IndexedBlock, 'entry'>): void {
  for (const [pair, ticker] of view.entries(tickers)) advance(view, block, pair, ticker);
}

function advance(view: WritableView, { entry }: Pick<IndexedBlock, 'entry'>, pair: PricePair, ticker: Ticker): void {
  const [last] = newestActivePrices(view, pair, 1);
  const active = last?.[1].next ?? last?.[1].active;
  view.put(activePrices, { ...pair, height: entry.height }, { active, next: isUsable(ticker, entry) ? ticker : undefined });
}

function isUsable({ height, active, weightage }: Ticker, entry: IndexedBlock['entry']): boolean {
  const reported = entry.ancestor(height);
  return reported !== undefined && isRecent(BigInt(reported.time), entry.time) && active >= MIN_ORACLES && weightage > 0;
}
