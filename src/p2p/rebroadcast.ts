import type { Transaction } from '../primitives/transaction.js';

const MAX_INTERVAL_MS = 30 * 60_000;

export interface RebroadcastDeps {
  /** Own transactions that are not in a block yet, parents first. */
  readonly transactions: () => Iterable<Transaction>;
  readonly announce: (tx: Transaction) => void;
  readonly random: () => number;
}

/**
 * Announces own transactions again that no block took up, at random times and only if there was a block since: what is announced on a
 * schedule tells whose it is.
 */
export class Rebroadcast {
  readonly #deps: RebroadcastDeps;
  #nextMs: number;
  #blockSince = false;

  constructor(deps: RebroadcastDeps, nowMs: number) {
    this.#deps = deps;
    this.#nextMs = nowMs + deps.random() * MAX_INTERVAL_MS;
  }

  blockConnected(): void {
    this.#blockSince = true;
  }

  tick(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#deps.random() * MAX_INTERVAL_MS;
    if (!this.#blockSince) return;
    this.#blockSince = false;
    for (const tx of this.#deps.transactions()) this.#deps.announce(tx);
  }
}
