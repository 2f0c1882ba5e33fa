import type { PricePair } from '../../dfi/oracles/columns.js';
import { formatHash } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { compareUtf8 } from '../../util/bytes.js';
import { page } from '../api/page.js';
import { invalidNext, type PageRequest, pageOf, pathInteger } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { lastSortNumber, sortHash, sortNumbers } from '../api/sort-cursor.js';
import { newestActivePrices } from '../index/active-prices.js';
import { intervalPrices, intervalsPrefix, PRICE_INTERVALS } from '../index/interval-prices.js';
import { pairPrefix } from '../index/keys.js';
import { newestReports, oraclesOfPair } from '../index/oracles.js';
import { aggregatedPrices, type Ticker, tickers } from '../index/prices.js';
import { rowsBehind } from '../index/seek.js';
import { shownActivePrice } from '../shapes/active-price.js';
import { blockRefAt } from '../shapes/block-ref.js';
import { hex8 } from '../shapes/numbers.js';
import { shownOracleOfPair } from '../shapes/oracle.js';
import { intervalFeed, priceFeed, shownTicker, tickerSort, timeSort } from '../shapes/price.js';
import { pathPair } from './path-pair.js';

/** Prices. @see docs/protocol/ocean.md 2.9 */
export const priceRoutes: readonly Route[] = [
  get('prices', (modules, request) => {
    const asked = pageOf(request);
    const found = tickersBelow(modules.rows.view, placeBefore(asked), asked.size);
    return page(
      found,
      asked,
      ({ sort }) => sort,
      ({ pair, ticker }) => shownTicker(modules, pair, ticker),
    );
  }),
  get('prices/{token}-{currency}', (modules, request) => {
    const pair = pathPair(request);
    const ticker = modules.rows.view.get(tickers, pair);
    return { data: ticker && shownTicker(modules, pair, ticker) };
  }),
  get('prices/{token}-{currency}/feed', (modules, request) => {
    const asked = pageOf(request);
    const pair = pathPair(request);
    const height = heightBefore(asked, 2);
    const key = height === undefined ? undefined : { ...pair, height };
    return page(
      rowsBehind(modules.rows.view, aggregatedPrices, { prefix: pairPrefix(pair), behind: key, reverse: true }, asked.size),
      asked,
      ([{ height }]) => timeSort(blockRefAt(modules, height)),
      ([at, price]) => priceFeed(modules, at, price),
    );
  }),
  get('prices/{token}-{currency}/feed/active', (modules, request) => {
    const asked = pageOf(request);
    return page(
      newestActivePrices(modules.rows.view, pathPair(request), asked.size, heightBefore(asked, 1)),
      asked,
      ([{ height }]) => hex8(height),
      ([at, price]) => shownActivePrice(modules, at, price),
    );
  }),
  get('prices/{token}-{currency}/feed/interval/{interval}', (modules, request) => {
    const asked = pageOf(request);
    const interval = pathInteger(request, 'interval');
    if (!PRICE_INTERVALS.includes(interval)) return { data: [] };
    const of = { ...pathPair(request), interval };
    const height = heightBefore(asked, 2);
    const key = height === undefined ? undefined : { ...of, height };
    return page(
      rowsBehind(modules.rows.view, intervalPrices, { prefix: intervalsPrefix(of), behind: key, reverse: true }, asked.size),
      asked,
      ([{ height }]) => timeSort(blockRefAt(modules, height)),
      ([at, price]) => intervalFeed(modules, at, price),
    );
  }),
  get('prices/{token}-{currency}/oracles', (modules, request) => {
    const asked = pageOf(request);
    const pair = pathPair(request);
    const below = asked.next === undefined ? undefined : formatHash(sortHash(asked.next));
    const all = [...(modules.rows.view.get(oraclesOfPair, pair) ?? [])].reverse();
    const found = all.filter(({ oracleId }) => below === undefined || formatHash(oracleId) < below).slice(0, asked.size);
    return page(
      found,
      asked,
      ({ oracleId }) => formatHash(oracleId),
      (oracle) => shownOracleOfPair(modules, pair, oracle, newestReports(modules.rows.view, { ...pair, oracleId: oracle.oracleId }, 1)[0]),
    );
  }),
];

/** Height in a cursor, whose `count` numbers end with it. */
function heightBefore({ next }: PageRequest, count: number): number | undefined {
  return next === undefined ? undefined : lastSortNumber(next, count);
}

/** Text below which the page begins. @throws {OceanError} for a cursor that is not of this list */
function placeBefore({ next }: PageRequest): string | undefined {
  if (next !== undefined && sortNumbers(next, 2)[1] === '') throw invalidNext();
  return next;
}

interface PlacedTicker {
  readonly pair: PricePair;
  readonly ticker: Ticker;
  readonly sort: string;
}

/** Tickers in their order, the highest first. There are few pairs, and their places change all the time, so they are sorted here. */
function tickersBelow(view: StateView, below: string | undefined, count: number): readonly PlacedTicker[] {
  const placed = [...view.entries(tickers)].map(([pair, ticker]) => ({ pair, ticker, sort: tickerSort(pair, ticker) }));
  const found = placed.filter(({ sort }) => below === undefined || compareUtf8(sort, below) < 0);
  return found.sort((a, b) => compareUtf8(b.sort, a.sort)).slice(0, count);
}
