import { createHash, type Hash } from 'node:crypto';
import type { Steps } from '../util/slicer.js';
import { sha256 } from './hash.js';

/** SHA-256 twice over bytes that come in pieces. */
export class Sha256d {
  readonly #hash: Hash = createHash('sha256');

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** 32 bytes; to be asked for once. */
  digest(): Uint8Array {
    return sha256(this.#hash.digest());
  }
}

/** Bytes that are hashed at once: a fraction of a millisecond. */
const BYTES_AT_ONCE = 1 << 18;

/** Whether hashing takes so long that it is done in steps. */
export function isLong(bytes: Uint8Array): boolean {
  return bytes.length > BYTES_AT_ONCE;
}

/** SHA-256 twice over bytes of which there may be megabytes. @returns 32 bytes, wire order */
export function* longSha256d(bytes: Uint8Array): Steps<Uint8Array> {
  const hash = new Sha256d();
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    hash.update(bytes.subarray(at, at + BYTES_AT_ONCE));
    yield;
  }
  return hash.digest();
}
