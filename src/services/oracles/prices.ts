import type {
  AggregatePrice,
  GetPriceRequest,
  GetPriceResponse,
  ListLatestRawPricesRequest,
  ListLatestRawPricesResponse,
  ListPricesRequest,
  ListPricesResponse,
  PriceFeed,
  RawPrice,
} from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import { readState } from '../../chain/read-state.js';
import { readableText } from '../../dfi/kernel/text.js';
import { aggregatePrice, isRecent, isSamePair, type Oracle, oracles, type PricePair, toPairs } from '../../dfi/oracles/columns.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { requestJsonObject } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { neededElements } from '../../rpc/page-range.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import type { Steps } from '../../util/slicer.js';
import { firstId, pageLimit } from '../format/page.js';
import { requirePair } from './arguments.js';
import type { OraclesModules } from './modules.js';
import { oraclesFrom } from './page.js';

/** Pair of token and currency as operations show it. */
export function formatFeed({ token, currency }: PricePair): PriceFeed {
  return { token: readableText(token), currency: readableText(currency) };
}

export const getPrice: Handler<OraclesModules, GetPriceRequest, GetPriceResponse> = ({ chain }, request, call) => {
  const { price, failure } = aggregatePrice(chain.state, requirePair(request, call), chain.tip.time, chain.params);
  if (price === undefined) throw new NodeError('misc', failure);
  return { price };
};

/** Pairs of all oracles, each with its price or the reason that it has none. */
export const listPrices: Handler<OraclesModules, ListPricesRequest, ListPricesResponse> = ({ chain }, request, call) => {
  const limit = pageLimit(request.limit);
  const first = firstId(request);
  const { params, tip } = chain;
  return readState(chain, call, function* answer(state) {
    const pairs = yield* allPairs(state);
    // `defid` refuses an empty list too; the page of one is empty.
    if (first >= pairs.length && !neededElements(request))
      throw new NodeError('misc', 'start index greater than number of prices available');
    const prices: AggregatePrice[] = [];
    for (const pair of pairs.slice(first, first + limit)) {
      prices.push(formatPrice(pair, { state, tip, params }));
      yield;
    }
    return { prices };
  });
};

/** Pairs of all oracles, in order, each once. */
function* allPairs(view: StateView): Steps<readonly PricePair[]> {
  const found = new Map<string, PricePair>();
  for (const [, { pairs }] of view.entries(oracles)) {
    for (const pair of pairs) found.set(`${pair.token.length} ${pair.token}${pair.currency}`, pair);
    yield;
  }
  return toPairs([...found.values()]);
}

function formatPrice(pair: PricePair, { state, tip, params }: Pick<OraclesModules['chain'], 'state' | 'tip' | 'params'>): AggregatePrice {
  const { price, failure } = aggregatePrice(state, pair, tip.time, params);
  return {
    ...formatFeed(pair),
    price,
    ok: { form: failure === undefined ? { $case: 'ok', value: true } : { $case: 'error', value: failure } },
  };
}

/** Lists raw prices. The limit is checked only after each oracle, and ends the list only if it is met exactly. */
export const listLatestRawPrices: Handler<OraclesModules, ListLatestRawPricesRequest, ListLatestRawPricesResponse> = (
  { chain },
  request,
  call,
) => {
  const start = request.start === undefined ? undefined : parseHash(request.start, 'start');
  const includingStart = request.includingStart ?? true;
  const limit = pageLimit(request.limit);
  const wanted = wantsAllPairs(request, call.dialect) ? undefined : requirePair(request, call);
  const { time } = chain.tip;
  return readState(chain, call, function* answer(state) {
    let left = limit;
    const prices: RawPrice[] = [];
    for (const [id, oracle] of oraclesFrom(state, start, includingStart)) {
      yield;
      if (wanted && !oracle.pairs.some((pair) => isSamePair(pair, wanted))) continue;
      const own = oracle.prices.filter((price) => !wanted || isSamePair(price, wanted));
      prices.push(...own.map((price) => formatRawPrice(id, oracle, price, time)));
      left -= own.length;
      if (left === 0) break;
    }
    return { prices };
  });
};

/** True if all pairs are requested: over JSON-RPC by no argument at all. An empty object is a pair without its members. */
function wantsAllPairs(request: ListLatestRawPricesRequest, dialect: 'json-rpc' | 'document'): boolean {
  return dialect === 'json-rpc' && !requestJsonObject(request) && request.token === undefined && request.currency === undefined;
}

function formatRawPrice(id: Hash256, { weight }: Oracle, price: Oracle['prices'][number], time: number): RawPrice {
  return {
    pricefeeds: formatFeed(price),
    oracleid: formatHash(id),
    weightage: weight,
    timestamp: price.timestamp,
    rawprice: price.price,
    state: isRecent(price.timestamp, time) ? 'live' : 'expired',
  };
}
