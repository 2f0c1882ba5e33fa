/** Fee rates are satoshis per 1,000 virtual bytes. */

const KILO = 1000n;

/** Fee in satoshis, rounded towards zero, but at least 1 (or -1) if size and rate are not zero. */
export function feeForSize(rate: bigint, sizeBytes: number): bigint {
  const fee = (rate * BigInt(sizeBytes)) / KILO;
  if (fee !== 0n || sizeBytes === 0 || rate === 0n) return fee;
  return rate > 0n ? 1n : -1n;
}

/** Fee rate of a fee in satoshis, rounded towards zero; 0 if the size is 0. */
export function feeRateOf(fee: bigint, sizeBytes: number): bigint {
  return sizeBytes > 0 ? (fee * KILO) / BigInt(sizeBytes) : 0n;
}
