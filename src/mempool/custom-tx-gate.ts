import { TxInvalid } from '../consensus/errors.js';
import type { SpentOutput } from '../consensus/transaction.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import type { StateView } from '../storage/view.js';

/** Block context in which a pooled transaction is applied. */
export interface GateContext {
  /** Height of the block that would include it. */
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly spent: readonly SpentOutput[];
  /** True if the block has an EVM; undefined if the state with all pooled transactions decides. */
  readonly evmEnabled?: boolean;
  /** An output of a pooled transaction, or a coin of the chain. */
  coin(point: OutPoint): TxOut | undefined;
}

/** A custom transaction whose message fails. */
export class CustomTxFailure extends TxInvalid {
  constructor(
    /** The whole message of `defid`, e.g. `CreateMasternodeTx: …`. */
    reason: string,
    /** True if a block with the transaction is invalid; the mempool does not accept the transaction either way. */
    readonly fatal: boolean,
  ) {
    super(reason);
  }
}

/**
 * DeFi state at the tip with the effects of all pooled custom transactions on top. Without an implementation, the pool accepts custom
 * transactions without applying their payload.
 * @see docs/protocol/chain.md 5.5
 */
export interface CustomTxGate {
  /** State to which the next transaction is applied. */
  readonly state: StateView;
  /** Drops the effects of pooled transactions and starts from the state at the current tip. */
  reset(): void;
  /**
   * Applies the payload of a custom transaction on trial.
   * @returns a function that commits the effects; not called if the transaction is rejected for another reason
   * @throws {CustomTxFailure} if the message fails
   */
  apply(tx: Transaction, at: GateContext): () => void;
}

/** A gate that accepts all custom transactions without applying them. */
export function acceptAllGate(chain: { readonly state: StateView }): CustomTxGate {
  return {
    get state() {
      return chain.state;
    },
    reset() {},
    apply: () => () => {},
  };
}
