import { TxInvalid } from '../consensus/errors.js';
import type { SpentOutput } from '../consensus/transaction.js';
import type { Acceptance } from './acceptance.js';
import type { CustomTxGate } from './custom-tx-gate.js';
import type { MempoolEntry } from './entry.js';
import { inTimeOrder } from './order.js';
import type { Pool } from './pool.js';

export interface ReplayDeps {
  readonly pool: Pool;
  readonly gate: CustomTxGate;
  readonly acceptance: Acceptance;
}

/**
 * Keeps the gate's state that of the pool: once a custom transaction has left, those that stay are applied anew before the next
 * question.
 * @see docs/protocol/chain.md 5.5
 */
export class CustomTxReplay {
  #isStale = false;
  /** Something left since the last time, custom or not. */
  #hasLost = false;

  constructor(private readonly deps: ReplayDeps) {
    deps.pool.on('removed', ({ entry }) => {
      this.#isStale ||= entry.isCustom;
      this.#hasLost = true;
    });
  }

  /** A reorganisation is over: the next block looks at all that stays, whether or not something left. */
  reorganised(): void {
    this.#hasLost = true;
  }

  /** What lies below the gate's state changed. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Applies the pool's custom transactions as of a block at `height`; those that fail leave, with what depends on them. */
  refresh(height: number): void {
    this.#hasLost = false;
    if (!this.#isStale) return;
    const { acceptance } = this.deps;
    this.#replay((entry) => !entry.isCustom || this.#apply(entry, height, entry.time, acceptance.findSpent(entry.tx)));
  }

  /**
   * As {@link refresh}, but it is whatever left that makes all that stays be looked at, and what that spends has to be on the chain: what follows an
   * unconfirmed transaction leaves too. So it was with each block up to Metachain; the time of the pool did not count then.
   */
  refreshOnChain(height: number): void {
    // A block that was taken back is looked at with the next transaction.
    if (!this.#hasLost) return;
    const { acceptance } = this.deps;
    this.#replay(({ tx, isCustom }) => this.#apply({ tx, isCustom }, height, 0, acceptance.findConfirmed(tx)));
    this.#hasLost = false;
  }

  #replay(passes: (entry: MempoolEntry) => boolean): void {
    const { pool, gate } = this.deps;
    gate.reset();
    for (const entry of inTimeOrder(pool.entries())) {
      if (!pool.has(entry) || passes(entry)) continue;
      pool.removeWithDescendants([entry], 'block');
    }
    this.#isStale = false;
  }

  #apply(
    { tx, isCustom }: Pick<MempoolEntry, 'tx' | 'isCustom'>,
    height: number,
    time: number,
    spent: readonly (SpentOutput | undefined)[],
  ): boolean {
    const { gate, acceptance } = this.deps;
    try {
      acceptance.checkInputs(tx, spent, height);
      if (isCustom) gate.apply(tx, { height, time, spent: spent as readonly SpentOutput[], coin: acceptance.findOutput })();
      return true;
    } catch (error) {
      if (error instanceof TxInvalid) return false;
      throw error;
    }
  }
}
