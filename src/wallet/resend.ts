import type { Random } from '../util/random.js';
import type { Wallet } from './wallet.js';

/** Maximum time between two attempts. */
const MAX_PAUSE_SEC = 30 * 60;
/** Minimum age at the last block: a younger transaction may have arrived too late for it. */
const MIN_AGE_SEC = 5 * 60;

/**
 * Announces unconfirmed transactions of a wallet again: at random times, and only if a block was connected since the last time, as a
 * regular schedule would reveal the owner. @see docs/protocol/wallet.md 2.6
 */
export class Resender {
  #nextAt = 0;
  #lastAt = 0;
  #lastBlockAt = 0;

  constructor(
    private readonly wallet: Wallet,
    private readonly random: Random,
  ) {}

  /** @param now seconds since 1970 */
  blockConnected(now: number): void {
    this.#lastBlockAt = now;
  }

  /** Call about once a second. @param now seconds since 1970 */
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
      if (wtx.isAbandoned || wtx.receivedAt > this.#lastBlockAt - MIN_AGE_SEC) continue;
      const isThere = this.wallet.isInMempool(wtx) || mempool.accept(wtx.tx, { absurdFee: settings.maxFee }).status === 'accepted';
      if (isThere) relay?.announce(wtx.tx);
    }
  }
}
