import type {
  GetTokenRequest,
  GetTokenResponse,
  ListTokensRequest,
  ListTokensResponse,
  Token as ShownToken,
} from '../../../gen/ts/dfi/node/v1/tokens.js';
import { guessToken } from '../../dfi/queries/tokens.js';
import { collateralTxOf, hasFlag, type IdentifiedToken, readableText, symbolKey, listTokens as tokensOf } from '../../dfi/state/tokens.js';
import { COLLATERAL_OUTPUT } from '../../dfi/tx/auth.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { addressesOf } from '../../script/address.js';
import { NodeError } from '../../util/errors.js';
import { pageLimit } from '../format/page.js';
import type { NodeModules } from './modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params' | 'state' | 'coin'> };

export const listTokens: Handler<Modules, ListTokensRequest, ListTokensResponse> = ({ chain }, request) => {
  const start = request.start === undefined ? undefined : Number(BigInt.asUintN(32, request.start));
  const includingStart = request.includingStart ?? start === undefined;
  const limit = pageLimit(request.limit);
  const verbose = request.verbose ?? true;
  const tokens: Record<number, ShownToken> = {};
  let count = 0;
  for (const found of tokensOf(chain.state, (start ?? 0) + (includingStart ? 0 : 1))) {
    if (count >= limit) break;
    count += 1;
    tokens[found.id] = verbose ? describe(found, chain) : nameOf(found);
  }
  return { tokens };
};

export const getToken: Handler<Modules, GetTokenRequest, GetTokenResponse> = ({ chain }, { key }) => {
  const found = guessToken(chain.state, key);
  if (!found) throw new NodeError('not-found', 'Token not found');
  return { tokens: { [found.id]: describe(found, chain) } };
};

function nameOf({ id, token }: IdentifiedToken): Pick<ShownToken, 'symbol' | 'symbolkey' | 'name'> {
  return { symbol: readableText(token.symbol), symbolkey: readableText(symbolKey(token, id)), name: readableText(token.name) };
}

function describe(found: IdentifiedToken, chain: Modules['chain']): ShownToken {
  const { token } = found;
  return {
    ...nameOf(found),
    decimal: token.decimal,
    limit: token.limit,
    mintable: hasFlag(token, 'mintable'),
    tradeable: hasFlag(token, 'tradeable'),
    isDat: hasFlag(token, 'dat'),
    isLps: hasFlag(token, 'poolShare'),
    finalized: hasFlag(token, 'finalized'),
    isloantoken: hasFlag(token, 'loanToken'),
    minted: token.minted,
    creationtx: formatHash(token.creationTx),
    creationheight: token.creationHeight,
    destructiontx: formatHash(token.destructionTx),
    destructionheight: token.destructionHeight,
    collateraladdress: collateralAddress(found, chain),
  };
}

/** Empty where the collateral is spent, or pays no single address. */
function collateralAddress({ id, token }: IdentifiedToken, chain: Modules['chain']): string {
  const collateral = chain.coin({ txid: collateralTxOf(chain.state, id, token), vout: COLLATERAL_OUTPUT });
  const [address = '', ...more] = collateral ? addressesOf(collateral.out.scriptPubKey, chain.params.address) : [];
  return more.length > 0 ? '' : address;
}
