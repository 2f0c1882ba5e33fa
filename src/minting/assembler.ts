import type { Chain } from '../chain/chain.js';
import type { MempoolEntry } from '../mempool/entry.js';
import type { Pool } from '../mempool/pool.js';
import type { Transaction } from '../primitives/transaction.js';
import { type PackageTrial, type Selection, type SelectionOrder, selectTransactions } from './selection.js';
import { assembleBlock, RESERVED_WEIGHT, type Template } from './template.js';

/** What an operator sets for the blocks of this node. */
export interface AssemblySettings {
  /** `-txordering`: 0 mixed, 1 by fee, 2 by time of entry. */
  readonly ordering: 0 | 1 | 2;
  /** `-blockmaxweight`. */
  readonly maxBlockWeight: number;
  /** `-blockmintxfee`, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: bigint;
  /** `-blockversion`, on regtest only. */
  readonly blockVersion?: number | undefined;
}

/** Below the limit of the rules by the weight that is set aside. */
const MAX_WEIGHT = 63_996_000;

export const DEFAULT_ASSEMBLY: AssemblySettings = { ordering: 1, maxBlockWeight: MAX_WEIGHT, minFeeRate: 1_000n };

/** Begins to try custom transactions for a block on the tip. */
export type BeginTrial = (block: { readonly height: number; readonly time: number }) => PackageTrial;

/** Takes custom transactions for good: what stands in the pool was tried on the way in. */
const takeAll: BeginTrial = () => ({ accepts: () => true });

export interface AssemblerDeps {
  readonly chain: Pick<Chain, 'params' | 'tip'>;
  /** Without one blocks hold their coinbase alone. */
  readonly pool?: Pick<Pool, 'entries'> | undefined;
  readonly beginTrial?: BeginTrial | undefined;
  /** Transactions that the rules demand in the block at a height: those of token splits. They stand last. */
  readonly demanded?: ((height: number) => readonly Transaction[]) | undefined;
  /** Decides the order of a block where orders are mixed; tests hold it. */
  readonly flipCoin?: () => boolean;
}

/** An unsigned block on the tip. */
export interface AssembledBlock extends Template {
  /** Where its transactions behind the coinbase come from. */
  readonly entries: readonly MempoolEntry[];
}

/** What `getmininginfo` tells of the block that was assembled last. */
export interface LastAssembled {
  readonly weight: number;
  /** Without the coinbase. */
  readonly transactions: number;
}

/** Puts blocks on the tip together: for the minter, for the staker and for templates. @see spec: chain 6 */
export class BlockAssembler {
  readonly #settings: AssemblySettings;
  readonly #deps: AssemblerDeps;
  readonly #maxWeight: number;
  #last: LastAssembled | undefined;

  constructor(settings: AssemblySettings, deps: AssemblerDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#maxWeight = Math.max(RESERVED_WEIGHT, Math.min(MAX_WEIGHT, settings.maxBlockWeight));
  }

  /** Undefined before the first block. */
  get last(): LastAssembled | undefined {
    return this.#last;
  }

  /** @param time of the block, seconds since 1970 */
  assemble({ scriptPubKey, time }: { readonly scriptPubKey: Uint8Array; readonly time: number }): AssembledBlock {
    const { params, tip } = this.#deps.chain;
    const { entries, fees, weight } = this.#select(time);
    const demanded = this.#deps.demanded?.(tip.height + 1) ?? [];
    const transactions = [...entries.map(({ tx }) => tx), ...demanded];
    const version = params.isRegtest ? this.#settings.blockVersion : undefined;
    const { block } = assembleBlock({ parent: tip, time, scriptPubKey, transactions, fees, version }, params);
    this.#last = { weight, transactions: entries.length };
    return { block, weight, entries };
  }

  #select(time: number): Selection {
    const { chain, pool, beginTrial = takeAll } = this.#deps;
    const { params, tip } = chain;
    if (!pool) return { entries: [], fees: 0n, weight: RESERVED_WEIGHT };
    const height = tip.height + 1;
    return selectTransactions(
      pool,
      { order: this.#order(), maxWeight: this.#maxWeight, minFeeRate: this.#settings.minFeeRate },
      { height, lockTimeCutoff: tip.medianTimePast(), witness: height >= params.buried.segwit, trial: beginTrial({ height, time }) },
    );
  }

  #order(): SelectionOrder {
    const { flipCoin = () => Math.random() < 0.5 } = this.#deps;
    const { ordering } = this.#settings;
    if (ordering === 0) return flipCoin() ? 'fee' : 'time';
    return ordering === 1 ? 'fee' : 'time';
  }
}
