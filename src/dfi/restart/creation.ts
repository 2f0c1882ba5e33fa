import { isActive, type NetworkParams } from '../../params/network.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes } from '../attributes/attributes.js';
import { isTokenLocked } from '../attributes/features.js';
import { listCollateralTokens, listLoanTokens } from '../loan-tokens/columns.js';
import type { PricePair } from '../oracles/columns.js';
import { findFixedPrice, isLive } from '../oracles/fixed-prices.js';
import { pools } from '../pools/columns.js';
import { makeCreation } from '../splits/creation.js';
import { affectedByRestart } from './affected.js';
import { restartRatio } from './restart.js';
import { ONE_FOR_ONE } from './successors.js';

/**
 * Creation transactions that a minter adds to the block of a restart. None if the restart would fail anyway; without them it does fail.
 * @see docs/protocol/defi.md 9.7
 */
export function makeRestartCreations(view: StateView, height: number, params: NetworkParams): Transaction[] {
  if (!isActive(params, 'df24', height) || restartRatio(storedAttributes(view), height) === undefined) return [];
  if (!isReady(view)) return [];
  return affectedByRestart(view).map(({ kind, id }) => {
    return makeCreation(kind === 'token' ? 0 : 1, { tokenId: id, multiplier: ONE_FOR_ONE }, height, params);
  });
}

/** True if prices are live, no loan token is locked, and all pools between loan and collateral tokens are enabled. */
function isReady(view: StateView): boolean {
  const loans = listLoanTokens(view).map(({ tokenId, loanToken: { pair } }) => ({ tokenId, pair }));
  const collaterals = listCollateralTokens(view).map(({ tokenId, token: { pair } }) => ({ tokenId, pair }));
  const all = [...collaterals, ...loans];
  if (!all.every(({ pair }) => mayBeUsed(view, pair)) || loans.some(({ tokenId }) => isTokenLocked(view, tokenId))) return false;
  const ids = new Set(all.map(({ tokenId }) => tokenId));
  for (const { pool } of pools(view)) if (ids.has(pool.tokenA) && ids.has(pool.tokenB) && !pool.status) return false;
  return true;
}

/** True if the price of a pair is live. A pair without any price does not prevent the restart. */
function mayBeUsed(view: StateView, pair: PricePair): boolean {
  const price = findFixedPrice(view, pair);
  return price === undefined || isLive(view, price);
}
