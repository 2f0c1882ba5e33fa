import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { shortKey } from './recent-rejects.js';

const KEEP_MS = 15 * 60_000;
const MAX_ENTRIES = 100_000;

/**
 * Transactions announced to any peer recently. Only these are sent on request: a peer that could request any transaction of the mempool
 * would learn when it arrived.
 */
export class RelayedTransactions {
  /** In order of announcement. */
  readonly #entries = new Map<string, { readonly tx: Transaction; readonly expiresMs: number }>();

  get size(): number {
    return this.#entries.size;
  }

  get(txid: Hash256): Transaction | undefined {
    return this.#entries.get(shortKey(txid))?.tx;
  }

  add(tx: Transaction, nowMs: number): void {
    const key = shortKey(tx.txid);
    if (this.#entries.has(key)) return;
    this.#entries.set(key, { tx, expiresMs: nowMs + KEEP_MS });
    for (const [oldest, { expiresMs }] of this.#entries) {
      if (expiresMs > nowMs && this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
  }
}
