import { MAX_STANDARD_WEIGHT } from '../../mempool/policy.js';
import type { Hash256 } from '../../primitives/hash.js';
import { pointKey } from '../../primitives/outpoint.js';
import { type Transaction, transactionWeight } from '../../primitives/transaction.js';
import { toHex } from '../../util/bytes.js';
import { systemRandom } from '../../util/random.js';
import type { Peer } from '../net/peer.js';

const KEEP_MS = 20 * 60_000;
/** Interval between searches for expired orphans. */
const SWEEP_MS = 5 * 60_000;

export interface Orphan {
  readonly tx: Transaction;
  /** Sender. */
  readonly peer: Peer;
}

interface StoredOrphan extends Orphan {
  readonly key: string;
  readonly expiresMs: number;
}

/** Transactions with unknown inputs. Above the limit a random one is evicted, so that an attacker cannot choose which. */
export class OrphanTransactions {
  readonly #maxEntries: number;
  readonly #random: () => number;
  readonly #orphans = new Map<string, StoredOrphan>();
  readonly #spenders = new Map<string, Set<StoredOrphan>>();
  #nextSweepMs = 0;

  /** @param random from 0 up to 1 */
  constructor(maxEntries: number, random: () => number = systemRandom) {
    this.#maxEntries = maxEntries;
    this.#random = random;
  }

  get size(): number {
    return this.#orphans.size;
  }

  has(txid: Hash256): boolean {
    return this.#orphans.has(toHex(txid));
  }

  /** @returns false if the transaction is too large or already stored */
  add(tx: Transaction, peer: Peer, nowMs: number): boolean {
    const key = toHex(tx.txid);
    // Larger transactions are not standard, and as orphans they would use too much memory (docs/protocol/chain.md 5.6).
    if (this.#orphans.has(key) || transactionWeight(tx) > MAX_STANDARD_WEIGHT) return false;
    const orphan: StoredOrphan = { tx, peer, key, expiresMs: nowMs + KEEP_MS };
    this.#orphans.set(key, orphan);
    for (const { prevout } of tx.vin) {
      const point = pointKey(prevout);
      const spenders = this.#spenders.get(point);
      if (spenders) spenders.add(orphan);
      else this.#spenders.set(point, new Set([orphan]));
    }
    this.#shrink(nowMs);
    return true;
  }

  #shrink(nowMs: number): void {
    if (nowMs >= this.#nextSweepMs) {
      for (const orphan of [...this.#orphans.values()]) if (orphan.expiresMs <= nowMs) this.#remove(orphan);
      this.#nextSweepMs = nowMs + SWEEP_MS;
    }
    while (this.#orphans.size > this.#maxEntries) {
      const all = [...this.#orphans.values()];
      const victim = all[Math.floor(this.#random() * all.length)];
      if (victim) this.#remove(victim);
    }
  }

  /** Orphans that spend an output of `parent`, in the order of its outputs. They stay stored. */
  childrenOf(parent: Pick<Transaction, 'txid' | 'vout'>): Orphan[] {
    const found = new Set<StoredOrphan>();
    for (let vout = 0; vout < parent.vout.length; vout++) {
      for (const orphan of this.#spenders.get(pointKey({ txid: parent.txid, vout })) ?? []) found.add(orphan);
    }
    return [...found];
  }

  delete(txid: Hash256): void {
    const orphan = this.#orphans.get(toHex(txid));
    if (orphan) this.#remove(orphan);
  }

  /** Deletes the orphans that a peer sent. */
  deleteFrom(peer: Peer): void {
    for (const orphan of [...this.#orphans.values()]) if (orphan.peer === peer) this.#remove(orphan);
  }

  /** Deletes the orphans that are in a block or conflict with its transactions. */
  blockConnected(transactions: readonly Transaction[]): void {
    if (this.#orphans.size === 0) return;
    for (const tx of transactions) {
      this.delete(tx.txid);
      for (const { prevout } of tx.vin) for (const orphan of [...(this.#spenders.get(pointKey(prevout)) ?? [])]) this.#remove(orphan);
    }
  }

  #remove(orphan: StoredOrphan): void {
    if (!this.#orphans.delete(orphan.key)) return;
    for (const { prevout } of orphan.tx.vin) {
      const point = pointKey(prevout);
      const spenders = this.#spenders.get(point);
      spenders?.delete(orphan);
      if (spenders?.size === 0) this.#spenders.delete(point);
    }
  }
}
