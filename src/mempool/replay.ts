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
 * @see spec: chain 5.5
 */
export class CustomTxReplay {
  #isStale = false;

  constructor(private readonly deps: ReplayDeps) {
    deps.pool.on('removed', ({ entry }) => {
      this.#isStale ||= entry.isCustom;
    });
  }

  /** What lies below the gate's state changed. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Applies the pool's custom transactions as of a block at `height`; those that fail leave, with what depends on them. */
  refresh(height: number): void {
    if (!this.#isStale) return;
    const { pool, gate } = this.deps;
    gate.reset();
    for (const entry of inTimeOrder(pool.entries())) {
      if (!entry.isCustom || !pool.has(entry) || this.#apply(entry, height)) continue;
      pool.removeWithDescendants([entry], 'block');
    }
    this.#isStale = false;
  }

  #apply({ tx, time }: MempoolEntry, height: number): boolean {
    const { gate, acceptance } = this.deps;
    try {
      const spent = acceptance.findSpent(tx);
      acceptance.checkInputs(tx, spent, height);
      gate.apply(tx, { height, time, spent: spent as readonly SpentOutput[], coin: acceptance.findOutput })();
      return true;
    } catch (error) {
      if (error instanceof TxInvalid) return false;
      throw error;
    }
  }
}
