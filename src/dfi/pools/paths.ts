import { isActive } from '../../params/network.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView } from '../../storage/view.js';
import { Accounts } from '../accounts/columns.js';
import type { HeightContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import { getToken } from '../tokens/columns.js';
import { poolTerms } from './columns.js';
import { quoteSwap, type Swap, swapTokens } from './swap.js';

/** Pool ids of a swap from one token to another, in order. */
export type Path = readonly number[];

/** Reason why a path fails. */
export interface PathFailure {
  /** Symbol of the share token of the pool that rejected the swap. */
  readonly pool: string;
  readonly reason: string;
}

/** Result of a search for a path. */
export interface BestPath {
  /** Path with the largest result; undefined if all paths fail. */
  readonly path: Path | undefined;
  readonly failures: readonly PathFailure[];
}

/** A pool and the token on its other side. */
interface Side {
  readonly pool: number;
  readonly other: number;
}

/**
 * All paths through one, two or three pools, in the order in which `defid` tries them: the first of equal ones is chosen. At the ends
 * of a path through three pools, only the first of several pools with the same other token is used.
 */
export function poolPaths(view: StateView, tokenFrom: number, tokenTo: number): Path[] {
  const pools = [...view.entries(poolTerms)].map(([id, { tokenA, tokenB }]) => ({ id, tokenA, tokenB }));
  const connects = ({ tokenA, tokenB }: (typeof pools)[number], a: number, b: number) =>
    (tokenA === a && tokenB === b) || (tokenA === b && tokenB === a);
  const sidesOf = (token: number): Side[] =>
    pools
      .flatMap(({ id, tokenA, tokenB }) => {
        if (tokenA === token) return [{ pool: id, other: tokenB }];
        return tokenB === token ? [{ pool: id, other: tokenA }] : [];
      })
      .sort((a, b) => a.other - b.other || a.pool - b.pool);
  const starts = sidesOf(tokenFrom);
  const ends = sidesOf(tokenTo);
  if (starts.length === 0 || ends.length === 0) return [];
  const direct = pools.filter((pool) => connects(pool, tokenFrom, tokenTo)).map(({ id }) => [id]);
  const throughTwo = starts.flatMap((start) => ends.filter(({ other }) => other === start.other).map((end) => [start.pool, end.pool]));
  const firstStarts = firstOfEach(starts);
  const firstEnds = firstOfEach(ends);
  const throughThree = pools.flatMap((pool) =>
    firstStarts.flatMap((start) =>
      firstEnds.filter((end) => connects(pool, start.other, end.other)).map((end) => [start.pool, pool.id, end.pool]),
    ),
  );
  return [...direct, ...throughTwo, ...throughThree];
}

function firstOfEach(sides: readonly Side[]): Side[] {
  return sides.filter(({ other }, i) => other !== sides[i - 1]?.other);
}

/**
 * Path with the largest result.
 * @param spends true to try the swap with the owner's balances, false to compute it from the pools alone
 */
export function bestPath(view: StateView, swap: Swap, at: HeightContext, spends: boolean): BestPath {
  const failures: PathFailure[] = [];
  let best: { readonly path: Path; readonly amount: bigint } | undefined;
  // Before any pool is reached, `defid` 4.2.5 names the token 0. 3.2.8 has no number then, and we list no failure.
  let reached = isActive(at.params, 'metachain', at.height) ? 0 : undefined;
  const enter = (pool: number) => {
    reached = pool;
  };
  for (const path of poolPaths(view, swap.tokenFrom, swap.tokenTo)) {
    try {
      const amount = spends ? swapTokens(new Accounts(new Overlay(view)), swap, path, at, enter) : quoteSwap(view, swap, path, at, enter);
      if (!best || amount > best.amount) best = { path, amount };
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
      const token = reached === undefined ? undefined : getToken(view, reached);
      if (token) failures.push({ pool: token.symbol, reason: error.message });
    }
  }
  return { path: best?.path, failures };
}
