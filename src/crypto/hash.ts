import { createHmac, hash as nodeHash } from 'node:crypto';
import { ripemd160 as jsRipemd160 } from '@noble/hashes/legacy.js';

/**
 * Digest as a string of one char per byte, the fastest form: digests as bytes are allocated outside of the heap, which takes longer than
 * the hashing of short inputs.
 */
function digestText(algorithm: string, bytes: Uint8Array): string {
  return nodeHash(algorithm, bytes, 'binary');
}

/** A hash in the pool of `Buffer` would keep 8 KiB in memory for as long as it is used, and ids of transactions are used for long. */
function digest(algorithm: string, bytes: Uint8Array): Uint8Array {
  const text = digestText(algorithm, bytes);
  const result = Buffer.allocUnsafeSlow(text.length);
  for (let i = 0; i < result.length; i++) result[i] = text.charCodeAt(i);
  return result;
}

/** SHA-256. @returns 32 bytes */
export function sha256(bytes: Uint8Array): Uint8Array {
  return digest('sha256', bytes);
}

/** Shared buffer for the first hash of a double hash. */
const inner = Buffer.alloc(32);

/** SHA-256 twice: ids of blocks and transactions, checksums. @returns 32 bytes, wire order */
export function sha256d(bytes: Uint8Array): Uint8Array {
  inner.write(digestText('sha256', bytes), 'latin1');
  return digest('sha256', inner);
}

/** Writes the double SHA-256 into a buffer, without allocating a digest. */
export function writeSha256d(bytes: Uint8Array, into: Buffer, at: number): void {
  inner.write(digestText('sha256', bytes), 'latin1');
  into.write(digestText('sha256', inner), at, 'latin1');
}

/** Writes the first `size` bytes of the double SHA-256 into a buffer, without allocating a digest. */
export function writeChecksum(bytes: Uint8Array, into: Uint8Array, at: number, size: number): void {
  inner.write(digestText('sha256', bytes), 'latin1');
  const text = digestText('sha256', inner);
  for (let i = 0; i < size; i++) into[at + i] = text.charCodeAt(i);
}

/** SHA-512. @returns 64 bytes */
export function sha512(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha512', bytes, 'buffer');
}

/** SHA-1, for OP_SHA1 alone. @returns 20 bytes */
export function sha1(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha1', bytes, 'buffer');
}

// OpenSSL 3 has RIPEMD-160 in its legacy provider, which some builds and FIPS modes disable.
function opensslHasRipemd160(): boolean {
  try {
    nodeHash('ripemd160', '', 'buffer');
    return true;
  } catch {
    return false;
  }
}

/** RIPEMD-160. @returns 20 bytes */
export const ripemd160: (bytes: Uint8Array) => Uint8Array = opensslHasRipemd160()
  ? (bytes) => digest('ripemd160', bytes)
  : (bytes) => jsRipemd160(bytes);

/** RIPEMD-160 of SHA-256: ids of keys and scripts. @returns 20 bytes */
export function hash160(bytes: Uint8Array): Uint8Array {
  inner.write(digestText('sha256', bytes), 'latin1');
  return ripemd160(inner);
}

/** HMAC-SHA-256. @returns 32 bytes */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(message).digest();
}

/** HMAC-SHA-512. @returns 64 bytes */
export function hmacSha512(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac('sha512', key).update(message).digest();
}
