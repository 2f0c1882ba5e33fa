import { COIN } from '../../primitives/amount.js';
import type { Multiplier } from '../context/split-creation.js';
import { divideAmounts, low64, multiplyAmounts, unsigned } from '../kernel/math.js';

const LEAST_INT32 = -(2n ** 31n);

/** Divisor of a negative whole multiplier. `defid` cannot change the sign of the least one, so amounts become negative and the split fails. */
function divisorOf(value: bigint): bigint {
  return value === LEAST_INT32 ? value : -value;
}

/** Converts satoshis of the old token to the new one. Rounds down; a product beyond 64 bits wraps. @see docs/protocol/defi.md 9.3 */
export function convert({ value, isFraction }: Multiplier, amount: bigint): bigint {
  if (isFraction) return value < 0n ? divideAmounts(amount, -value) : multiplyAmounts(amount, value);
  return value < 0n ? amount / divisorOf(value) : low64(amount * value);
}

/**
 * Converts interest of 128 bits. Fractional multipliers truncate the result to 64 bits, as in `defid`.
 * @see docs/protocol/defi.md 0.1
 */
export function convertWide({ value, isFraction }: Multiplier, amount: bigint): bigint {
  if (!isFraction) return BigInt.asUintN(128, value < 0n ? amount / unsigned(divisorOf(value)) : amount * value);
  return BigInt.asUintN(64, value < 0n ? (amount * COIN) / -value : (amount * value) / COIN);
}
