import { formatHash } from '../../primitives/hash.js';
import { page } from '../api/page.js';
import { invalidNext, type PageRequest, pageOf, pathInteger } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { lastSortNumber, sortHash, sortNumbers } from '../api/sort-token.js';
import { newestActivePrices } from '../index/active-prices.js';
import { intervalPrices, intervalsPrefix, PRICE_INTERVALS } from '../index/interval-prices.js';
import { oraclesOfPair, pairPrefix } from '../index/oracles.js';
import { aggregatedPrices, type TickerPlace, tickerPlaces, tickers } from '../index/prices.js';
import { rowsBelow } from '../index/rows-below.js';
import { shownActivePrice } from '../shapes/active-price.js';
import { blockRefAt } from '../shapes/block-ref.js';
import { hex8 } from '../shapes/numbers.js';
import { shownOracleOfPair } from '../shapes/oracle.js';
import { intervalFeed, priceFeed, shownTicker, tickerSort, timeSort } from '../shapes/price.js';
import { pathPair } from './path-pair.js';

/** Prices. @see docs/protocol/ocean.md 2.9 */
export const priceRoutes: readonly Route[] = [
  get('prices', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    const { view } = rows;
    const places = rowsBelow(view, tickerPlaces, { key: placeBefore(asked), count: asked.size });
    const found = places.flatMap(([, pair]) => {
      const ticker = view.get(tickers, pair);
      return ticker ? [{ pair, ticker }] : [];
    });
    return page(
      found,
      asked,
      ({ pair, ticker }) => tickerSort(pair, ticker),
      ({ pair, ticker }) => shownTicker(chain, pair, ticker),
    );
  }),
  get('prices/{token}-{currency}', ({ rows, chain }, request) => {
    const pair = pathPair(request);
    const ticker = rows.view.get(tickers, pair);
    return { data: ticker && shownTicker(chain, pair, ticker) };
  }),
  get('prices/{token}-{currency}/feed', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    const pair = pathPair(request);
    const height = heightBefore(asked, 2);
    const key = height === undefined ? undefined : { ...pair, height };
    return page(
      rowsBelow(rows.view, aggregatedPrices, { prefix: pairPrefix(pair), key, count: asked.size }),
      asked,
      ([{ height }]) => timeSort(blockRefAt(chain, height)),
      ([at, price]) => priceFeed(chain, at, price),
    );
  }),
  get('prices/{token}-{currency}/feed/active', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    return page(
      newestActivePrices(rows.view, pathPair(request), asked.size, heightBefore(asked, 1)),
      asked,
      ([{ height }]) => hex8(height),
      ([at, price]) => shownActivePrice(chain, at, price),
    );
  }),
  get('prices/{token}-{currency}/feed/interval/{interval}', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    const interval = pathInteger(request, 'interval');
    if (!PRICE_INTERVALS.includes(interval)) return { data: [] };
    const of = { ...pathPair(request), interval };
    const height = heightBefore(asked, 2);
    const key = height === undefined ? undefined : { ...of, height };
    return page(
      rowsBelow(rows.view, intervalPrices, { prefix: intervalsPrefix(of), key, count: asked.size }),
      asked,
      ([{ height }]) => timeSort(blockRefAt(chain, height)),
      ([at, price]) => intervalFeed(chain, at, price),
    );
  }),
  get('prices/{token}-{currency}/oracles', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    const pair = pathPair(request);
    const key = asked.next === undefined ? undefined : { ...pair, oracleId: sortHash(asked.next) };
    return page(
      rowsBelow(rows.view, oraclesOfPair, { prefix: pairPrefix(pair), key, count: asked.size }),
      asked,
      ([{ oracleId }]) => formatHash(oracleId),
      ([at, oracle]) => shownOracleOfPair(chain, at, oracle),
    );
  }),
];

/** Height in the token of a page, whose `count` numbers end with it. */
function heightBefore({ next }: PageRequest, count: number): number | undefined {
  return next === undefined ? undefined : lastSortNumber(next, count);
}

function placeBefore({ next }: PageRequest): TickerPlace | undefined {
  if (next === undefined) return undefined;
  const [[total = 0, height = 0], name] = sortNumbers(next, 2);
  if (name === '') throw invalidNext();
  return { total, height, name };
}
