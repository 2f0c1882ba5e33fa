import type { SpentOutput } from '../consensus/transaction.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import type { StateView } from '../storage/view.js';

/** Why the pool has no transactions of the EVM itself. */
export const EVM_NOT_EXECUTED = 'evm-not-executed';

/** Where a pooled transaction is thought to be confirmed. */
export interface GateContext {
  /** Height of the block that it would be in. */
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly spent: readonly SpentOutput[];
  /** An output of the chain that is not spent there, or of the pool. */
  coin(point: OutPoint): TxOut | undefined;
}

/**
 * The state that pooled transactions make together on top of the tip's, custom transactions included. Implemented above the DeFi
 * state; a pool without one takes custom transactions for what they are without their payload.
 * @see docs/protocol/chain.md 5.5
 */
export interface CustomTxGate {
  /** State that the next transaction would be applied to. */
  readonly state: StateView;
  /** Drops what pooled transactions did and begins again at the present tip. */
  reset(): void;
  /**
   * Tries a transaction's custom part.
   * @returns what makes its effects part of the state; not called when the transaction is refused for another reason
   * @throws {TxInvalid} whose reason is the whole message, e.g. `CreateMasternodeTx: …`
   */
  apply(tx: Transaction, at: GateContext): () => void;
}

/** A gate that custom transactions pass without effect. */
export function openGate(chain: { readonly state: StateView }): CustomTxGate {
  return {
    get state() {
      return chain.state;
    },
    reset() {},
    apply: () => () => {},
  };
}
