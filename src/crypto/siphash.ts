/** The two 64-bit halves of a SipHash key, each as low and high 32 bits. */
export interface SipKey {
  readonly low0: number;
  readonly high0: number;
  readonly low1: number;
  readonly high1: number;
}

/** @param bytes 16 bytes: two little-endian 64-bit halves */
export function sipKey(bytes: Uint8Array): SipKey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { low0: view.getInt32(0, true), high0: view.getInt32(4, true), low1: view.getInt32(8, true), high1: view.getInt32(12, true) };
}

/** State of four 64-bit words, each as low and high 32 bits, since JavaScript has no fast 64-bit arithmetic. */
const v = new Int32Array(8);

/**
 * SipHash-2-4.
 * @param out receives the 64-bit hash: low 32 bits, then high ones
 * @see Aumasson and Bernstein, "SipHash: a fast short-input PRF"
 */
export function sipHash24(key: SipKey, bytes: Uint8Array, out: Uint32Array): void {
  v[0] = key.low0 ^ 0x70736575;
  v[1] = key.high0 ^ 0x736f6d65;
  v[2] = key.low1 ^ 0x6e646f6d;
  v[3] = key.high1 ^ 0x646f7261;
  v[4] = key.low0 ^ 0x6e657261;
  v[5] = key.high0 ^ 0x6c796765;
  v[6] = key.low1 ^ 0x79746573;
  v[7] = key.high1 ^ 0x74656462;
  const tail = bytes.length & ~7;
  for (let at = 0; at < tail; at += 8) absorb(word(bytes, at, 4), word(bytes, at + 4, 4));
  // The last byte of the last word is the length modulo 256.
  const left = bytes.length & 7;
  const high = left > 4 ? word(bytes, tail + 4, left - 4) : 0;
  absorb(word(bytes, tail, Math.min(left, 4)), high | (bytes.length << 24));
  v[4] = (v[4] as number) ^ 0xff;
  rounds(4);
  out[0] = (v[0] as number) ^ (v[2] as number) ^ (v[4] as number) ^ (v[6] as number);
  out[1] = (v[1] as number) ^ (v[3] as number) ^ (v[5] as number) ^ (v[7] as number);
}

/** Up to four bytes, little-endian. */
function word(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value |= (bytes[at + i] as number) << (8 * i);
  return value;
}

function absorb(low: number, high: number): void {
  v[6] = (v[6] as number) ^ low;
  v[7] = (v[7] as number) ^ high;
  rounds(2);
  v[0] = (v[0] as number) ^ low;
  v[1] = (v[1] as number) ^ high;
}

function rounds(count: number): void {
  let l0 = v[0] as number;
  let h0 = v[1] as number;
  let l1 = v[2] as number;
  let h1 = v[3] as number;
  let l2 = v[4] as number;
  let h2 = v[5] as number;
  let l3 = v[6] as number;
  let h3 = v[7] as number;
  for (let i = 0; i < count; i++) {
    let low = (l0 >>> 0) + (l1 >>> 0);
    h0 = (h0 + h1 + (low > 0xffffffff ? 1 : 0)) | 0;
    l0 = low | 0;
    let swap = (l1 << 13) | (h1 >>> 19);
    h1 = ((h1 << 13) | (l1 >>> 19)) ^ h0;
    l1 = swap ^ l0;
    swap = l0;
    l0 = h0;
    h0 = swap;

    low = (l2 >>> 0) + (l3 >>> 0);
    h2 = (h2 + h3 + (low > 0xffffffff ? 1 : 0)) | 0;
    l2 = low | 0;
    swap = (l3 << 16) | (h3 >>> 16);
    h3 = ((h3 << 16) | (l3 >>> 16)) ^ h2;
    l3 = swap ^ l2;

    low = (l0 >>> 0) + (l3 >>> 0);
    h0 = (h0 + h3 + (low > 0xffffffff ? 1 : 0)) | 0;
    l0 = low | 0;
    swap = (l3 << 21) | (h3 >>> 11);
    h3 = ((h3 << 21) | (l3 >>> 11)) ^ h0;
    l3 = swap ^ l0;

    low = (l2 >>> 0) + (l1 >>> 0);
    h2 = (h2 + h1 + (low > 0xffffffff ? 1 : 0)) | 0;
    l2 = low | 0;
    swap = (l1 << 17) | (h1 >>> 15);
    h1 = ((h1 << 17) | (l1 >>> 15)) ^ h2;
    l1 = swap ^ l2;
    swap = l2;
    l2 = h2;
    h2 = swap;
  }
  v[0] = l0;
  v[1] = h0;
  v[2] = l1;
  v[3] = h1;
  v[4] = l2;
  v[5] = h2;
  v[6] = l3;
  v[7] = h3;
}
