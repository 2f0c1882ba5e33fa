import { fromHex, reverseBytes, toReversedHex } from '../util/bytes.js';
import { type Codec, fixedBytes } from './codec.js';

/** 32 bytes in wire order; only `parseHash256` and `formatHash` reverse them. */
export type Hash256 = Uint8Array;
/** 20 bytes: the id of a key or script. */
export type Hash160 = Uint8Array;

/** Size of a {@link Hash256}. */
export const HASH_BYTES = 32;

export const hash256: Codec<Hash256> = fixedBytes(HASH_BYTES);
export const hash160: Codec<Hash160> = fixedBytes(20);

export const NULL_HASH: Hash256 = new Uint8Array(32);

export function isNullHash(hash: Hash256): boolean {
  for (let i = 0; i < hash.length; i++) if (hash[i] !== 0) return false;
  return true;
}

/** Hex digits of a 32-byte hash. */
export const HASH_DIGITS = 64;

/** Formats a hash as 64 hex digits in display order (reversed). */
export function formatHash(hash: Hash256): string {
  return toReversedHex(hash);
}

/** Parses 64 hex digits in display order. @throws {TypeError} for other text */
export function parseHash256(text: string): Hash256 {
  if (text.length !== HASH_DIGITS) throw new TypeError('not 64 hex digits');
  return reverseBytes(fromHex(text));
}
