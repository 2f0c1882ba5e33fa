import type { Chain } from '../chain/chain.js';
import { TxInvalid } from '../consensus/errors.js';
import { applyCustomTx } from '../dfi/execution/apply.js';
import type { Transaction } from '../primitives/transaction.js';
import { Overlay } from '../storage/overlay.js';
import type { StateView } from '../storage/view.js';
import { type CustomTxGate, EVM_NOT_EXECUTED, type GateContext } from './custom-tx-gate.js';

/** What the gate asks of the chain. */
export type GateChain = Pick<Chain, 'params' | 'tip' | 'state' | 'entryAt'>;

/**
 * Executes the custom transactions of the pool on a state of their own above the tip's. A block that takes nothing out of the pool
 * leaves that state as it is, on top of the new tip's. Stricter than a block: whatever fails may not enter.
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
      // An overlay remembers what it read from below, and below there is another state now.
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

  apply(tx: Transaction, { height, time, spent, coin }: GateContext): () => void {
    const blockTime = (at: number) => this.#chain.entryAt(at)?.time;
    const block = { height, time, params: this.#chain.params, coin, blockTime, evmStage: 'pool' } as const;
    const outcome = applyCustomTx({ tx, txIndex: 0, spent }, block, this.state);
    if (outcome.status === 'failed') throw new TxInvalid(outcome.message);
    // From a block that holds one on, this node knows less: it shall not be ours.
    if (outcome.status === 'unbuilt') throw new TxInvalid(EVM_NOT_EXECUTED);
    return outcome.status === 'applied' ? () => outcome.effects.overlay.commit() : () => {};
  }
}
