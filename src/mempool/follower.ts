import type { Chain, ChainEvent } from '../chain/chain.js';
import { COINBASE_MATURITY, type SpentOutput, spendsOutputs } from '../consensus/transaction.js';
import { COLLATERAL_OUTPUT } from '../dfi/context/auth.js';
import { isCollateralReleased, makesCollateral } from '../dfi/masternodes/collateral.js';
import { decode } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { isCoinbase, type Transaction, transaction } from '../primitives/transaction.js';
import type { Acceptance } from './acceptance.js';
import { DisconnectedTransactions } from './disconnected-transactions.js';
import type { MempoolEntry } from './entry.js';
import type { FeeEstimator } from './fee-estimator.js';
import type { Pool } from './pool.js';
import type { CustomTxReplay } from './replay.js';
import type { RollingFee } from './rolling-fee.js';

/** Depth of an invalidation up to which transactions return to the pool; those of deeper blocks are dropped. */
const MAX_INVALIDATED_BLOCKS = 10;

export interface FollowerDeps {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'on'>;
  readonly pool: Pool;
  readonly acceptance: Acceptance;
  readonly replay: CustomTxReplay;
  readonly rollingFee: RollingFee;
  readonly feeEstimator: FeeEstimator;
  /** Re-accepts a transaction of a disconnected block. @returns false if it is rejected */
  readonly reaccept: (tx: Transaction) => boolean;
  /** Evicts until the pool is within its size limit. */
  readonly makeRoom: () => void;
}

/**
 * Updates the pool as the chain changes: removes confirmed and conflicting transactions, re-accepts those of disconnected blocks, and
 * removes those that the new tip makes invalid.
 * @see docs/protocol/chain.md 4.11 and 5.5
 */
export class ChainFollower {
  readonly #returned = new DisconnectedTransactions();
  readonly #unsubscribe: (() => void)[] = [];
  #forgetsReturned = false;

  constructor(private readonly deps: FollowerDeps) {}

  start(): void {
    const { chain } = this.deps;
    this.#unsubscribe.push(
      chain.on('connected', (event) => this.#blockConnected(event)),
      chain.on('disconnected', (event) => this.#blockDisconnected(event)),
      // `defid` lets transactions return after each block of an invalidation, but only once in any other reorganisation.
      chain.on('invalidated', ({ depth }) => this.#returnTransactions(depth <= MAX_INVALIDATED_BLOCKS)),
      chain.on('tip', () => this.#returnTransactions(true)),
    );
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
  }

  /** Runs a change of the chain after which no transaction of a disconnected block returns. */
  withoutReturns(change: () => void): void {
    this.#forgetsReturned = true;
    try {
      change();
    } finally {
      this.#forgetsReturned = false;
    }
  }

  #blockConnected({ block, entry }: ChainEvent): void {
    const { pool, feeEstimator, rollingFee, replay } = this.deps;
    const { transactions } = block;
    const isReorganisation = this.#returned.pending;
    this.#returned.connected(block);
    const confirmed = pool.size > 0 ? transactions.flatMap((tx) => pool.get(tx.txid) ?? []) : [];
    feeEstimator.blockConnected(entry.height, confirmed);
    pool.remove(confirmed, 'block');
    if (pool.size > 0) for (const tx of transactions) this.#removeConflicts(tx);
    if (pool.feeDeltas().size > 0) for (const tx of transactions) pool.clearPrioritisation(tx.txid);
    rollingFee.blockConnected();
    replay.blockConnected(entry.height, isReorganisation);
  }

  #removeConflicts(tx: Transaction): void {
    const { pool } = this.deps;
    for (const conflict of pool.conflictsOf(tx)) {
      pool.clearPrioritisation(conflict.tx.txid);
      pool.removeWithDescendants([conflict], 'conflict');
    }
  }

  #blockDisconnected({ block }: ChainEvent): void {
    for (const tx of this.#returned.disconnected(block)) this.#removeDependents(tx);
  }

  /** Removes a transaction, if pooled, and all pooled descendants. */
  #removeDependents(tx: Transaction): void {
    const { pool } = this.deps;
    const own = pool.get(tx.txid);
    pool.removeWithDescendants(own ? [own] : pool.spendersOf(tx), 'reorg');
  }

  /**
   * After a reorganisation: re-accepts transactions of disconnected blocks, then re-checks the pool against the new tip.
   * @param mayReturn false to drop them, and to remove their pooled descendants
   */
  #returnTransactions(mayReturn: boolean): void {
    if (!this.#returned.pending) return;
    for (const tx of this.#returned.take()) {
      const returns = mayReturn && !this.#forgetsReturned && !isCoinbase(tx) && this.deps.reaccept(this.#detached(tx));
      if (!returns) this.#removeDependents(tx);
    }
    this.#removeInvalidated();
    this.deps.replay.reorganised();
    this.deps.makeRoom();
  }

  /** A copy of the transaction; its bytes were a view that keeps the whole block in memory. */
  #detached(tx: Transaction): Transaction {
    return decode(transaction(this.deps.chain.params.txFormat), Uint8Array.from(tx.raw));
  }

  #removeInvalidated(): void {
    const { pool, acceptance } = this.deps;
    const gone = [...pool.entries()].filter((entry) => !acceptance.isFinal(entry.tx) || !this.#canSpend(entry));
    pool.removeWithDescendants(gone, 'reorg');
  }

  /** True if the inputs exist, are mature and are not locked in the next block. */
  #canSpend({ tx, spendsCoinbase }: MempoolEntry): boolean {
    const { chain, acceptance } = this.deps;
    if (!spendsOutputs(tx)) return true;
    const spent = acceptance.findSpent(tx);
    if (!areKnown(spent) || !acceptance.areSequenceLocksOver(tx, spent)) return false;
    // `defid` checks one or the other.
    if (spendsCoinbase) return spent.every((coin) => isMature(coin, chain.tip.height + 1));
    return tx.vin.every(({ prevout }) => prevout.vout !== COLLATERAL_OUTPUT || this.#isReleased(prevout.txid));
  }

  /**
   * True unless output 1 of the transaction is a locked collateral output. Effects of pooled transactions do not count: an update of a
   * masternode's owner, which alone may spend the old collateral, leaves the pool in any reorganisation.
   */
  #isReleased(txid: Hash256): boolean {
    const { chain, pool } = this.deps;
    const parent = pool.get(txid);
    return !(parent && makesCollateral(parent.tx)) && isCollateralReleased(chain.state, txid, chain.tip.height + 1, chain.params);
  }
}

function areKnown(spent: readonly (SpentOutput | undefined)[]): spent is readonly SpentOutput[] {
  return !spent.includes(undefined);
}

/** True if a block at `height` may spend the output. */
function isMature({ coinbase, height: created }: SpentOutput, height: number): boolean {
  return !coinbase || height - created >= COINBASE_MATURITY;
}
