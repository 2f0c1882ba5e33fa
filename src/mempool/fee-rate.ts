/** Fee rates are satoshis per 1,000 virtual bytes. */

const KILO = 1000n;

/** Fee for that many bytes, rounded down, but never nothing where the rate is something. */
export function feeForSize(rate: bigint, sizeBytes: number): bigint {
  const fee = (rate * BigInt(sizeBytes)) / KILO;
  if (fee !== 0n || sizeBytes === 0 || rate === 0n) return fee;
  return rate > 0n ? 1n : -1n;
}

/** Rate that a fee amounts to, rounded down; 0 for no bytes. */
export function feeRateOf(fee: bigint, sizeBytes: number): bigint {
  return sizeBytes > 0 ? (fee * KILO) / BigInt(sizeBytes) : 0n;
}
