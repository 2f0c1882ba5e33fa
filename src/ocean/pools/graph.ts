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

/** Neighbours of a token: tokens with which it has a pool, and that pool, ascending by id. */
export function partnersOf(graph: PoolGraph, token: string): [string, Pool][] {
  return [...(graph.get(token) ?? [])].sort(([a], [b]) => Number(a) - Number(b));
}

/**
 * Ids of all tokens that a token can be swapped to along any number of pools. Their order is part of the contract: that of a search that
 * begins at the first token of the connected pools and goes to the highest id first.
 */
export function connectedTokens(graph: PoolGraph, token: string): string[] {
  const seen = new Set<string>();
  for (const first of graph.keys()) {
    if (seen.has(first)) continue;
    const connected = reachedFrom(graph, first, seen);
    if (connected.includes(token)) return connected.filter((each) => each !== token);
  }
  return [];
}

/** Adds what it finds to `seen`. */
function reachedFrom(graph: PoolGraph, first: string, seen: Set<string>): string[] {
  const found: string[] = [];
  const open = [first];
  seen.add(first);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    found.push(at);
    for (const [next] of partnersOf(graph, at)) {
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return found;
}
