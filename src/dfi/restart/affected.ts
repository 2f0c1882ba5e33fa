import type { StateView } from '../../storage/view.js';
import { listLoanTokens } from '../loan-tokens/columns.js';
import { pools } from '../pools/columns.js';
import { getToken, isDestroyed } from '../tokens/columns.js';

/** Token that a restart replaces, or pool that is migrated with it. */
export interface Affected {
  readonly kind: 'token' | 'pool';
  readonly id: number;
}

/**
 * All loan tokens, ascending, each followed by its pools that were not listed for an earlier token. Pools with a destroyed token are
 * omitted.
 * @see docs/protocol/defi.md 9.7
 */
export function affectedByRestart(view: StateView): readonly Affected[] {
  const all = [...pools(view)];
  const seen = new Set<number>();
  const found: Affected[] = [];
  for (const { tokenId } of listLoanTokens(view)) {
    found.push({ kind: 'token', id: tokenId });
    for (const { id, pool } of all) {
      if ((pool.tokenA !== tokenId && pool.tokenB !== tokenId) || seen.has(id)) continue;
      seen.add(id);
      if (exists(view, pool.tokenA) && exists(view, pool.tokenB)) found.push({ kind: 'pool', id });
    }
  }
  return found;
}

function exists(view: StateView, tokenId: number): boolean {
  const token = getToken(view, tokenId);
  return token !== undefined && !isDestroyed(token);
}

/** Ids of one kind, in the order of {@link affectedByRestart}. */
export function idsOf(affected: readonly Affected[], kind: Affected['kind']): readonly number[] {
  return affected.filter((each) => each.kind === kind).map(({ id }) => id);
}
