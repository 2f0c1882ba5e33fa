import { COIN } from '../../primitives/amount.js';
import type { Pool, PoolSide } from '../shapes/pool.js';
import { type PoolGraph, partnersOf } from './graph.js';

/** Pool of a path with the side that is swapped in. */
export interface Hop {
  readonly pool: Pool;
  readonly entersA: boolean;
}

/** Pools from one token to another, in the order of the swap. */
export type Path = readonly Hop[];

/** Returns of one coin along a path, satoshis, rounded up. */
export interface Returns {
  readonly gross: bigint;
  /** Return after commissions and fees. */
  readonly net: bigint;
}

/** Best path between two tokens. */
export interface BestPath {
  /** Empty if there is none. */
  readonly path: Path;
  /** Highest of all paths. */
  readonly gross: bigint;
  readonly net: bigint;
}

/**
 * Paths of up to three pools that visit no token twice. Their order, and with it the choice between equal ones, is that of a search that goes
 * to the highest id first.
 * @see docs/protocol/ocean.md 3.2
 */
export function pathsBetween(graph: PoolGraph, from: string, to: string): Path[] {
  const found: Path[] = [];
  for (const [first, pool] of partnersOf(graph, from).reverse()) {
    const begin = hopOf(pool, from);
    if (first === to) found.push([begin]);
    else for (const rest of shortPaths(graph, first, { to, without: from })) found.push([begin, ...rest]);
  }
  return found;
}

/** Paths of one or two pools that do not visit the token `without`. */
function shortPaths(graph: PoolGraph, from: string, { to, without }: { readonly to: string; readonly without: string }): Path[] {
  const found: Path[] = [];
  for (const [next, pool] of partnersOf(graph, from).reverse()) {
    if (next === without) continue;
    const last = next === to ? undefined : hop(graph, next, to);
    if (next === to) found.push([hopOf(pool, from)]);
    else if (last) found.push([hopOf(pool, from), last]);
  }
  return found;
}

/** A path of one pool is the best one; otherwise it is the one with the highest net return. */
export function bestPath(graph: PoolGraph, from: string, to: string): BestPath {
  const direct = hop(graph, from, to);
  const paths = direct ? [[direct]] : pathsBetween(graph, from, to);
  let best: BestPath = { path: [], gross: 0n, net: 0n };
  for (const path of paths) {
    const { gross, net } = returnsOf(path);
    const isBetter = best.path.length === 0 || net > best.net;
    best = { path: isBetter ? path : best.path, gross: gross > best.gross ? gross : best.gross, net: isBetter ? net : best.net };
  }
  return best;
}

/** Each pool multiplies the scale of a net return by the scales of two fees, a commission and a price. */
const NET_SCALE = COIN ** 4n;

/** @see docs/protocol/ocean.md 3.2 */
function returnsOf(path: Path): Returns {
  let gross = COIN;
  let net = COIN;
  let scale = 1n;
  let netScale = 1n;
  for (const hop of path) {
    const { feeIn, feeOut } = feesOf(hop);
    const price = priceOf(hop);
    gross *= price;
    net *= (COIN - hop.pool.commission) * (COIN - feeIn) * price * (COIN - feeOut);
    scale *= COIN;
    netScale *= NET_SCALE;
  }
  return { gross: roundedUp(gross, scale), net: roundedUp(net, netScale) };
}

/** Fees of a swap in one pool, scaled by COIN. */
export function feesOf({ pool, entersA }: Hop): { readonly feeIn: bigint; readonly feeOut: bigint } {
  const { a, b } = pool;
  const [paid, received]: readonly [PoolSide, PoolSide] = entersA ? [a, b] : [b, a];
  return { feeIn: paid.feeIn ?? 0n, feeOut: received.feeOut ?? 0n };
}

function priceOf({ pool, entersA }: Hop): bigint {
  return entersA ? pool.ba : pool.ab;
}

/**
 * Highest gross returns of one coin of each token that has a path to `to`, as {@link bestPath} gives them. Searched backwards from `to`, so
 * that not all paths are listed.
 * @returns satoshis by token id
 */
export function returnsTo(graph: PoolGraph, to: string): ReadonlyMap<string, bigint> {
  const direct = new Map<string, bigint>();
  for (const [token, pool] of graph.get(to) ?? []) direct.set(token, priceOf(hopOf(pool, token)));
  // Scaled by COIN², by the first of two pools. A token with a pool of its own needs them only as a step of a longer path.
  const byTwo = highest(graph, direct, to);
  const byThree = highest(graph, byTwo, to);
  const found = new Map<string, bigint>();
  for (const [token, price] of byThree) found.set(token, roundedUp(price, COIN ** 2n));
  for (const [token, price] of byTwo) {
    const shorter = roundedUp(price, COIN);
    if (shorter > (found.get(token) ?? -1n)) found.set(token, shorter);
  }
  for (const [token, price] of direct) found.set(token, price);
  return found;
}

/**
 * Highest returns with one pool more. No path found in this way visits a token twice if its first token has no pool with `to`: that token
 * then cannot be the last but one of the path.
 */
function highest(graph: PoolGraph, known: ReadonlyMap<string, bigint>, to: string): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [at, value] of known) {
    for (const [token, pool] of graph.get(at) ?? []) {
      if (token === to) continue;
      const more = value * priceOf(hopOf(pool, token));
      if (more > (found.get(token) ?? -1n)) found.set(token, more);
    }
  }
  return found;
}

function hop(graph: PoolGraph, from: string, to: string): Hop | undefined {
  const pool = graph.get(from)?.get(to);
  return pool && hopOf(pool, from);
}

function hopOf(pool: Pool, from: string): Hop {
  return { pool, entersA: pool.a.tokenId === from };
}

function roundedUp(value: bigint, scale: bigint): bigint {
  return (value + scale - 1n) / scale;
}
