import { Slicer } from '../../util/slicer.js';
import { Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';
import { WHOLE_LIST } from '../node/operations.js';
import { Results } from '../node/tip-cache.js';
import { type KnownTokens, knownTokens, tokenOfSymbol } from '../shapes/known-tokens.js';
import { type Pool, poolOf } from '../shapes/pool.js';
import { type PoolGraph, poolGraph } from './graph.js';
import { returnsTo } from './paths.js';
import { type PriceBasis, usdPerDfi } from './usd.js';

/** Pools and tokens at the tip, and prices that follow from them. */
export interface Market extends PriceBasis {
  /** Ascending by id. */
  readonly pools: readonly Pool[];
  readonly byId: ReadonlyMap<string, Pool>;
  readonly graph: PoolGraph;
  /** Results that are computed from it, as the tip may have changed since. */
  readonly results: Results;
}

type MarketModules = Pick<OceanModules, 'chain' | 'operations' | 'perTip'>;

/** Market at the tip, read once for each. */
export function market({ chain, operations, perTip }: MarketModules): Promise<Market> {
  return perTip.get('market', async () => {
    const answer = await operations.call('listpoolpairs', WHOLE_LIST, true);
    const tokens = await knownTokens({ operations, perTip });
    const slicer = new Slicer();
    const pools: Pool[] = [];
    for (const [id, pool] of new Reader(answer).members()) {
      pools.push(poolOf(id, pool, tokens));
      await slicer.pause();
    }
    return marketOf(pools, tokens, chain.params.name);
  });
}

/** @param pools ascending by id */
function marketOf(pools: readonly Pool[], tokens: KnownTokens, network: string): Market {
  const graph = poolGraph(pools, network);
  const bySymbol = new Map(pools.map((pool) => [pool.symbol, pool] as const).reverse());
  const usdt = tokenOfSymbol(tokens, 'USDT');
  return {
    pools,
    byId: new Map(pools.map((pool) => [pool.id, pool])),
    bySymbol,
    tokens,
    graph,
    results: new Results(),
    usdPerDfi: usdPerDfi(bySymbol),
    usdtReturns: usdt && returnsTo(graph, usdt[0]),
  };
}
