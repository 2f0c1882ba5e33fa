import type { Hash256 } from '../../primitives/hash.js';
import { RecentSet } from '../../util/recent-set.js';

const MAX_ENTRIES = 120_000;

/**
 * Transactions rejected since the tip changed, so that they are not requested again from every peer that announces them. After a change
 * of the tip they may be valid: timelocks expire, and conflicting transactions disappear.
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

/** Key for maps of hashes: the first 16 bytes, one character each. */
export function shortKey(hash: Hash256): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1', 0, 16);
}
