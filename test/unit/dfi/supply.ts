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

/** Shares of a pool that belong to nobody. */
const NOBODYS_SHARES = 1_000n;

/** What there is of every token, wherever it lies: in accounts, vaults and pools, up for auction or bid for it. */
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
 * Checks that of every token there is what the state says was made of it; what is burnt lies in an account too.
 * @param uncounted by token, what came or went without being counted as minted
 */
export function checkSupply(view: StateView, uncounted: ReadonlyMap<number, bigint>): void {
  const sums = held(view);
  for (const { id, token } of listTokens(view)) {
    if (!hasFlag(token, 'poolShare')) assert.equal(sums.get(id) ?? 0n, token.minted + (uncounted.get(id) ?? 0n), `token ${id}`);
  }
  for (const { id, pool } of pools(view)) {
    assert.ok(getToken(view, id), 'a pool has a token');
    assert.equal(sums.get(id) ?? 0n, pool.totalLiquidity === 0n ? 0n : pool.totalLiquidity - NOBODYS_SHARES, `shares ${id}`);
  }
  checkLocks(view);
}

/** What is locked lies in the account of its contract, to the satoshi. */
function checkLocks(view: StateView): void {
  const locked = new BalanceSum();
  for (const [, amounts] of view.entries(lockedTokens)) for (const amount of amounts) locked.add(amount);
  assert.deepEqual([...balancesOf(view, CONTRACT.tokenLock)], locked.list());
}
