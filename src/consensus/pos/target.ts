/** Compact and expanded targets. A target is a 256-bit number; a kernel hash must not exceed it. */

const MAX_256 = 1n << 256n;

/** Target of compact bits; 0, which no kernel meets, for negative or overflowing forms. */
export function decodeCompact(bits: number): bigint {
  const size = bits >>> 24;
  const mantissa = BigInt(bits & 0x007fffff);
  if ((bits & 0x00800000) !== 0) return 0n;
  const target = size <= 3 ? mantissa >> BigInt(8 * (3 - size)) : mantissa << BigInt(8 * (size - 3));
  return target < MAX_256 ? target : 0n;
}

/** Compact form of a target: its three most significant bytes, rounded down. */
export function encodeCompact(target: bigint): number {
  let size = Math.ceil(target.toString(2).length / 8);
  if (target === 0n) size = 0;
  let mantissa = size <= 3 ? Number(target) << (8 * (3 - size)) : Number(target >> BigInt(8 * (size - 3)));
  // The top bit of the mantissa is a sign, so a mantissa that would set it moves down a byte.
  if ((mantissa & 0x00800000) !== 0) {
    mantissa >>= 8;
    size += 1;
  }
  return ((size << 24) | mantissa) >>> 0;
}

/** Expected number of hashes behind a block: 2^256 / (target + 1). */
export function workOf(bits: number): bigint {
  const target = decodeCompact(bits);
  return target === 0n ? 0n : MAX_256 / (target + 1n);
}

/** Difficulty as a multiple of that of the target 0x1d00ffff. */
export function difficultyOf(bits: number): number {
  let shift = bits >>> 24;
  let difficulty = 0x0000ffff / (bits & 0x00ffffff);
  for (; shift < 29; shift++) difficulty *= 256;
  for (; shift > 29; shift--) difficulty /= 256;
  return difficulty;
}
