import { divide, low64, multiplyDivide, safeAdd } from '../kernel/math.js';
import { mapRejection, TxRejected } from '../kernel/rejected.js';
import type { PoolPair } from './columns.js';

/** Shares of the first deposit that have no owner, so that a pool is never empty again. */
export const MINIMUM_LIQUIDITY = 1000n;

/** A pool after a deposit, and the provider's new shares. */
export interface AddedLiquidity {
  readonly pool: PoolPair;
  readonly shares: bigint;
}

/** A pool after a withdrawal, and the amounts for the provider in satoshis. */
export interface RemovedLiquidity {
  readonly pool: PoolPair;
  readonly amountA: bigint;
  readonly amountB: bigint;
}

/**
 * Adds amounts of both tokens to a pool.
 * @param protectedFromSlippage reject amounts whose ratio differs from that of the pool by 3 % or more
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 2.5
 */
export function addLiquidity(pool: PoolPair, amountA: bigint, amountB: bigint, protectedFromSlippage: boolean): AddedLiquidity {
  const { reserveA, reserveB, totalLiquidity } = pool;
  const isFirst = totalLiquidity === 0n;
  const shares = isFirst ? firstShares(amountA, amountB) : moreShares(pool, amountA, amountB, protectedFromSlippage);
  return {
    pool: {
      ...pool,
      totalLiquidity: addTotal(isFirst ? MINIMUM_LIQUIDITY : totalLiquidity, shares),
      reserveA: addReserve(reserveA, amountA),
      reserveB: addReserve(reserveB, amountB),
    },
    shares,
  };
}

function firstShares(amountA: bigint, amountB: bigint): bigint {
  const shares = low64(squareRoot(amountA * amountB));
  if (shares <= MINIMUM_LIQUIDITY) throw new TxRejected('liquidity too low');
  return shares - MINIMUM_LIQUIDITY;
}

function moreShares({ reserveA, reserveB, totalLiquidity }: PoolPair, amountA: bigint, amountB: bigint, isProtected: boolean): bigint {
  const fromA = multiplyDivide(amountA, totalLiquidity, reserveA);
  const fromB = multiplyDivide(amountB, totalLiquidity, reserveB);
  const [shares, larger] = fromA < fromB ? [fromA, fromB] : [fromB, fromA];
  if (shares <= 0n) throw new TxRejected('amounts too low, zero liquidity');
  // In `defid` a difference of 922,337,203 or more shares wraps around, and may pass.
  if (isProtected && divide(low64((larger - shares) * 100n), shares) >= 3n)
    throw new TxRejected('Exceeds max ratio slippage protection of 3%');
  return shares;
}

function addTotal(total: bigint, shares: bigint): bigint {
  return adding(total, shares, (reason) => `can't add ${shares} to totalLiquidity: ${reason}`);
}

function addReserve(reserve: bigint, amount: bigint): bigint {
  return adding(reserve, amount, () => 'overflow when adding to reserves');
}

function adding(a: bigint, b: bigint, words: (reason: string) => string): bigint {
  return mapRejection(
    () => safeAdd(a, b),
    ({ message }) => new TxRejected(words(message)),
  );
}

/** Removes shares from a pool; amounts are rounded down. @throws {TxRejected} @see docs/protocol/defi.md 2.6 */
export function removeLiquidity(pool: PoolPair, shares: bigint): RemovedLiquidity {
  const { reserveA, reserveB, totalLiquidity } = pool;
  if (shares <= 0n || shares >= totalLiquidity) throw new TxRejected('incorrect liquidity');
  const amountA = multiplyDivide(shares, reserveA, totalLiquidity);
  const amountB = multiplyDivide(shares, reserveB, totalLiquidity);
  return {
    pool: { ...pool, reserveA: reserveA - amountA, reserveB: reserveB - amountB, totalLiquidity: totalLiquidity - shares },
    amountA,
    amountB,
  };
}

/** Integer square root, rounded down. @param value not negative */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
