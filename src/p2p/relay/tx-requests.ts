import type { Hash256 } from '../../primitives/hash.js';
import { Heap, type HeapItem } from '../../util/heap.js';
import { Lru } from '../../util/lru.js';
import { shortKey } from './recent-rejects.js';

/** Another peer is asked for a transaction if the one before did not send it in this time. */
const INTERVAL_MS = 60_000;
/** So that nobody can tell when exactly a request ends. */
const MAX_RANDOM_DELAY_MS = 2_000;
/** Peers that connected to us are asked later: they may only want to keep a transaction from us. */
const INBOUND_DELAY_MS = 2_000;
const EXPIRY_MS = 10 * INTERVAL_MS;
const MAX_IN_FLIGHT = 100;
/** Announcements of one peer that are remembered, as in Bitcoin Core since 0.21: ten minutes' worth of what an honest peer sends. */
export const MAX_ANNOUNCED = 5_000;
/** Announcements looked at in one call of `due`; the next call continues. */
const MAX_LOOKS = 500;
const MAX_REMEMBERED = 50_000;

interface Waiting extends HeapItem {
  readonly txid: Hash256;
  readonly key: string;
  atMs: number;
}

/** When each transaction was last asked for, of whomever. */
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
  /** We chose the peer, or trust it. */
  readonly preferred: boolean;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Transactions that one peer announced, and which of them were asked of it. Times are those of the relay's clock. */
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

  /** As many announcements of the peer are remembered as may be; any more are ignored. */
  get isFull(): boolean {
    return this.#announced.size >= MAX_ANNOUNCED || this.#waiting.size >= MAX_ANNOUNCED;
  }

  /** Notes that the peer has a transaction that we want. */
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

  /** It came, or the peer does not have it. */
  forget(txid: Hash256): void {
    const key = shortKey(txid);
    this.#announced.delete(key);
    this.#inFlight.delete(key);
  }

  /** True if the transaction was asked of this peer and is waited for. */
  isInFlight(txid: Hash256): boolean {
    return this.#inFlight.has(shortKey(txid));
  }

  /**
   * What to ask of the peer now.
   * @param have whether a transaction is no longer wanted
   */
  due(nowMs: number, have: (txid: Hash256) => boolean): Hash256[] {
    this.#expire(nowMs);
    const asked: Hash256[] = [];
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
        // Another peer was asked first and has time left.
        first.atMs = Math.max(this.#timeFor(first.key, nowMs), nowMs + 1);
        this.#waiting.update(first);
        continue;
      }
      this.#waiting.delete(first);
      this.#times.set(first.key, nowMs);
      this.#inFlight.set(first.key, nowMs);
      asked.push(first.txid);
    }
    return asked;
  }

  /** A peer that never answers gets another chance after ten minutes or more. */
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
