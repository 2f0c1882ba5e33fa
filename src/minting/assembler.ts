import type { Chain } from '../chain/chain.js';
import { MAX_BLOCK_WEIGHT } from '../consensus/limits.js';
import { nextBits } from '../consensus/pos/difficulty.js';
import { changesOutput, type DevelopmentChange } from '../dfi/development/changes.js';
import type { MempoolEntry } from '../mempool/entry.js';
import { feeRateOf } from '../mempool/fee-rate.js';
import type { Pool } from '../mempool/pool.js';
import { isActive } from '../params/network.js';
import { formatAmount } from '../primitives/amount.js';
import { formatHash } from '../primitives/hash.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import type { Logger } from '../util/logger.js';
import { systemRandom } from '../util/random.js';
import { type PackageTrial, type Selection, type SelectionOrder, selectTransactions } from './selection.js';
import { assembleBlock, RESERVED_WEIGHT, type Template } from './template.js';

/** Settings from the command line for blocks of this node. */
export interface AssemblySettings {
  /** `-txordering`: 0 mixed, 1 by fee, 2 by time of entry. */
  readonly ordering: 0 | 1 | 2;
  /** `-blockmaxweight`. */
  readonly maxBlockWeight: number;
  /** `-blockmintxfee`, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: bigint;
  /** `-blockversion`, on regtest only. */
  readonly blockVersion?: number | undefined;
  /** `-printpriority`. */
  readonly logsFeeRates?: boolean;
}

/** The consensus limit less the weight reserved for header and coinbase. */
const MAX_TEMPLATE_WEIGHT = MAX_BLOCK_WEIGHT - RESERVED_WEIGHT;

export const DEFAULT_ASSEMBLY: AssemblySettings = { ordering: 1, maxBlockWeight: MAX_TEMPLATE_WEIGHT, minFeeRate: 1_000n };

/** Trial of the custom transactions of a block, which also yields the outputs by which the coinbase commits to them. */
export interface BlockTrial extends PackageTrial {
  /** Outputs to append to the coinbase. @param transactions all of the block, in order, without the coinbase */
  coinbaseOutputs?(transactions: readonly Transaction[]): readonly TxOut[];
}

/** Facts about a block on the tip that its custom transactions and its EVM block depend on. */
export interface TrialBlock {
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  /** Compact target. */
  readonly bits: number;
  /** EVM address of the minter, 20 bytes. */
  readonly beneficiary: Uint8Array;
  /** Changes of a development network before the first transaction. */
  readonly changes?: readonly DevelopmentChange[] | undefined;
}

/** Starts the trial of custom transactions for a block on the tip. */
export type StartTrial = (block: TrialBlock) => BlockTrial;

/** Accepts all custom transactions without trial: the mempool has already checked them. */
const acceptAll: StartTrial = () => ({ accepts: () => true });

export interface AssemblerDeps {
  readonly chain: Pick<Chain, 'params' | 'tip'>;
  /** Without a pool, blocks contain only their coinbase. */
  readonly pool?: Pick<Pool, 'entries'> | undefined;
  readonly beginTrial?: StartTrial | undefined;
  /** Transactions that consensus requires in the block at a height, those of token splits. They come last. */
  readonly requiredTransactions?: ((height: number) => readonly Transaction[]) | undefined;
  /** Reward of an anchor that the block pays. It comes first. */
  readonly anchorReward?: (() => Transaction | undefined) | undefined;
  /** Random choice of the order of selection with `-txordering=0`; replaced in tests. */
  readonly flipCoin?: () => boolean;
  readonly log?: Pick<Logger, 'info'>;
}

/** Parameters of a block on the tip. */
export interface BlockRequest {
  /** Script that the coinbase pays to. */
  readonly scriptPubKey: Uint8Array;
  /** Seconds since 1970. */
  readonly time: number;
  /** EVM address of the minter, 20 bytes; zeros by default. */
  readonly beneficiary?: Uint8Array | undefined;
  /**
   * True for a template that others complete. It pays no reward of an anchor: templates do not list transactions of the form of a coinbase,
   * so blocks would lack it.
   */
  readonly isForOthers?: boolean;
  /** Number that makes the block differ from an equal one; 0 by default. */
  readonly extraNonce?: number | undefined;
  /** True for a block without transactions of the pool, and without a reward of an anchor. */
  readonly isBare?: boolean | undefined;
  /** Changes of a development network; a block with changes contains no transactions of the pool. */
  readonly changes?: readonly DevelopmentChange[] | undefined;
}

