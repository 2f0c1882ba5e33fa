import type { Chain } from '../chain/chain.js';
import { applyCustomTx } from '../dfi/execution/apply.js';
import type { Transaction } from '../primitives/transaction.js';
import { Overlay } from '../storage/overlay.js';
import type { StateView } from '../storage/view.js';
import { CustomTxFailure, type CustomTxGate, type GateContext } from './custom-tx-gate.js';

/** The part of the chain that the gate reads. */
export type GateChain = Pick<Chain, 'params' | 'tip' | 'state' | 'entryAt'>;

/**
 * Applies the custom transactions of the pool to an overlay of the state at the tip. If a block removes no custom transaction from the
 * pool, the overlay is kept and put on top of the new tip's state. Stricter than a block: a transaction that fails is rejected.
 * @see docs/protocol/chain.md 5.5
 */
export class DvmGate implements CustomTxGate {
  readonly #chain: GateChain;
  #base: StateView;
  #tip: GateChain['tip'];
  #overlay: Overlay;

  constructor(chain: GateChain) {
    this.#chain = chain;
    this.#base = chain.state;
    this.#tip = chain.tip;
    this.#overlay = new Overlay(this.#base);
  }

  get state(): Overlay {
    const { state, tip } = this.#chain;
    if (state !== this.#base || tip !== this.#tip) {
      // The overlay caches reads of the old base state, so its changes move to a new overlay.
      const moved = new Overlay(state);
      moved.restore(this.#overlay.changes());
      this.#overlay = moved;
      this.#base = state;
      this.#tip = tip;
    }
    return this.#overlay;
  }

  reset(): void {
    this.#base = this.#chain.state;
    this.#tip = this.#chain.tip;
    this.#overlay = new Overlay(this.#base);
  }

  apply(tx: Transaction, { spent, ...at }: GateContext): () => void {
    const { params, state } = this.#chain;
    const blockTime = (height: number) => this.#chain.entryAt(height)?.time;
    // `defid` takes the gas limit from the tip, without pooled changes of governance.
    const block = { ...at, params, blockTime, evmStage: 'pool', evmTip: state } as const;
    const outcome = applyCustomTx({ tx, txIndex: 0, spent }, block, this.state);
    if (outcome.status === 'failed') throw new CustomTxFailure(outcome.message, outcome.fatal);
    return outcome.status === 'applied' ? () => outcome.effects.overlay.commit() : () => {};
  }
}
