import { COIN } from '../../primitives/amount.js';
import { INT64_MAX } from '../../util/numbers.js';
import { ArithmeticError, TxRejected } from './rejected.js';

/** a / b, rounded towards zero. @throws {ArithmeticError} if b is 0 */
export function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ArithmeticError('Division by zero');
  return a / b;
}

/** Conversion of an amount to an operand of `arith_uint256` in `defid`: a negative amount -n becomes 2^64 - n. */
export function unsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** Lowest 64 bits as a signed amount: the truncation that `defid` applies to a 256-bit result (`GetLow64`). */
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
 * Sum of two amounts in satoshis.
 * @throws {TxRejected} if one is negative or the sum exceeds 63 bits
 */
export function safeAdd(a: bigint, b: bigint): bigint {
  if (a < 0n || b < 0n) throw new TxRejected('negative amount');
  if (a + b > INT64_MAX) throw new TxRejected('overflow');
  return a + b;
}

/** Nearest single-precision number to an amount. Converting by way of a double would round twice, which C++ does not. */
export function toSingle(value: bigint): number {
  const size = value < 0n ? -value : value;
  if (size < 2n ** 53n) return Math.fround(Number(value));
  const sticky = (size & 0x7ffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number((size >> 11n) | sticky)) * 2048;
  return value < 0n ? -rounded : rounded;
}
