/** Maximum of a signed 64-bit integer. */
export const INT64_MAX = 2n ** 63n - 1n;
/** Maximum of an unsigned 64-bit integer. */
export const UINT64_MAX = 2n ** 64n - 1n;
/** Minimum of a signed 64-bit integer. */
export const INT64_MIN = -(2n ** 63n);

/** Ascending order, for sorts. */
export function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The smaller of two numbers. */
export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Quotient of two integers, the second positive, rounded to the nearest integer and halves away from zero. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return dividend < 0n ? -((-dividend + half) / divisor) : (dividend + half) / divisor;
}

/**
 * Integer at the start of a text as `stoul` of C++ reads it, where -n is 2^64 - n and any text may follow; the lower 32 bits, unsigned.
 * @returns undefined without digits, or for a number of more than 64 bits
 */
export function leadingUint32(text: string): number | undefined {
  const [, sign, digits] = /^[ \t\n\v\f\r]*([+-]?)(\d+)/.exec(text) ?? [];
  const size = digits === undefined ? undefined : BigInt(digits);
  if (size === undefined || size > UINT64_MAX) return undefined;
  return Number(BigInt.asUintN(32, sign === '-' ? -size : size));
}

const UINT32_MAX = 0xffffffff;

/** Unsigned number of 32 bits that a whole text is; a plus may precede the digits. */
export function exactUint32(text: string): number | undefined {
  return /^\+?\d+$/.test(text) && Number(text) <= UINT32_MAX ? Number(text) : undefined;
}
