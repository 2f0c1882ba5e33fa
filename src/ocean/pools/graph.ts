import type { Pool } from '../shapes/pool.js';

/** Pools by the ids of their two tokens. */
export type PoolGraph = ReadonlyMap<string, ReadonlyMap<string, Pool>>;

/** Pool whose token is burnt on mainnet: a path through it would lose the coins. */
const BURN_POOL_OF_MAIN = '48';

/**
 * Pools that swaps can use, one for each pair of tokens: the one with the lowest id.
 * @param pools ascending by id
 * @see docs/protocol/ocean.md 3.2
 */
export function poolGraph(pools: readonly Pool[], network: string): PoolGraph {
  const graph = new Map<string, Map<string, Pool>>();
  for (const pool of pools) {
    if (!pool.status || (network === 'main' && pool.id === BURN_POOL_OF_MAIN)) continue;
    const { a, b } = pool;
    const ofA = neighbours(graph, a.tokenId);
    if (ofA.has(b.tokenId)) continue;
    ofA.set(b.tokenId, pool);
    neighbours(graph, b.tokenId).set(a.tokenId, pool);
  }
  return graph;
}

function neighbours(graph: Map<string, Map<string, Pool>>, token: string): Map<string, Pool> {
  const known = graph.get(token) ?? new Map<string, Pool>();
  graph.set(token, known);
  return known;
}

/** Ids of all tokens that a token can be swapped to along any number of pools, ascending. */
export function connectedTokens(graph: PoolGraph, token: string): string[] {
  const found = new Set([token]);
  // Tokens that are found while the set is iterated are visited, too.
  for (const at of found) for (const next of graph.get(at)?.keys() ?? []) found.add(next);
  found.delete(token);
  return [...found].sort((a, b) => Number(a) - Number(b));
}
