import type { Chain } from '../chain/chain.js';
import type { SpentOutput } from '../consensus/transaction.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import { commitmentOutput } from '../dfi/evm/commitment.js';
import { EvmLedger } from '../dfi/evm/ledger.js';
import { evmNonceIn } from '../dfi/evm/sender-nonce.js';
import { applyCustomTx, type ExecutionBlock } from '../dfi/execution/apply.js';
import { hasSkippedEvmTransactions } from '../dfi/kernel/unexecuted-columns.js';
import type { Pool } from '../mempool/pool.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import { Overlay } from '../storage/overlay.js';
import type { BlockTrial, StartTrial } from './assembler.js';

/** The part of the chain that a trial reads. */
export type TrialChain = Pick<Chain, 'params' | 'state' | 'coin' | 'entryAt'>;

/**
 * Applies custom transactions on trial, in block order, to the state at the tip. Those that would make the block invalid are left out with
 * their descendants; one that may fail is included, without effect.
 * @see docs/protocol/chain.md 6.3
 */
export function trialsOnTip(chain: TrialChain, pool: Pick<Pool, 'output'>): StartTrial {
  return ({ height, time }) => {
    const { params, state } = chain;
    const pooled = (point: OutPoint): SpentOutput | undefined => {
      const out = pool.output(point);
      return out && { out, height, coinbase: false };
    };
    const output = (point: OutPoint) => chain.coin(point) ?? pooled(point);
    const coin = (point: OutPoint) => output(point)?.out;
    const blockTime = (at: number) => chain.entryAt(at)?.time;
    const evmEnabled = isFeatureOn(state, 'evm');
    return new StateTrial(new Overlay(state), { height, time, params, coin, blockTime, evmEnabled }, output);
  };
}

class StateTrial implements BlockTrial {
  #txIndex = 0;

  constructor(
    private readonly accepted: Overlay,
    private readonly block: ExecutionBlock,
    private readonly output: (point: OutPoint) => SpentOutput | undefined,
  ) {}

  accepts(transactions: readonly Transaction[]): boolean {
    const attempt = new Overlay(this.accepted);
    let txIndex = this.#txIndex;
    for (const tx of transactions) {
      // Index 0 is the coinbase.
      txIndex += 1;
      if (!this.#apply(tx, txIndex, attempt)) return false;
    }
    attempt.commit();
    this.#txIndex = txIndex;
    return true;
  }

  pendingNonce(tx: Transaction): bigint | undefined {
    const found = evmNonceIn(tx, this.accepted);
    return found && found.nonce > found.next ? found.nonce : undefined;
  }

  /** Ends the EVM block. @returns the coinbase output that commits to it, none if the EVM is disabled */
  coinbaseOutputs(beneficiary: Uint8Array): readonly TxOut[] {
    if (!this.block.evmEnabled) return [];
    const { hash } = new EvmLedger(new Overlay(this.accepted)).endBlock({ height: this.block.height, beneficiary });
    return [commitmentOutput(hash, beneficiary)];
  }

  /** @returns true if a block may include the transaction; its effects are in `attempt` then */
  #apply(tx: Transaction, txIndex: number, attempt: Overlay): boolean {
    const spent = tx.vin.flatMap(({ prevout }) => this.output(prevout) ?? []);
    if (spent.length < tx.vin.length) return false;
    const outcome = applyCustomTx({ tx, txIndex, spent }, this.block, attempt);
    if (outcome.status === 'not-implemented') return false;
    if (outcome.status === 'failed') return !outcome.fatal || hasSkippedEvmTransactions(attempt);
    if (outcome.status === 'applied') outcome.effects.overlay.commit();
    return true;
  }
}
