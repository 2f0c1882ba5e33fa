import type { Hash256 } from '../../primitives/hash.js';
import { RecentSet } from '../../util/recent-set.js';

const MAX_ENTRIES = 120_000;

/**
 * Transactions that were refused since the tip changed, so that they are not fetched again from everyone who announces them. A new
 * tip may let them in: locks end, and conflicts are settled.
 */
export class RejectedTransactions {
  readonly #rejected = new RecentSet(MAX_ENTRIES);

  get size(): number {
    return this.#rejected.size;
  }

  has(txid: Hash256): boolean {
    return this.#rejected.has(shortKey(txid));
  }

  add(txid: Hash256): void {
    this.#rejected.add(shortKey(txid));
  }

  tipChanged(): void {
    this.#rejected.clear();
  }
}

/** Half of a hash, which is enough to tell hashes apart, as a text that takes a byte per byte. */
export function shortKey(hash: Hash256): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1', 0, 16);
}
