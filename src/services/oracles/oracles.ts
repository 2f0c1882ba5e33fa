import type {
  GetOracleDataRequest,
  GetOracleDataResponse,
  ListOraclesRequest,
  ListOraclesResponse,
} from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import { readState } from '../../chain/read-state.js';
import { oracles } from '../../dfi/oracles/columns.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { pageLimit } from '../format/page.js';
import type { OraclesModules } from './modules.js';
import { oraclesFrom } from './page.js';
import { formatFeed } from './prices.js';

export const getOracleData: Handler<OraclesModules, GetOracleDataRequest, GetOracleDataResponse> = ({ chain }, request) => {
  const id = parseHash(request.oracleid, 'oracleid');
  const oracle = chain.state.get(oracles, id);
  if (!oracle) throw new NodeError('record-not-found', `oracle <${formatHash(id)}> not found`);
  return {
    weightage: oracle.weight,
    oracleid: formatHash(id),
    address: toHex(oracle.address),
    pricefeeds: oracle.pairs.map(formatFeed),
    tokenprices: oracle.prices.map(({ price, timestamp, ...pair }) => ({ ...formatFeed(pair), amount: price, timestamp })),
  };
};

export const listOracles: Handler<OraclesModules, ListOraclesRequest, ListOraclesResponse> = ({ chain }, request, call) => {
  const start = request.start === undefined ? undefined : parseHash(request.start, 'start');
  const includingStart = request.includingStart ?? true;
  const limit = pageLimit(request.limit);
  return readState(chain, call, function* answer(state) {
    const oracleids: string[] = [];
    for (const [id] of oraclesFrom(state, start, includingStart)) {
      if (oracleids.length >= limit) break;
      oracleids.push(formatHash(id));
      yield;
    }
    return { oracleids };
  });
};
