import { COIN } from '../../primitives/amount.js';
import { INT64_MAX } from '../../util/numbers.js';
import { ArithmeticError, TxRejected } from './rejected.js';

/** a / b, rounded towards zero. @throws {ArithmeticError} if b is 0 */
export function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ArithmeticError('Division by zero');
  return a / b;
}

/** An amount as the reference's 256-bit arithmetic takes it: negative ones become 2^64 less their size. */
export function unsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** The lowest 64 bits, read as a signed amount: what the reference keeps of a larger result. */
export function low64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** a × b / COIN, rounded down. @see docs/protocol/defi.md 0.1 */
export function multiplyAmounts(a: bigint, b: bigint): bigint {
  return multiplyDivide(a, b, COIN);
}

/** a × COIN / b, rounded down. @throws {ArithmeticError} if b is 0 */
export function divideAmounts(a: bigint, b: bigint): bigint {
  return multiplyDivide(a, COIN, b);
}

/** a × b / c, rounded down. @throws {ArithmeticError} if c is 0 */
export function multiplyDivide(a: bigint, b: bigint, c: bigint): bigint {
  if (a === 0n && c !== 0n) return 0n;
  return low64(divide(unsigned(a) * unsigned(b), unsigned(c)));
}

/**
 * Sum of two amounts.
 * @throws {TxRejected} if one is negative or the sum has no room in 63 bits
 */
export function safeAdd(a: bigint, b: bigint): bigint {
  if (a < 0n || b < 0n) throw new TxRejected('negative amount');
  if (a + b > INT64_MAX) throw new TxRejected('overflow');
  return a + b;
}

/** An amount in single precision, rounded once: by way of a double it would be rounded twice. */
export function toSingle(value: bigint): number {
  const size = value < 0n ? -value : value;
  if (size < 2n ** 53n) return Math.fround(Number(value));
  const sticky = (size & 0x7ffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number((size >> 11n) | sticky)) * 2048;
  return value < 0n ? -rounded : rounded;
}
