import { formatAmount } from '../../primitives/amount.js';
import { badRequest, notFound } from '../api/errors.js';
import type { Json, Reader } from '../api/json.js';
import { pathInteger } from '../api/request.js';
import { get, type OceanRequest, type Route } from '../api/route.js';
import type { OceanModules } from '../modules.js';
import { connectedTokens } from '../pools/graph.js';
import { type Market, market } from '../pools/market.js';
import { bestPath, feesOf, type Hop, pathsBetween, returnsTo } from '../pools/paths.js';
import { type KnownTokens, tokenOfSymbol } from '../shapes/known-tokens.js';
import { type TokenIdentifier, tokenIdentifier } from '../shapes/token.js';

/** Paths of swaps and prices by the best of them. @see docs/protocol/ocean.md 2.15, 3.2 */
export const pathRoutes: readonly Route[] = [
  get('poolpairs/paths/swappable/{token}', async (modules, request) => {
    const { tokens, graph } = await market(modules);
    const id = String(pathInteger(request, 'token'));
    const fromToken = requireToken(tokens, id);
    return { data: { fromToken, swappableTokens: connectedTokens(graph, id).map((each) => requireToken(tokens, each)) } };
  }),
  get('poolpairs/paths/from/{from}/to/{to}', async (modules, request) => {
    const { known, from, to, ends } = await endsOf(modules, request);
    const paths = pathsBetween(known.graph, from, to).map((path) => path.map((hop) => pathPool(known, hop)));
    return { data: { ...ends, paths } };
  }),
  get('poolpairs/paths/best/from/{from}/to/{to}', async (modules, request) => {
    const { known, from, to, ends } = await endsOf(modules, request);
    const { path, gross, net } = bestPath(known.graph, from, to);
    const estimatedReturn = shown(gross);
    return {
      data: { ...ends, bestPath: path.map((hop) => pathPool(known, hop)), estimatedReturn, estimatedReturnLessDexFees: shown(net) },
    };
  }),
  get('poolpairs/dexprices', async (modules, { query }) => {
    const symbol = query.get('denomination') ?? '';
    const { tokens, graph, results } = await market(modules);
    const denomination = tokenOfSymbol(tokens, symbol);
    if (!denomination) throw notFound(`Could not find token with symbol '${symbol}'`);
    if (!isPriced(denomination[1])) throw badRequest(`Token '${symbol}' is invalid as it is not tradeable`);
    const [id] = denomination;
    return { data: await results.get(`prices in token ${id}`, async () => dexPrices({ tokens, graph }, denomination)) };
  }),
];

function requireToken(tokens: KnownTokens, id: string): TokenIdentifier {
  const token = tokens.get(id);
  if (!token) throw notFound(`Unable to find token ${id}`);
  return tokenIdentifier(id, token);
}

/** Both ends of the paths that a client asks for. */
async function endsOf(modules: OceanModules, request: OceanRequest) {
  const from = String(pathInteger(request, 'from'));
  const to = String(pathInteger(request, 'to'));
  if (from === to) throw badRequest('Invalid tokens: fromToken must be different from toToken');
  const known = await market(modules);
  return { known, from, to, ends: { fromToken: requireToken(known.tokens, from), toToken: requireToken(known.tokens, to) } };
}

function pathPool({ tokens }: Pick<Market, 'tokens'>, hop: Hop) {
  const { id, symbol, a, b, ab, ba, commission } = hop.pool;
  return {
    poolPairId: id,
    symbol,
    tokenA: requireToken(tokens, a.tokenId),
    tokenB: requireToken(tokens, b.tokenId),
    priceRatio: { ab: shown(ab), ba: shown(ba) },
    commissionFeeInPct: shown(commission),
    estimatedDexFeesInPct: shownFees(hop),
  };
}

/**
 * Fees by token. Contrary to what the names of prices suggest, `ba` is the fee on token A. Absent if the pool charges no fee in any
 * direction.
 */
function shownFees(hop: Hop) {
  const { a, b } = hop.pool;
  if ([a.feeIn, a.feeOut, b.feeIn, b.feeOut].every((fee) => fee === undefined)) return undefined;
  const { feeIn, feeOut } = feesOf(hop);
  const [ofA, ofB] = hop.entersA ? [feeIn, feeOut] : [feeOut, feeIn];
  return { ba: formatAmount(ofA), ab: formatAmount(ofB) };
}

function shown(scaled: bigint): string {
  return scaled === 0n ? '0' : formatAmount(scaled);
}

/** True for a token of which prices are shown. */
function isPriced(token: Reader): boolean {
  const isCoin = token.get('isDAT').flag() && !token.get('isLPS').flag();
  return isCoin && token.get('tradeable').flag() && token.get('symbol').text() !== 'BURN';
}

function dexPrices({ tokens, graph }: Pick<Market, 'tokens' | 'graph'>, [denominationId, denomination]: readonly [string, Reader]) {
  const returns = returnsTo(graph, denominationId);
  const priced = [...tokens].filter(([id, token]) => id !== denominationId && isPriced(token));
  const prices = priced.map(([id, token]): [string, Json] => {
    const identifier = tokenIdentifier(id, token);
    return [identifier.symbol, { token: identifier, denominationPrice: shown(returns.get(id) ?? 0n) }];
  });
  return { denomination: tokenIdentifier(denominationId, denomination), dexPrices: Object.fromEntries(prices) };
}
