import type {
  FixedIntervalPrice,
  GetFixedIntervalPriceRequest,
  GetFixedIntervalPriceResponse,
  ListFixedIntervalPricesRequest,
  ListFixedIntervalPricesResponse,
} from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import { readState } from '../../chain/read-state.js';
import { TxRejected } from '../../dfi/kernel/rejected.js';
import { readableText } from '../../dfi/kernel/text.js';
import { formatPair, type PricePair } from '../../dfi/oracles/columns.js';
import { type FixedPrice, fixedPrices, isLive, priceInterval, requireFixedPrice } from '../../dfi/oracles/fixed-prices.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { pageLimit, parsePairId } from './arguments.js';
import type { OraclesModules } from './modules.js';

export const getFixedIntervalPrice: Handler<OraclesModules, GetFixedIntervalPriceRequest, GetFixedIntervalPriceResponse> = (
  { chain },
  { fixedintervalpriceid: id },
) => {
  if (id === '') throw invalidParameter('Invalid parameters, argument "fixedIntervalPriceId" must be non-null');
  const price = findPrice(chain.state, parsePairId(id));
  const interval = priceInterval(chain.state, chain.params);
  const nextBlock = chain.tip.height + interval - (chain.tip.height % interval);
  return {
    fixedintervalpriceid: id,
    activeprice: price.active,
    nextprice: price.next,
    activepriceblock: nextBlock - interval,
    nextpriceblock: nextBlock,
    timestamp: price.timestamp,
    islive: isLive(chain.state, price),
  };
};

function findPrice(view: StateView, pair: PricePair): FixedPrice {
  try {
    return requireFixedPrice(view, pair);
  } catch (error) {
    if (error instanceof TxRejected) throw new NodeError('not-found', error.message, { cause: error });
    throw error;
  }
}

export const listFixedIntervalPrices: Handler<OraclesModules, ListFixedIntervalPricesRequest, ListFixedIntervalPricesResponse> = (
  { chain },
  request,
  call,
) => {
  const limit = pageLimit(request.limit);
  const from = request.start === undefined ? undefined : parsePairId(request.start);
  return readState(chain, call, function* answer(state) {
    const prices: FixedIntervalPrice[] = [];
    for (const [pair, price] of state.entries(fixedPrices, from ? { from } : {})) {
      if (prices.length >= limit) break;
      prices.push({
        pricefeedid: readableText(formatPair(pair)),
        activeprice: price.active,
        nextprice: price.next,
        timestamp: price.timestamp,
        islive: isLive(state, price),
      });
      yield;
    }
    return { prices };
  });
};
