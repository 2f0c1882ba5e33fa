import { isActive, type NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { divide, low64, multiplyAmounts, safeAdd, unsigned } from '../kernel/math.js';
import { mapRejection, TxRejected } from '../kernel/rejected.js';
import type { PoolPair } from './columns.js';
import type { DexFees } from './fees.js';

/** A price as in messages: the whole part, and the fraction in units of 1/COIN. */
export interface PoolPrice {
  readonly integer: bigint;
  readonly fraction: bigint;
}

/** Result of a swap in one pool. Amounts in satoshis. */
export interface PoolSwapResult {
  /** The pool after the swap. */
  readonly pool: PoolPair;
  /** Amount that the pool pays out, after fees. */
  readonly out: TokenAmount;
  /** Fees that are burnt, of the amount paid in and of the amount paid out. */
  readonly burntIn: bigint;
  readonly burntOut: bigint;
}

interface SwapTerms {
  readonly fees: DexFees;
  readonly limit: PoolPrice;
  readonly height: number;
  readonly params: NetworkParams;
}

/** Smallest reserve with which a pool swaps, and number of steps of a swap before Bayfront Gardens. */
const SLOPE_STEPS = 1000n;

/** Price as one number, scaled by COIN; negative parts wrap around to huge ones. */
export function priceNumber({ integer, fraction }: PoolPrice): bigint {
  return unsigned(integer) * COIN + unsigned(fraction);
}

/** True if both reserves are large enough to swap. */
export function isLargeEnough({ reserveA, reserveB }: PoolPair): boolean {
  return reserveA >= SLOPE_STEPS && reserveB >= SLOPE_STEPS;
}

/** Computes the swap of an amount in one pool; stores nothing. @throws {TxRejected} @see docs/protocol/defi.md 2.7 */
export function swapInPool(pool: PoolPair, paid: TokenAmount, { fees, limit, height, params }: SwapTerms): PoolSwapResult {
  const { tokenA, tokenB, reserveA, reserveB, commission } = pool;
  if (paid.tokenId !== tokenA && paid.tokenId !== tokenB) {
    throw new TxRejected(`Error, input token ID (${paid.tokenId}) doesn't match pool tokens (${tokenA},${tokenB})`);
  }
  if (!pool.status) throw new TxRejected('Pool trading is turned off!');
  const forward = paid.tokenId === tokenA;
  const [from, to] = forward ? [reserveA, reserveB] : [reserveB, reserveA];
  if (!isLargeEnough(pool)) throw new TxRejected('Lack of liquidity.');
  // Before Dakota `defid` compares the inverse of the price.
  const price = isActive(params, 'dakota', height) ? divide(from * COIN, to) : divide(to * COIN, from);
  if (price > priceNumber(limit)) throw new TxRejected('Price is higher than indicated.');
  const toProviders = commission === 0n ? 0n : multiplyAmounts(paid.amount, commission);
  let amount = paid.amount - toProviders;
  const burntIn = fees.in > 0n ? multiplyAmounts(amount, fees.in) : 0n;
  amount -= burntIn;
  requireRoom(from, amount);
  const received = isActive(params, 'bayfrontGardens', height)
    ? curve(from, to, amount, isActive(params, 'fortCanningHill', height))
    : oldSlope(from, to, amount);
  const burntOut = fees.out > 0n ? multiplyAmounts(received, fees.out) : 0n;
  const [newFrom, newTo] = [from + amount, low64(to - received)];
  return {
    pool: {
      ...pool,
      reserveA: forward ? newFrom : newTo,
      reserveB: forward ? newTo : newFrom,
      commissionA: pool.commissionA + (forward ? toProviders : 0n),
      commissionB: pool.commissionB + (forward ? 0n : toProviders),
    },
    out: { tokenId: forward ? tokenB : tokenA, amount: received - burntOut },
    burntIn,
    burntOut,
  };
}

function requireRoom(reserve: bigint, amount: bigint): void {
  mapRejection(
    () => safeAdd(reserve, amount),
    () => new TxRejected("Swapping will lead to pool's reserve overflow"),
  );
}

/** Amount that keeps the product of the reserves constant, rounded up; from Fort Canning Hill on one less, in favour of the pool. */
function curve(from: bigint, to: bigint, amount: bigint, favoursPool: boolean): bigint {
  const received = to - divide(to * from, from + amount);
  return favoursPool && received > 0n ? received - 1n : received;
}

/** Swap in up to 1000 equal steps and a rest, each at the price after the previous one. */
function oldSlope(from: bigint, to: bigint, amount: bigint): bigint {
  const chunk = from / SLOPE_STEPS < amount ? from / SLOPE_STEPS : amount;
  let received = 0n;
  let reserveFrom = from;
  let reserveTo = to;
  for (let left = amount; left > 0n; ) {
    const step = chunk < left ? chunk : left;
    const stepTo = divide(reserveTo * step, reserveFrom);
    reserveFrom += step;
    reserveTo -= stepTo;
    left -= step;
    received += stepTo;
  }
  return received;
}
