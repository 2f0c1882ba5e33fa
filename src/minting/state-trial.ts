import type { Chain } from '../chain/chain.js';
import { BlockInvalid } from '../consensus/errors.js';
import { nullInputLocksPass } from '../consensus/sequence-locks.js';
import { type SpentOutput, spendsOutputs } from '../consensus/transaction.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import { applyChanges } from '../dfi/development/apply.js';
import { commitmentOutput } from '../dfi/evm/commitment.js';
import { startEvmBlock } from '../dfi/evm/evm-block.js';
import { TokenSplits } from '../dfi/evm/token-split.js';
import { applyCustomTx, type ExecutionBlock } from '../dfi/execution/apply.js';
import { trySplits } from '../dfi/execution/split-trial.js';
import type { BlockBuilder } from '../evm/block/block-builder.js';
import type { Pool } from '../mempool/pool.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import { Overlay } from '../storage/overlay.js';
import type { BlockTrial, StartTrial, TrialBlock } from './assembler.js';

/** The part of the chain that a trial reads. */
export type TrialChain = Pick<Chain, 'params' | 'state' | 'coin' | 'entryAt'>;

/** Gas of refused EVM transactions, in gas limits of a block, after which no more are tried: it bounds the time that a template takes. */
const MAX_WASTED_BLOCKS = 2n;

/**
 * Applies custom transactions on trial, in block order, to the state at the tip. Those that would make the block invalid are left out with
 * their descendants; one that may fail is included, without effect.
 * @see docs/protocol/chain.md 6.3
 */
export function trialsOnTip(chain: TrialChain, pool: Pick<Pool, 'output'>): StartTrial {
  return (block) => {
    const pooled = (point: OutPoint): SpentOutput | undefined => {
      const out = pool.output(point);
      return out && { out, height: block.height, coinbase: false };
    };
    return new StateTrial(chain, block, (point) => chain.coin(point) ?? pooled(point));
  };
}

class StateTrial implements BlockTrial {
  readonly #accepted: Overlay;
  readonly #splits: TokenSplits;
  /** Splits of the package that is tried. */
  #attempted: TokenSplits;
  readonly #block: ExecutionBlock;
  #txIndex = 0;

  constructor(
    private readonly chain: TrialChain,
    private readonly site: TrialBlock,
    private readonly output: (point: OutPoint) => SpentOutput | undefined,
  ) {
    const { params, state } = chain;
    const { height, time } = site;
    this.#accepted = new Overlay(state);
    this.#splits = new TokenSplits(state, this.#accepted);
    this.#attempted = this.#splits;
    const coin = (point: OutPoint) => output(point)?.out;
    const blockTime = (at: number) => chain.entryAt(at)?.time;
    const evmEnabled = isFeatureOn(state, 'evm');
    const evmBlock = evmEnabled ? this.#startEvm() : undefined;
    applyChanges({ view: this.#accepted, height, params, time, evmBlock }, site.changes ?? []);
    this.#block = { height, time, params, coin, blockTime, evmEnabled, evmBlock };
  }

  /** The state of the EVM is written when its block ends, to a view that is then dropped. */
  #startEvm(): BlockBuilder {
    const { params, state } = this.chain;
    const findPrecompile: TokenSplits['findPrecompile'] = (...call) => this.#attempted.findPrecompile(...call);
    return startEvmBlock(new Overlay(state), { ...this.site, params, findPrecompile });
  }

  accepts(transactions: readonly Transaction[]): boolean {
    const attempt = new Overlay(this.#accepted);
    const { evmBlock } = this.#block;
    const checkpoint = evmBlock?.checkpoint();
    this.#attempted = this.#splits.fork(attempt);
    let txIndex = this.#txIndex;
    for (const tx of transactions) {
      // Index 0 is the coinbase.
      txIndex += 1;
      if (this.#apply(tx, txIndex, attempt)) continue;
      if (checkpoint) evmBlock?.rollback(checkpoint);
      return false;
    }
    attempt.commit();
    this.#splits.join(this.#attempted);
    this.#txIndex = txIndex;
    return true;
  }

  nextNonce(sender: bigint): bigint | undefined {
    const { evmBlock } = this.#block;
    return evmBlock && (evmBlock.state.account(sender)?.nonce ?? 0n);
  }

  /** Ends the EVM block with the token splits. @returns the coinbase output that commits to it, none if the EVM is disabled */
  coinbaseOutputs(transactions: readonly Transaction[]): readonly TxOut[] {
    const { evmBlock } = this.#block;
    if (!evmBlock) return [];
    try {
      trySplits({ ...this.#block, view: this.#accepted }, transactions, this.chain.state);
    } catch (error) {
      // Validation of the block reports the same reason.
      if (!(error instanceof BlockInvalid)) throw error;
    }
    return [commitmentOutput(evmBlock.finish(), this.site.beneficiary)];
  }

  /** @returns true if a block may include the transaction; its effects are in `attempt` then */
  #apply(tx: Transaction, txIndex: number, attempt: Overlay): boolean {
    const spends = spendsOutputs(tx);
    const spent = spends ? tx.vin.flatMap(({ prevout }) => this.output(prevout) ?? []) : [];
    if (spends ? spent.length < tx.vin.length : this.#hasWastedGas() || !this.#isFinal(tx)) return false;
    const outcome = applyCustomTx({ tx, txIndex, spent }, this.#block, attempt);
    if (outcome.status === 'failed') return !outcome.fatal;
    if (outcome.status === 'applied') {
      this.#attempted.noteWrites(outcome.effects.overlay);
      outcome.effects.overlay.commit();
    }
    return true;
  }

  /** The mempool does not check the relative lock times of EVM transactions. */
  #isFinal(tx: Transaction): boolean {
    const parent = this.chain.entryAt(this.site.height - 1);
    return parent !== undefined && nullInputLocksPass(tx, parent, this.chain.params);
  }

  #hasWastedGas(): boolean {
    const { evmBlock } = this.#block;
    return evmBlock !== undefined && evmBlock.wastedGas > MAX_WASTED_BLOCKS * evmBlock.gasLimit;
  }
}
