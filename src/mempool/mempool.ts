import type { Chain } from '../chain/chain.js';
import { TxInvalid } from '../consensus/errors.js';
import type { Hash256 } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import type { Clock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import { Acceptance, type AcceptanceRequest, type Candidate, MissingInputs } from './acceptance.js';
import { acceptAllGate, type CustomTxGate } from './custom-tx-gate.js';
import type { MempoolEntry } from './entry.js';
import { EvmIndex } from './evm-index.js';
import { FeeEstimator } from './fee-estimator.js';
import { feeRateOf } from './fee-rate.js';
import { ChainFollower } from './follower.js';
import type { ChainLimits } from './limits.js';
import { inRelayOrder } from './order.js';
import type { Policy } from './policy.js';
import { Pool } from './pool.js';
import { misbehaviourOf, type RejectCode, rejectCodeOf } from './reject.js';
import { CustomTxReplay } from './replay.js';
import { RollingFee } from './rolling-fee.js';
import { ScriptCheck, type ScriptMemory } from './script-check.js';

/** The part of the chain that the pool uses. */
export type MempoolChain = Pick<Chain, 'params' | 'tip' | 'bestHeader' | 'coin' | 'hasUnspent' | 'state' | 'isInitialDownload' | 'on'>;

export interface MempoolOptions {
  /** Limit of memory use, bytes. */
  readonly maxBytes: number;
  readonly expirySec: number;
  /** Expiry of transactions that carry an EVM transaction. */
  readonly evmExpirySec: number;
  readonly policy: Policy;
  readonly limits: ChainLimits;
}

export interface MempoolDeps {
  readonly chain: MempoolChain;
  readonly clock: Clock;
  readonly log: Logger;
  readonly memory: ScriptMemory;
  /** Applies custom transactions; without it they are accepted unapplied. */
  readonly gate?: CustomTxGate;
}

/** Rejected transaction; the reason is spelled as in `defid`. */
export interface Rejection {
  readonly status: 'rejected';
  readonly reason: string;
  /** Details for the log and the caller; may be empty. */
  readonly debug: string;
  readonly code: RejectCode;
  /** Misbehaviour score for the peer that sent it. */
  readonly misbehaviour: 0 | 100;
}

/** Result of submitting a transaction. */
export type Verdict =
  | { readonly status: 'accepted'; readonly entry: MempoolEntry }
  | Rejection
  /** Some parents are unknown. */
  | { readonly status: 'missing-inputs'; readonly parents: readonly Hash256[] };

export type TestVerdict = Exclude<Verdict, { status: 'accepted' }> | { readonly status: 'allowed' };

/** Circumstances of a submission; by default the current time and no maximum fee. */
export type AcceptOptions = Partial<AcceptanceRequest>;

/** Fees are not tracked while the tip is older: they say little about the next block. */
const MAX_TIP_AGE_SEC = 3 * 3600;

/**
 * The mempool: accepts transactions, evicts to its size limit, and follows the chain.
 */
export class Mempool {
  readonly pool = new Pool();
  readonly feeEstimator = new FeeEstimator();
  /** Pooled EVM transactions by sender and nonce. */
  readonly evm = new EvmIndex(this.pool);
  readonly #options: MempoolOptions;
  readonly #chain: MempoolChain;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #rollingFee: RollingFee;
  readonly #acceptance: Acceptance;
  readonly #replay: CustomTxReplay;
  readonly #follower: ChainFollower;
  /** Lower bound of the times of all entries, seconds since 1970. */
  #oldestTime = Number.POSITIVE_INFINITY;

  constructor(options: MempoolOptions, { chain, clock, log, memory, gate = acceptAllGate(chain) }: MempoolDeps) {
    this.#options = options;
    this.#chain = chain;
    this.#clock = clock;
    this.#log = log;
    const { maxBytes, policy, limits } = options;
    this.#rollingFee = new RollingFee({ maxBytes, incrementalRelayFeeRate: policy.incrementalRelayFeeRate }, clock);
    const scripts = new ScriptCheck(chain.params, memory);
    const parts = { chain, pool: this.pool, gate, rollingFee: this.#rollingFee, scripts, evmIndex: this.evm };
    this.#acceptance = new Acceptance({ policy, limits }, parts);
    this.#replay = new CustomTxReplay({ chain, pool: this.pool, gate, acceptance: this.#acceptance });
    this.#follower = new ChainFollower({
      chain,
      pool: this.pool,
      acceptance: this.#acceptance,
      replay: this.#replay,
      rollingFee: this.#rollingFee,
      feeEstimator: this.feeEstimator,
      reaccept: (tx) => this.accept(tx, { bypassLimits: true }).status === 'accepted',
      makeRoom: () => this.#makeRoom(),
    });
    this.pool.on('removed', ({ entry }) => this.feeEstimator.untrackTransaction(entry));
  }

  get policy(): Policy {
    return this.#options.policy;
  }

  get limits(): ChainLimits {
    return this.#options.limits;
  }

  /** Limit of memory use, bytes. */
  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** Minimum fee rate for acceptance now, satoshis per 1,000 virtual bytes. */
  minimumFeeRate(): bigint {
    return larger(this.rollingFeeRate(), this.policy.minRelayFeeRate);
  }

  /** Minimum fee rate after evictions from a full pool, satoshis per 1,000 virtual bytes; 0 if none is in force. */
  rollingFeeRate(): bigint {
    return this.#rollingFee.minimum(this.pool.memoryUsage);
  }

  /** Subscribes to the chain. */
  start(): void {
    this.#follower.start();
  }

  stop(): void {
    this.#follower.stop();
  }

  /** Adds a transaction to the pool if it is valid. */
  accept(tx: Transaction, options: AcceptOptions = {}): Verdict {
    return this.#judge(tx, options, (candidate, request) => {
      const entry = this.#addUnchecked(candidate);
      if (!request.bypassLimits && this.#isValidForFeeEstimation(candidate, entry)) this.feeEstimator.trackTransaction(entry);
      if (!request.bypassLimits) this.#makeRoom();
      if (!this.pool.has(entry)) throw new TxInvalid('mempool full');
      return { status: 'accepted', entry };
    });
  }

  /** Verdict of {@link accept} without adding the transaction; a full pool is not considered. */
  test(tx: Transaction, options: AcceptOptions = {}): TestVerdict {
    return this.#judge(tx, options, () => ({ status: 'allowed' }));
  }

  #judge<T>(
    tx: Transaction,
    options: AcceptOptions,
    then: (candidate: Candidate, request: AcceptanceRequest) => T,
  ): T | Exclude<Verdict, { status: 'accepted' }> {
    this.#replay.refresh(this.#chain.tip.height + 1);
    const request = { time: this.#clock.seconds(), ...options };
    try {
      return then(this.#acceptance.check(tx, request), request);
    } catch (error) {
      if (error instanceof MissingInputs) return { status: 'missing-inputs', parents: error.parents };
      if (!(error instanceof TxInvalid)) throw error;
      const { reason, debug } = error;
      return { status: 'rejected', reason, debug, code: rejectCodeOf(error), misbehaviour: misbehaviourOf(error) };
    }
  }

  #addUnchecked({ facts, replaced, commitEffects }: Candidate): MempoolEntry {
    this.pool.remove(replaced, 'replaced');
    const entry = this.pool.add(facts);
    commitEffects();
    this.#oldestTime = Math.min(this.#oldestTime, facts.time);
    return entry;
  }

  /** True if the fee reflects what the sender pays for confirmation: no replacement, no unconfirmed parents, node in sync. */
  #isValidForFeeEstimation({ replaced }: Candidate, entry: MempoolEntry): boolean {
    return !entry.isEvmOnly && replaced.size === 0 && entry.parents.size === 0 && this.#isUpToDate();
  }

  /** True if the tip is recent and at most one block below the best header. */
  #isUpToDate(): boolean {
    const { tip, bestHeader } = this.#chain;
    if (this.#chain.isInitialDownload() || tip.time < this.#clock.seconds() - MAX_TIP_AGE_SEC) return false;
    return tip.height >= bestHeader.height - 1;
  }

  /** Removes expired entries, then evicts those of the lowest fee rate until memory use is within the limit. */
  #makeRoom(): void {
    this.#expire(this.#clock.seconds() - this.#options.expirySec);
    this.#removeExpired(this.evm.olderThan(this.#clock.seconds() - this.#options.evmExpirySec));
    for (let worst = this.pool.worst; worst && this.pool.memoryUsage > this.maxBytes; worst = this.pool.worst) {
      this.#rollingFee.evicted(feeRateOf(worst.descendants.fees, worst.descendants.size));
      this.pool.removeWithDescendants([worst], 'size-limit');
    }
  }

  #expire(before: number): void {
    if (this.#oldestTime >= before) return;
    const old = [...this.pool.entries()].filter(({ time }) => time < before);
    this.#removeExpired(old);
    this.#oldestTime = Number.POSITIVE_INFINITY;
    for (const { time } of this.pool.entries()) this.#oldestTime = Math.min(this.#oldestTime, time);
  }

  #removeExpired(entries: readonly MempoolEntry[]): void {
    const count = this.pool.removeWithDescendants(entries, 'expiry');
    if (count > 0) this.#log.info('removed expired transactions', { count });
  }

  /** Adds `delta` satoshis to the modified fee of a transaction, pooled or not. */
  prioritise(txid: Hash256, delta: bigint): void {
    this.pool.prioritise(txid, delta);
    this.#log.info('changed the fee delta of a transaction', { txid, delta });
  }

  /**
   * Runs a change of the chain after which the pool holds the given transactions, as far as they are valid then, and no others.
   * @param kept in the order of {@link inRelayOrder}
   */
  restore(kept: readonly { readonly tx: Transaction; readonly time: number }[], change: () => void): void {
    this.clear();
    this.#follower.withoutReturns(change);
    for (const { tx, time } of kept) this.accept(tx, { time, bypassLimits: true });
  }

  /** Empties the pool. @returns the removed entries, parents first */
  clear(): MempoolEntry[] {
    const all = inRelayOrder(this.pool.entries());
    this.pool.remove(all, 'cleared');
    return all;
  }
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