const NO_TRANSACTIONS: Selection = { entries: [], fees: 0n, weight: RESERVED_WEIGHT };
const NULL_EVM_ADDRESS = new Uint8Array(20);

/** An unsigned block on the tip. */
export interface AssembledBlock extends Template {
  /** Pool entries of its transactions, without the coinbase. */
  readonly entries: readonly MempoolEntry[];
}

/** Figures of the last assembled block for `getmininginfo`. */
export interface LastAssembled {
  readonly weight: number;
  /** Without the coinbase. */
  readonly transactions: number;
}

/** Assembles blocks on the tip, for the minter, the staker and block templates. @see docs/protocol/chain.md 6 */
export class BlockAssembler {
  readonly #settings: AssemblySettings;
  readonly #deps: AssemblerDeps;
  readonly #maxWeight: number;
  #last: LastAssembled | undefined;

  constructor(settings: AssemblySettings, deps: AssemblerDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#maxWeight = Math.max(RESERVED_WEIGHT, Math.min(MAX_TEMPLATE_WEIGHT, settings.maxBlockWeight));
  }

  /** Undefined before the first block. */
  get last(): LastAssembled | undefined {
    return this.#last;
  }

  assemble(request: BlockRequest): AssembledBlock {
    const { scriptPubKey, time, beneficiary = NULL_EVM_ADDRESS, extraNonce, changes, isForOthers = false, isBare = false } = request;
    const { beginTrial = acceptAll, chain } = this.#deps;
    const { params, tip } = chain;
    const trial = beginTrial({ height: tip.height + 1, time, bits: nextBits(tip, params), beneficiary, changes });
    const { entries, fees, weight } = changes || isBare ? NO_TRANSACTIONS : this.#select(trial);
    if (this.#settings.logsFeeRates) this.#logFeeRates(entries);
    const required = this.#deps.requiredTransactions?.(tip.height + 1) ?? [];
    const reward = changes || isForOthers || isBare ? undefined : this.#deps.anchorReward?.();
    const transactions = [...(reward ? [reward] : []), ...entries.map(({ tx }) => tx), ...required];
    const version = params.isRegtest ? this.#settings.blockVersion : undefined;
    const own = trial.coinbaseOutputs?.(transactions) ?? [];
    const commitments = changes ? [...own, changesOutput(changes)] : own;
    const { block } = assembleBlock({ parent: tip, time, scriptPubKey, transactions, fees, version, commitments, extraNonce }, params);
    this.#last = { weight, transactions: entries.length };
    return { block, weight, entries };
  }

  #select(trial: PackageTrial): Selection {
    const { chain, pool } = this.#deps;
    const { params, tip } = chain;
    if (!pool) return NO_TRANSACTIONS;
    const height = tip.height + 1;
    return selectTransactions(
      pool,
      { order: this.#order(), maxWeight: this.#maxWeight, minFeeRate: this.#settings.minFeeRate },
      {
        height,
        lockTimeCutoff: tip.medianTimePast(),
        witness: height >= params.buried.segwit,
        tiesByTime: isActive(params, 'metachain', height),
        trial,
      },
    );
  }

  #logFeeRates(entries: readonly MempoolEntry[]): void {
    for (const { tx, modifiedFee, vsize } of entries) {
      this.#deps.log?.info(`fee ${formatAmount(feeRateOf(modifiedFee, vsize))} DFI/kB txid ${formatHash(tx.txid)}`);
    }
  }

  #order(): SelectionOrder {
    const { flipCoin = () => systemRandom() < 0.5 } = this.#deps;
    const { ordering } = this.#settings;
    if (ordering === 0) return flipCoin() ? 'fee' : 'time';
    return ordering === 1 ? 'fee' : 'time';
  }
}
