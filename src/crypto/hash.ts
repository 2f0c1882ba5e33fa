import { createHmac, hash as nodeHash } from 'node:crypto';
import { ripemd160 as jsRipemd160 } from '@noble/hashes/legacy.js';

/** SHA-256. @returns 32 bytes */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha256', bytes, 'buffer');
}

/** SHA-256 twice: ids of blocks and transactions, checksums. @returns 32 bytes, wire order */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha256', nodeHash('sha256', bytes, 'buffer'), 'buffer');
}

/** SHA-512. @returns 64 bytes */
export function sha512(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha512', bytes, 'buffer');
}

/** SHA-1, for OP_SHA1 alone. @returns 20 bytes */
export function sha1(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha1', bytes, 'buffer');
}

// OpenSSL 3 keeps RIPEMD-160 in its legacy provider, which some builds and FIPS modes hide.
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
  ? (bytes) => nodeHash('ripemd160', bytes, 'buffer')
  : (bytes) => jsRipemd160(bytes);

/** RIPEMD-160 of SHA-256: ids of keys and scripts. @returns 20 bytes */
export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** HMAC-SHA-256. @returns 32 bytes */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(message).digest();
}

/** HMAC-SHA-512. @returns 64 bytes */
export function hmacSha512(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac('sha512', key).update(message).digest();
}
