const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;
const BLOCK = 32;

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: bigint): bigint => wrap((value << bits) | (value >> (64n - bits)));
const round = (lane: bigint, input: bigint): bigint => wrap(rotate(wrap(lane + input * P2), 31n) * P1);

/** Hash of 128 bits by which `defid` recognises tracers: two of XXH64, with the seeds 0 and 1. @returns 16 bytes */
export function xxhash128(bytes: Uint8Array): Uint8Array {
  const result = new DataView(new ArrayBuffer(16));
  result.setBigUint64(0, xxhash64(bytes, 0n), true);
  result.setBigUint64(8, xxhash64(bytes, 1n), true);
  return new Uint8Array(result.buffer);
}

function xxhash64(bytes: Uint8Array, seed: bigint): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let hash = wrap(seed + P5);
  if (bytes.length >= BLOCK) {
    let lanes = [wrap(seed + P1 + P2), wrap(seed + P2), seed, wrap(seed - P1)] as const;
    for (; at + BLOCK <= bytes.length; at += BLOCK) {
      const next = (lane: bigint, i: number): bigint => round(lane, view.getBigUint64(at + 8 * i, true));
      lanes = [next(lanes[0], 0), next(lanes[1], 1), next(lanes[2], 2), next(lanes[3], 3)];
    }
    hash = wrap(rotate(lanes[0], 1n) + rotate(lanes[1], 7n) + rotate(lanes[2], 12n) + rotate(lanes[3], 18n));
    for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * P1 + P4);
  }
  hash = wrap(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) hash = wrap(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  for (; at + 4 <= bytes.length; at += 4) hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
  for (; at < bytes.length; at++) hash = wrap(rotate(hash ^ wrap(BigInt(bytes[at] as number) * P5), 11n) * P1);
  hash = wrap((hash ^ (hash >> 33n)) * P2);
  hash = wrap((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
