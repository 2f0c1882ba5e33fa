import type { MempoolEntry } from '../../mempool/entry.js';
import { feeForSize } from '../../mempool/fee-rate.js';
import { firstInRelayOrder, inRelayOrder } from '../../mempool/order.js';
import type { Pool } from '../../mempool/pool.js';
import type { Hash256 } from '../../primitives/hash.js';
import { randomDelay } from '../../util/random.js';
import { RecentSet } from '../../util/recent-set.js';
import type { BloomFilter } from '../sync/bloom.js';
import { shortKey } from './recent-rejects.js';

/** Average intervals between inventories. They are random, so that observers cannot trace a transaction to its origin. */
const OUTBOUND_INTERVAL_MS = 2_000;
const INBOUND_INTERVAL_MS = 5_000;
/** Most transactions in one inventory. */
const BATCH_SIZE = 35;
const MAX_KNOWN = 20_000;
const MAX_QUEUED = 100_000;

/** Schedule of inventories. All inbound peers share one, so that an observer gains nothing by connecting more often. */
export class TrickleTimer {
  readonly #random: () => number;
  #inboundMs = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** @returns the time of the peer's next inventory */
  next(inbound: boolean, nowMs: number): number {
    if (!inbound) return nowMs + randomDelay(OUTBOUND_INTERVAL_MS, this.#random);
    if (this.#inboundMs < nowMs) this.#inboundMs = nowMs + randomDelay(INBOUND_INTERVAL_MS, this.#random);
    return this.#inboundMs;
  }
}

/** Transactions that one peer knows, and transactions to be announced to it. */
export class TxInventory {
  readonly #known = new RecentSet(MAX_KNOWN);
  /** Keys of entries in the mempool, by the keys of `#known`. They are strings of the mempool, which finds those in a fraction of the time. */
  readonly #queued = new Map<string, string>();
  nextSendMs = 0;
  /** The peer requested the transactions of the mempool (BIP35) and has not received them. */
  poolRequested = false;
  /** Time of the last answer to such a request, seconds since 1970. */
  poolSentSec: number | undefined;
  /** Lowest fee rate of transactions that the peer wants announced (BIP133), satoshis per kB. */
  feeFilter = 0n;
  bloom: BloomFilter | undefined;

  /** Notes that the peer has the transaction or was sent its announcement. */
  know(hash: Hash256): void {
    this.#known.add(shortKey(hash));
  }

  knows(hash: Hash256): boolean {
    return this.#known.has(shortKey(hash));
  }

  queue({ tx, key }: Pick<MempoolEntry, 'tx' | 'key'>): void {
    const short = shortKey(tx.txid);
    if (!this.#known.has(short) && this.#queued.size < MAX_QUEUED) this.#queued.set(short, key);
  }

  get queued(): number {
    return this.#queued.size;
  }

  clear(): void {
    this.#queued.clear();
  }

  /** Returns the next transactions to announce, parents first, then by fee rate, and marks them as known. */
  nextBatch(pool: Pick<Pool, 'withKey'>): MempoolEntry[] {
    if (this.#queued.size === 0) return [];
    const here = this.#present(pool);
    // A bloom filter may refuse any number of them.
    const ordered = this.bloom ? inRelayOrder(here) : firstInRelayOrder(here, BATCH_SIZE);
    const batch: MempoolEntry[] = [];
    for (const entry of ordered) {
      if (batch.length === BATCH_SIZE) break;
      this.#queued.delete(shortKey(entry.tx.txid));
      if (!this.#wants(entry)) continue;
      this.know(entry.tx.txid);
      batch.push(entry);
    }
    return batch;
  }

  /** Queued transactions that are in the mempool and that the fee filter admits; the others leave the queue. */
  #present(pool: Pick<Pool, 'withKey'>): MempoolEntry[] {
    const here: MempoolEntry[] = [];
    for (const [short, key] of this.#queued) {
      const entry = this.#known.has(short) ? undefined : pool.withKey(key);
      if (entry && this.#paysEnough(entry)) here.push(entry);
      else this.#queued.delete(short);
    }
    return here;
  }

  /** Returns all transactions of the mempool that pass the peer's filters, and marks them as known. */
  wholePool(pool: Pick<Pool, 'entries'>, nowSec: number): MempoolEntry[] {
    this.poolRequested = false;
    this.poolSentSec = nowSec;
    // Unlike announcements, the answer of defid applies the fee filter to EVM transactions too.
    const wanted = inRelayOrder(pool.entries()).filter((entry) => !this.#isCheap(entry) && this.#wants(entry));
    for (const { tx } of wanted) this.know(tx.txid);
    this.#queued.clear();
    return wanted;
  }

  #wants(entry: MempoolEntry): boolean {
    return this.#paysEnough(entry) && (this.bloom?.matches(entry.tx) ?? true);
  }

  #paysEnough(entry: MempoolEntry): boolean {
    // EVM transactions pay their fees in the EVM.
    return entry.isEvmOnly || !this.#isCheap(entry);
  }

  #isCheap({ fee, vsize }: MempoolEntry): boolean {
    return this.feeFilter > 0n && fee < feeForSize(this.feeFilter, vsize);
  }
}
