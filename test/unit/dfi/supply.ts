import assert from 'node:assert/strict';
import { accountBalances, balancesOf } from '../../../src/dfi/accounts/columns.js';
import { auctionBatches, auctionBids } from '../../../src/dfi/auctions/columns.js';
import { BalanceSum } from '../../../src/dfi/kernel/amounts.js';
import { CONTRACT } from '../../../src/dfi/kernel/contract-addresses.js';
import { pools } from '../../../src/dfi/pools/columns.js';
import { getToken, hasFlag, listTokens } from '../../../src/dfi/tokens/columns.js';
import { lockedTokens } from '../../../src/dfi/tokens/lock-columns.js';
import { vaultCollaterals } from '../../../src/dfi/vaults/columns.js';
import type { StateView } from '../../../src/storage/view.js';

/** Shares of a pool that have no owner. */
const UNOWNED_SHARES = 1_000n;

/** Supply of every token in accounts, vaults, pools, auction batches and bids. */
function held(view: StateView): Map<number, bigint> {
  const sums = new Map<number, bigint>();
  const add = (tokenId: number, amount: bigint) => sums.set(tokenId, (sums.get(tokenId) ?? 0n) + amount);
  for (const [{ tokenId }, amount] of view.entries(accountBalances)) {
    assert.ok(amount > 0n, 'no balance is stored that is 0 or less');
    add(tokenId, amount);
  }
  for (const [, collaterals] of view.entries(vaultCollaterals)) for (const { tokenId, amount } of collaterals) add(tokenId, amount);
  for (const [, { collaterals }] of view.entries(auctionBatches)) for (const { tokenId, amount } of collaterals) add(tokenId, amount);
  for (const [, { amount }] of view.entries(auctionBids)) add(amount.tokenId, amount.amount);
  for (const { pool } of pools(view)) {
    add(pool.tokenA, pool.reserveA + pool.commissionA);
    add(pool.tokenB, pool.reserveB + pool.commissionB);
  }
  return sums;
}

/**
 * Checks that the supply of every token equals its minted amount; burnt tokens are in an account too.
 * @param uncounted by token, amounts created (negative: destroyed) without a change of the minted amount
 */
export function checkSupply(view: StateView, uncounted: ReadonlyMap<number, bigint>): void {
  const sums = held(view);
  for (const { id, token } of listTokens(view)) {
    if (!hasFlag(token, 'poolShare')) assert.equal(sums.get(id) ?? 0n, token.minted + (uncounted.get(id) ?? 0n), `token ${id}`);
  }
  for (const { id, pool } of pools(view)) {
    assert.ok(getToken(view, id), 'a pool has a token');
    assert.equal(sums.get(id) ?? 0n, pool.totalLiquidity === 0n ? 0n : pool.totalLiquidity - UNOWNED_SHARES, `shares ${id}`);
  }
  checkLocks(view);
}

/** Checks that the account of the token lock contract has exactly the locked balances. */
function checkLocks(view: StateView): void {
  const locked = new BalanceSum();
  for (const [, amounts] of view.entries(lockedTokens)) for (const amount of amounts) locked.add(amount);
  assert.deepEqual([...balancesOf(view, CONTRACT.tokenLock)], locked.list());
}
