import type { Hash256 } from '../../primitives/hash.js';
import { Heap, type HeapItem } from '../../util/heap.js';
import { Lru } from '../../util/lru.js';
import { shortKey } from './recent-rejects.js';

/** Time after which an unanswered request is repeated to another peer. */
const INTERVAL_MS = 60_000;
/** Added to the interval, so that peers cannot predict the end of a request. */
const MAX_RANDOM_DELAY_MS = 2_000;
/** Requests to inbound peers wait this long: an attacker might announce a transaction and then withhold it. */
const INBOUND_DELAY_MS = 2_000;
const EXPIRY_MS = 10 * INTERVAL_MS;
const MAX_IN_FLIGHT = 100;
/** Most remembered announcements of one peer, as in Bitcoin Core since 0.21: those of an honest peer in ten minutes. */
const MAX_ANNOUNCED = 5_000;
/** Announcements examined in one call of `due`; the next call continues. */
const MAX_LOOKS = 500;
const MAX_REMEMBERED = 50_000;

interface Waiting extends HeapItem {
  readonly txid: Hash256;
  readonly key: string;
  atMs: number;
}

/** Time of the last request of each transaction, from any peer. */
export class RequestTimes {
  readonly #times = new Lru<string, number>(MAX_REMEMBERED);

  get(key: string): number | undefined {
    return this.#times.get(key);
  }

  set(key: string, nowMs: number): void {
    this.#times.set(key, nowMs);
  }

  delete(key: string): void {
    this.#times.delete(key);
  }
}

export interface TxRequestsOptions {
  /** The peer is outbound, or has the permission `noban`. */
  readonly preferred: boolean;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Transactions that one peer announced, and those requested from it. Times are those of the relay clock. */
export class TxRequests {
  readonly #options: TxRequestsOptions;
  readonly #times: RequestTimes;
  readonly #announced = new Set<string>();
  readonly #waiting = new Heap<Waiting>((a, b) => a.atMs < b.atMs);
  readonly #inFlight = new Map<string, number>();
  #nextExpiryMs = 0;

  constructor(options: TxRequestsOptions, times: RequestTimes) {
    this.#options = options;
    this.#times = times;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** True if further announcements of the peer will be ignored. */
  get isFull(): boolean {
    return this.#announced.size >= MAX_ANNOUNCED || this.#waiting.size >= MAX_ANNOUNCED;
  }

  /** Notes that the peer announced a wanted transaction. */
  announce(txid: Hash256, nowMs: number): void {
    const key = shortKey(txid);
    if (this.#announced.has(key) || this.isFull) return;
    this.#announced.add(key);
    this.#waiting.push({ txid: Uint8Array.from(txid), key, atMs: this.#timeFor(key, nowMs), heapIndex: -1 });
  }

  #timeFor(key: string, nowMs: number): number {
    const last = this.#times.get(key);
    const base = last === undefined ? nowMs : last + INTERVAL_MS + this.#options.random() * MAX_RANDOM_DELAY_MS;
    return base + (this.#options.preferred ? 0 : INBOUND_DELAY_MS);
  }

  /** Forgets a transaction that arrived or that the peer does not have. */
  forget(txid: Hash256): void {
    const key = shortKey(txid);
    this.#announced.delete(key);
    this.#inFlight.delete(key);
  }

  /** True if the transaction was requested from this peer and has not arrived. */
  isInFlight(txid: Hash256): boolean {
    return this.#inFlight.has(shortKey(txid));
  }

  /**
   * Returns the transactions to request from the peer now.
   * @param have returns true if a transaction is no longer wanted
   */
  due(nowMs: number, have: (txid: Hash256) => boolean): Hash256[] {
    this.#expire(nowMs);
    const requested: Hash256[] = [];
    let looks = 0;
    for (let first = this.#waiting.peek(); first && first.atMs <= nowMs; first = this.#waiting.peek()) {
      if (this.#inFlight.size >= MAX_IN_FLIGHT || looks >= MAX_LOOKS) break;
      looks += 1;
      if (have(first.txid)) {
        this.#waiting.delete(first);
        this.forget(first.txid);
        continue;
      }
      const last = this.#times.get(first.key);
      if (last !== undefined && last > nowMs - INTERVAL_MS) {
        // Another peer has a request that has not timed out.
        first.atMs = Math.max(this.#timeFor(first.key, nowMs), nowMs + 1);
        this.#waiting.update(first);
        continue;
      }
      this.#waiting.delete(first);
      this.#times.set(first.key, nowMs);
      this.#inFlight.set(first.key, nowMs);
      requested.push(first.txid);
    }
    return requested;
  }

  /** Forgets requests that were not answered for ten minutes or more, so that the peer may announce again. */
  #expire(nowMs: number): void {
    if (nowMs < this.#nextExpiryMs) return;
    for (const [key, sinceMs] of this.#inFlight) {
      if (sinceMs > nowMs - EXPIRY_MS) continue;
      this.#inFlight.delete(key);
      this.#announced.delete(key);
    }
    this.#nextExpiryMs = nowMs + EXPIRY_MS / 2 + this.#options.random() * EXPIRY_MS;
  }
}
