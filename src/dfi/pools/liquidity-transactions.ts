import { isActive } from '../../params/network.js';
import { struct, varBytes } from '../../primitives/codec.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx } from '../context/custom-tx.js';
import { type AccountAmounts, accountAmounts, sumTransfers, type TokenAmount, toBalances, tokenAmount } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { deposit, withdraw } from '../rewards/shares.js';
import { poolByTokens, poolOf, putHoldings } from './columns.js';
import { addLiquidity, removeLiquidity } from './liquidity.js';

export interface AddPoolLiquidity {
  readonly from: AccountAmounts;
  /** Owner that receives the shares. */
  readonly shareAddress: Uint8Array;
}

/** Adds amounts of both tokens of a pool to its reserves, in exchange for new shares. @see docs/protocol/defi.md 2.5 */
export const addPoolLiquidity = customTx<AddPoolLiquidity>({
  type: 'l',
  name: 'AddPoolLiquidity',
  since: 'bayfront',
  codec: struct<AddPoolLiquidity>({ from: accountAmounts, shareAddress: varBytes }),
  apply(context, { from, shareAddress }) {
    const { view, accounts, height, params } = context;
    const [first, second, ...others] = sumTransfers(from);
    if (!first || !second || others.length > 0) throw new TxRejected('the pool pair requires two tokens');
    requirePositive(first, second);
    const found = poolByTokens(view, first.tokenId, second.tokenId);
    if (!found) throw new TxRejected('there is no such pool pair');
    for (const { owner } of from) requireAuth(context, owner);
    for (const { owner, balances } of from) {
      materialiseRewards(view, owner, context);
      // The amounts may be shares of other pools. An owner that spends its last ones this way stays among their providers.
      accounts.subAll(owner, balances);
    }
    const [a, b] = first.tokenId === found.pool.tokenA ? [first, second] : [second, first];
    const isProtected = isActive(params, 'bayfrontMarina', height);
    const { pool, shares } = addLiquidity(found.pool, a.amount, b.amount, isProtected);
    deposit(accounts, shareAddress, [{ tokenId: found.id, amount: shares }], context);
    putHoldings(view, found.id, height, pool);
  },
});

/** Script of the provider and the shares to remove. */
export interface RemovePoolLiquidity {
  readonly from: Uint8Array;
  /** Shares, in satoshis of the pool's share token. */
  readonly amount: TokenAmount;
}

/** Exchanges shares of a pool for their part of its reserves. @see docs/protocol/defi.md 2.6 */
export const removePoolLiquidity = customTx<RemovePoolLiquidity>({
  type: 'r',
  name: 'RemovePoolLiquidity',
  since: 'bayfront',
  codec: struct<RemovePoolLiquidity>({ from: varBytes, amount: tokenAmount }),
  apply(context, { from, amount }) {
    const { view, accounts, height } = context;
    requirePositive(amount);
    const before = poolOf(view, amount.tokenId);
    if (!before) throw new TxRejected('there is no such pool pair');
    requireAuth(context, from);
    withdraw(accounts, from, [amount], context);
    const { pool, amountA, amountB } = removeLiquidity(before, amount.amount);
    const paidOut = new Map([
      [pool.tokenA, amountA],
      [pool.tokenB, amountB],
    ]);
    accounts.addAll(from, toBalances(paidOut));
    putHoldings(view, amount.tokenId, height, pool);
  },
});

function requirePositive(...amounts: readonly TokenAmount[]): void {
  if (amounts.some(({ amount }) => amount <= 0n)) throw new TxRejected('amount cannot be less than or equal to zero');
}

/** Custom transactions that add and remove liquidity. */
export const poolLiquidityTypes: readonly AnyCustomTx[] = [addPoolLiquidity, removePoolLiquidity];
