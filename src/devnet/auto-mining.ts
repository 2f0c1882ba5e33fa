import type { Pool } from '../mempool/pool.js';
import type { Logger } from '../util/logger.js';
import type { MiningMode } from './options.js';

export interface AutoMiningDeps {
  /** Mints one block on the tip. */
  readonly mine: () => Promise<unknown>;
  readonly pool: Pick<Pool, 'on' | 'size'>;
  readonly log: Logger;
}

/** Mints blocks of a development network automatically, by its mode. */
export class AutoMining {
  #mode: MiningMode = 'off';
  #timer: NodeJS.Timeout | undefined;
  /** Minting of the block for the transactions that are in the mempool. */
  #pending: Promise<void> | undefined;

  constructor(private readonly deps: AutoMiningDeps) {
    deps.pool.on('added', () => {
      if (this.#mode === 'tx') this.#pending ??= this.#mineSoon();
    });
  }

  get mode(): MiningMode {
    return this.#mode;
  }

  /** Starts another mode. Transactions that wait in the mempool are mined immediately in mode `tx`. */
  set mode(mode: MiningMode) {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#mode = mode;
    if (mode === 'tx' && this.deps.pool.size > 0) this.#pending ??= this.#mineSoon();
    if (typeof mode === 'number') this.#timer = setInterval(() => void this.#mine(), mode * 1000);
  }

  /** Resolves when the block with the transactions sent so far is the tip; undefined if none is being minted. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  /** Ends the minting. */
  async stop(): Promise<void> {
    this.mode = 'off';
    await this.#pending;
  }

  /** Mints in a later turn of the event loop, so that transactions which are sent together get into one block. */
  async #mineSoon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#pending = undefined;
    await this.#mine();
  }

  async #mine(): Promise<void> {
    try {
      await this.deps.mine();
    } catch (error) {
      this.deps.log.warn('no block was minted', { error: String(error) });
    }
  }
}
