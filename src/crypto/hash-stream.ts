import { createHash, type Hash } from 'node:crypto';
import type { Steps } from '../util/slicer.js';
import { sha256 } from './hash.js';

/** Incremental double SHA-256. */
export class Sha256d {
  readonly #hash: Hash = createHash('sha256');

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Digest of 32 bytes; may be called once. */
  digest(): Uint8Array {
    return sha256(this.#hash.digest());
  }
}

/** Bytes hashed per slice, in a fraction of a millisecond. */
const BYTES_AT_ONCE = 1 << 18;

/** True if the bytes are to be hashed in slices. */
export function isLong(bytes: Uint8Array): boolean {
  return bytes.length > BYTES_AT_ONCE;
}

/** Double SHA-256 in slices, for megabytes. @returns 32 bytes, wire order */
export function* longSha256d(bytes: Uint8Array): Steps<Uint8Array> {
  return sha256(yield* longSha256(bytes));
}

/** SHA-256 in slices, for megabytes. @returns 32 bytes */
export function* longSha256(bytes: Uint8Array): Steps<Uint8Array> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    hash.update(bytes.subarray(at, at + BYTES_AT_ONCE));
    yield;
  }
  return hash.digest();
}
