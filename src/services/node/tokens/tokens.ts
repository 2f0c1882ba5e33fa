import type {
  GetTokenRequest,
  GetTokenResponse,
  ListTokensRequest,
  ListTokensResponse,
  Token as ShownToken,
} from '../../../../gen/ts/dfi/node/v1/tokens.js';
import { readState } from '../../../chain/read-state.js';
import { listTokens as tokensOf } from '../../../dfi/tokens/columns.js';
import { findTokenByText } from '../../../dfi/tokens/queries.js';
import type { Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import { strictFlag } from '../../format/options-object.js';
import { firstId, pageLimit } from '../../format/page.js';
import { formatToken, formatTokenNames } from '../../format/token.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params' | 'state' | 'snapshot'> };

export const listTokens: Handler<Modules, ListTokensRequest, ListTokensResponse> = ({ chain }, request, call) => {
  const verbose = strictFlag(request, 'verbose') ?? true;
  const limit = pageLimit(request.limit);
  const first = firstId(request);
  return readState(chain, call, function* answer(state) {
    const tokens: Record<number, ShownToken> = {};
    let count = 0;
    for (const found of tokensOf(state, first)) {
      if (count >= limit) break;
      count += 1;
      tokens[found.id] = verbose ? formatToken(found, { state, params: chain.params }) : formatTokenNames(found);
      yield;
    }
    return { tokens };
  });
};

export const getToken: Handler<Modules, GetTokenRequest, GetTokenResponse> = ({ chain }, { key }) => {
  const found = findTokenByText(chain.state, key);
  if (!found) throw new NodeError('not-found', 'Token not found');
  return { tokens: { [found.id]: formatToken(found, chain) } };
};
