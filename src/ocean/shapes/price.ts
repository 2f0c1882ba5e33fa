import { readableText } from '../../dfi/kernel/text.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { formatAmount } from '../../primitives/amount.js';
import type { IntervalPrice, PairIntervalAtHeight } from '../index/interval-prices.js';
import type { PairAtHeight } from '../index/keys.js';
import { type AggregatedPrice, pairName, type Ticker } from '../index/prices.js';
import { type BlockRef, type BlockSource, blockRefAt } from './block-ref.js';
import { hex8 } from './numbers.js';

/** Token and currency as texts. */
export function shownPair({ token, currency }: PricePair) {
  return { token: readableText(token), currency: readableText(currency) };
}

/** Place of a price in lists by time. */
export function timeSort({ height, medianTime }: Pick<BlockRef, 'height' | 'medianTime'>): string {
  return hex8(medianTime) + hex8(height);
}

/** Price with the oracles behind it. */
export function shownPrice({ amount, weightage, active, total }: AggregatedPrice) {
  return { amount: formatAmount(amount), weightage, oracles: { active, total } };
}

/** Price of a block. @see docs/protocol/ocean.md 2.9 */
export function priceFeed(blocks: BlockSource, at: PairAtHeight, price: AggregatedPrice) {
  const block = blockRefAt(blocks, at.height);
  const key = pairName(at);
  return { id: `${key}-${at.height}`, key, sort: timeSort(block), ...shownPair(at), aggregated: shownPrice(price), block };
}

/** Place of a ticker in their list. */
export function tickerSort(pair: PricePair, { total, height }: Pick<Ticker, 'total' | 'height'>): string {
  return hex8(total) + hex8(height) + pairName(pair);
}

/** Newest price of a pair. */
export function shownTicker(blocks: BlockSource, pair: PricePair, ticker: Ticker) {
  const { height } = ticker;
  return { id: pairName(pair), sort: tickerSort(pair, ticker), price: priceFeed(blocks, { ...pair, height }, ticker) };
}

/** Mean price of an interval. Its means of weights and numbers of oracles may have fractions. */
export function intervalFeed(blocks: BlockSource, at: PairIntervalAtHeight, price: IntervalPrice) {
  const { interval, height } = at;
  const block = blockRefAt(blocks, height);
  const key = `${pairName(at)}-${interval}`;
  const start = block.medianTime - (block.medianTime % interval);
  const { amount, count } = price;
  const aggregated = {
    amount: formatAmount(amount),
    weightage: price.weightageSum / count,
    count,
    oracles: { active: price.activeSum / count, total: price.totalSum / count },
    time: { interval, start, end: start + interval },
  };
  return { id: `${key}-${height}`, key, sort: timeSort(block), ...shownPair(at), aggregated, block };
}
