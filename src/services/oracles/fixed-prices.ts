import type {
  FixedIntervalPrice,
  GetFixedIntervalPriceRequest,
  GetFixedIntervalPriceResponse,
  ListFixedIntervalPricesRequest,
  ListFixedIntervalPricesResponse,
} from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import { readState } from '../../chain/read-state.js';
import type { HeightContext } from '../../dfi/kernel/block-context.js';
import { FormatFault, formattedTwice, TxRejected } from '../../dfi/kernel/rejected.js';
import { readableText } from '../../dfi/kernel/text.js';
import { formatPair, type PricePair } from '../../dfi/oracles/columns.js';
import { type FixedPrice, fixedPrices, isLive, priceInterval, requireFixedPrice } from '../../dfi/oracles/fixed-prices.js';
import type { Handler } from '../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { formatSigned32 } from '../format/numbers.js';
import { pageLimit } from '../format/page.js';
import { parsePairId } from './arguments.js';
import type { OraclesModules } from './modules.js';

export const getFixedIntervalPrice: Handler<OraclesModules, GetFixedIntervalPriceRequest, GetFixedIntervalPriceResponse> = (
  { chain },
  { fixedintervalpriceid: id },
) => {
  if (id === '') throw invalidParameter('Invalid parameters, argument "fixedIntervalPriceId" must be non-null');
  const price = findPrice(chain, parsePairId(id));
  const interval = priceInterval(chain.state, chain.params);
  const activeBlock = chain.tip.height - (chain.tip.height % interval);
  return {
    fixedintervalpriceid: id,
    activeprice: price.active,
    nextprice: price.next,
    activepriceblock: activeBlock,
    nextpriceblock: formatSigned32(activeBlock + interval),
    timestamp: price.timestamp,
    islive: isLive(chain.state, price),
  };
};

function findPrice({ state, params, tip }: OraclesModules['chain'], pair: PricePair): FixedPrice {
  try {
    return requireFixedPrice(state, pair);
  } catch (error) {
    if (error instanceof TxRejected) throw new NodeError('not-found', textOf(error, { height: tip.height, params }), { cause: error });
    throw error;
  }
}

/** @throws {NodeError} `misc` if `defid` fails to format the text */
function textOf({ message }: TxRejected, at: HeightContext): string {
  try {
    return formattedTwice(message, at);
  } catch (error) {
    if (error instanceof FormatFault) throw new NodeError('misc', error.message, { cause: error });
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
