import type { Random } from '../util/random.js';
import type { Wallet } from './wallet.js';

/** Longest time between two attempts. */
const MAX_PAUSE_SEC = 30 * 60;
/** A transaction that is younger than this when a block comes may just have missed it. */
const LEAST_AGE_SEC = 5 * 60;

/**
 * Sends transactions of a wallet again that no block took up: at random times, and only if there was a block since the last time,
 * because what is sent on a schedule tells whose it is. @see docs/protocol/wallet.md 2.6
 */
export class Resender {
  #nextAt = 0;
  #lastAt = 0;
  #lastBlockAt = 0;

  constructor(
    private readonly wallet: Wallet,
    private readonly random: Random,
  ) {}

  /** A block came, at seconds since 1970. */
  blockConnected(now: number): void {
    this.#lastBlockAt = now;
  }

  /** To be called every second or so. */
  tick(now: number): void {
    const { chain, settings } = this.wallet.deps;
    if (!settings.broadcast || now < this.#nextAt || chain.isInitialDownload()) return;
    const isFirst = this.#nextAt === 0;
    this.#nextAt = now + this.random(MAX_PAUSE_SEC);
    if (isFirst || this.#lastBlockAt < this.#lastAt) return;
    this.#lastAt = now;
    this.#send();
  }

  #send(): void {
    const { mempool, settings, relay } = this.wallet.deps;
    for (const wtx of this.wallet.unspent.unconfirmedTransactions()) {
      if (wtx.isAbandoned || wtx.receivedAt > this.#lastBlockAt - LEAST_AGE_SEC) continue;
      const isThere = this.wallet.isInMempool(wtx) || mempool.accept(wtx.tx, { absurdFee: settings.maxFee }).status === 'accepted';
      if (isThere) relay?.announce(wtx.tx);
    }
  }
}
