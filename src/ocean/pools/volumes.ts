import type { StateView } from '../../storage/view.js';
import { firstOf } from '../../util/first-of.js';
import { bucketsOf, type SwapInterval, type SwapSum, sumsOf, swapBuckets, swapSums } from '../index/swaps.js';
import { Decimal } from './decimal.js';
import type { Market } from './market.js';
import { tokenUsd } from './usd.js';

/** Value of what was swapped in a pool, USD. */
export interface Volume {
  readonly h24: Decimal;
  readonly d30: Decimal;
}

/** Buckets of which a volume consists, the open one included. */
const WINDOWS: Readonly<Record<keyof Volume, { readonly interval: SwapInterval; readonly buckets: number }>> = {
  h24: { interval: 3600, buckets: 24 },
  d30: { interval: 86_400, buckets: 30 },
};

/** First bucket of each window; undefined while nothing is indexed. */
export type WindowStarts = Readonly<Record<keyof Volume, number | undefined>>;

/** Windows of all pools. Those of a pool that is younger have no swaps before it, so they need no start of their own. */
export function windowStarts(view: StateView): WindowStarts {
  return { h24: startOf(view, 'h24'), d30: startOf(view, 'd30') };
}

function startOf(view: StateView, window: keyof Volume): number | undefined {
  const { interval, buckets } = WINDOWS[window];
  return firstOf(view.entries(swapBuckets, { prefix: bucketsOf(interval), reverse: true }), buckets).at(-1)?.[0].bucket;
}

/** @see docs/protocol/ocean.md 3.1.4 */
export function volumeOf(view: StateView, pool: number, starts: WindowStarts, market: Market): Volume {
  const volume = (window: keyof Volume): Decimal => {
    const bucket = starts[window];
    if (bucket === undefined) return Decimal.ZERO;
    const { interval } = WINDOWS[window];
    const rows = view.entries(swapSums, { prefix: sumsOf(pool, interval), from: { pool, interval, bucket } });
    let sum = Decimal.ZERO;
    for (const [, sums] of rows) sum = sum.plus(usdOf(sums, market));
    return sum;
  };
  return { h24: volume('h24'), d30: volume('d30') };
}

/** Value of sums at the prices of the tip, USD. @see docs/protocol/ocean.md 3.1.5 */
export function usdOf(sums: readonly SwapSum[], market: Market): Decimal {
  return sums.reduce((sum, { tokenId, amount }) => sum.plus(tokenUsd(market, tokenId).times(Decimal.ofAmount(amount))), Decimal.ZERO);
}
