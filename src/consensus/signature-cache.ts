import { randomBytes } from 'node:crypto';
import { verify } from '../crypto/ecdsa.js';
import { sha256 } from '../crypto/hash.js';
import type { Hash256 } from '../primitives/hash.js';
import { concatBytes } from '../util/bytes.js';
import { RecentSet } from '../util/recent-set.js';

/** What one entry takes: a digest as text, and its place in a set. */
const ENTRY_BYTES = 128;
/** Default of `-maxsigcachesize`. */
export const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;

/**
 * Remembers signatures that were found right, so that a block whose transactions came through the pool has few left to verify.
 * Wrong ones are not kept: a peer could fill the cache with them.
 */
export class SignatureCache {
  readonly #right: RecentSet;
  readonly #salt: Uint8Array;

  /** @param salt makes keys that nobody else can predict */
  constructor(maxBytes = DEFAULT_CACHE_BYTES, salt: Uint8Array = randomBytes(16)) {
    this.#right = new RecentSet(Math.floor(maxBytes / ENTRY_BYTES));
    this.#salt = salt;
  }

  get size(): number {
    return this.#right.size;
  }

  /** `verify` of crypto/ecdsa with a memory; takes its place in a `TransactionChecker`. */
  readonly verify = (publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): boolean => {
    const key = this.#key(publicKey, derSignature, hash);
    if (this.#right.has(key)) return true;
    const right = verify(publicKey, derSignature, hash);
    if (right) this.#right.add(key);
    return right;
  };

  /** Notes a signature that someone else verified, e.g. a worker. */
  add(publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): void {
    this.#right.add(this.#key(publicKey, derSignature, hash));
  }

  has(publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): boolean {
    return this.#right.has(this.#key(publicKey, derSignature, hash));
  }

  /** A key that verifies shows its length in its first byte, so no two triples share their bytes. */
  #key(publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): string {
    const digest = sha256(concatBytes(this.#salt, hash, publicKey, derSignature));
    return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');
  }
}
