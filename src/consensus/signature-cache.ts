import { randomBytes } from 'node:crypto';
import { verify } from '../crypto/ecdsa.js';
import { sha256 } from '../crypto/hash.js';
import type { Hash256 } from '../primitives/hash.js';
import { byteText, concatBytes } from '../util/bytes.js';
import { RecentSet } from '../util/recent-set.js';

/** Estimated memory of an entry: a digest as text, and its place in a set. */
const ENTRY_BYTES = 128;
/** Default of `-maxsigcachesize`. */
const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;

/**
 * Cache of valid signatures, so that a block whose transactions were in the mempool needs few verifications. Invalid ones are not cached,
 * as a peer could fill the cache with them.
 */
export class SignatureCache {
  readonly #valid: RecentSet;
  readonly #salt: Uint8Array;

  /** @param salt makes cache keys unpredictable for peers */
  constructor(maxBytes = DEFAULT_CACHE_BYTES, salt: Uint8Array = randomBytes(16)) {
    this.#valid = new RecentSet(Math.floor(maxBytes / ENTRY_BYTES));
    this.#salt = salt;
  }

  get size(): number {
    return this.#valid.size;
  }

  /** Cached `verify` of crypto/ecdsa, for use in a `TransactionChecker`. */
  readonly verify = (publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): boolean => {
    const key = this.#key(publicKey, derSignature, hash);
    if (this.#valid.has(key)) return true;
    const right = verify(publicKey, derSignature, hash);
    if (right) this.#valid.add(key);
    return right;
  };

  /** Adds a signature that was verified elsewhere, e.g. by a worker thread. */
  add(publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): void {
    this.#valid.add(this.#key(publicKey, derSignature, hash));
  }

  has(publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): boolean {
    return this.#valid.has(this.#key(publicKey, derSignature, hash));
  }

  /** The first byte of a valid public key implies its length, so the concatenation is unambiguous. */
  #key(publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256): string {
    const digest = sha256(concatBytes(this.#salt, hash, publicKey, derSignature));
    return byteText(digest);
  }
}
