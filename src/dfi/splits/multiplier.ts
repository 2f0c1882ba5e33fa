import { COIN } from '../../primitives/amount.js';
import type { Multiplier } from '../context/split-creation.js';
import { divideAmounts, low64, multiplyAmounts } from '../kernel/math.js';

/** An amount of the old token as one of the new, rounded down. @see docs/protocol/defi.md 9.3 */
export function convert({ value, isFraction }: Multiplier, amount: bigint): bigint {
  if (isFraction) return value < 0n ? divideAmounts(amount, -value) : multiplyAmounts(amount, value);
  return value < 0n ? amount / -value : low64(amount * value);
}

/**
 * The same for interest, which has 128 bits. Fractions leave only the lowest 64 of them, as the reference does.
 * @see docs/protocol/defi.md 0.1
 */
export function convertWide({ value, isFraction }: Multiplier, amount: bigint): bigint {
  if (!isFraction) return BigInt.asUintN(128, value < 0n ? amount / -value : amount * value);
  return BigInt.asUintN(64, value < 0n ? (amount * COIN) / -value : (amount * value) / COIN);
}
