import { TxInvalid } from '../consensus/errors.js';
import type { SpentOutput } from '../consensus/transaction.js';
import { isStillValid } from '../dfi/evm/evm-transaction.js';
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
 * Keeps the gate's state consistent with the pool: after a custom transaction was removed, the remaining ones are re-applied before the
 * next check.
 * @see docs/protocol/chain.md 5.5
 */
export class CustomTxReplay {
  #isStale = false;
  /** True if any transaction, custom or not, was removed since the last replay. */
  #hasLost = false;

  constructor(private readonly deps: ReplayDeps) {
    deps.pool.on('removed', ({ entry, reason }) => {
      // A replaced EVM transaction leaves no effects; without this, each replacement would cost a check of the whole pool.
      this.#isStale ||= entry.isCustom && !(entry.isEvmOnly && reason === 'replaced');
      this.#hasLost = true;
    });
  }

  /** To be called at the end of a reorganisation: the next block re-checks the pool even if nothing was removed. */
  reorganised(): void {
    this.#hasLost = true;
  }

  /** Marks the gate's state as stale because the state below it was rolled back. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Re-applies the pool's custom transactions as of a block at `height`, if stale; removes those that fail, with their descendants. */
  refresh(height: number): void {
    this.#hasLost = false;
    if (this.#isStale) this.#replay((entry) => !entry.isCustom || this.#isStillValid(entry, height));
  }

  /**
   * {@link refresh} within a reorganisation, with a block that it connects: `defid` 4.2.5 re-checks the inputs of all transactions if any
   * was removed since the last time. Those of disconnected blocks are not in the pool yet, so their children are removed.
   */
  refreshWithinReorganisation(height: number): void {
    if (!this.#hasLost) return;
    this.#hasLost = false;
    this.#replay((entry) => this.#isStillValid(entry, height));
  }

  /**
   * Like {@link refresh}, but triggered by any removal, and inputs must be confirmed: children of unconfirmed transactions are removed.
   * `defid` 3.2.8 does so with each connected block, and applies the messages with time 0; in force below the Metachain height.
   */
  refreshOnChain(height: number): void {
    // A disconnected block alone triggers nothing here: `refresh` follows with the next transaction.
    if (!this.#hasLost) return;
    const { acceptance } = this.deps;
    this.#replay(({ tx, isCustom }) => this.#apply({ tx, isCustom }, height, 0, acceptance.findConfirmed(tx)));
    this.#hasLost = false;
  }

  #isStillValid(entry: MempoolEntry, height: number): boolean {
    if (entry.isEvmOnly) return this.#canPay(entry);
    return this.#apply(entry, height, entry.time, this.deps.acceptance.findSpent(entry.tx));
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

  /** Checks the decoded EVM transaction of an entry against the state at the tip. It has no effects on the state. */
  #canPay({ evm }: MempoolEntry): boolean {
    return evm === undefined || isStillValid(this.deps.gate.state, evm.signed);
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
