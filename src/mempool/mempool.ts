import type { Chain, ChainEvent } from '../chain/chain.js';
import { TxInvalid } from '../consensus/errors.js';
import type { SpentOutput } from '../consensus/transaction.js';
import { decode } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { type Transaction, transaction } from '../primitives/transaction.js';
import type { Clock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import { Acceptance, type AcceptanceRequest, type Candidate, MissingInputs } from './acceptance.js';
import { type CustomTxGate, openGate } from './custom-tx-gate.js';
import type { MempoolEntry } from './entry.js';
import { feeRateOf } from './fee-rate.js';
import type { ChainLimits } from './limits.js';
import { inRelayOrder, inTimeOrder } from './order.js';
import type { Policy } from './policy.js';
import { Pool } from './pool.js';
import { misbehaviourOf, type RejectCode, rejectCodeOf } from './reject.js';
import { ReturnedTransactions } from './returned.js';
import { RollingFee } from './rolling-fee.js';
import { ScriptCheck, type ScriptMemory } from './script-check.js';

/** What the pool needs of the chain. */
export type MempoolChain = Pick<Chain, 'params' | 'tip' | 'coin' | 'hasUnspent' | 'state' | 'on'>;

export interface MempoolOptions {
  /** Bytes of memory. */
  readonly maxBytes: number;
  readonly expirySec: number;
  readonly policy: Policy;
  readonly limits: ChainLimits;
}

export interface MempoolDeps {
  readonly chain: MempoolChain;
  readonly clock: Clock;
  readonly log: Logger;
  readonly memory: ScriptMemory;
  /** What runs custom transactions; without one they pass. */
  readonly gate?: CustomTxGate;
}

export interface Rejection {
  readonly status: 'rejected';
  readonly reason: string;
  /** More for people; may be empty. */
  readonly debug: string;
  readonly code: RejectCode;
  /** What the peer that sent it is charged. */
  readonly misbehaviour: 0 | 100;
}

/** What became of a transaction that was handed in, or would become of it. */
export type Verdict =
  | { readonly status: 'accepted'; readonly entry: MempoolEntry }
  | Rejection
  /** Transactions that it spends outputs of are unknown. */
  | { readonly status: 'missing-inputs'; readonly parents: readonly Hash256[] };

export type TestVerdict = Exclude<Verdict, { status: 'accepted' }> | { readonly status: 'allowed' };

/** Where a transaction comes from; by default from now, and with any fee. */
export type AcceptOptions = Partial<AcceptanceRequest>;

/**
 * The transactions that wait for a block. It follows the chain: what is confirmed leaves, what a reorganisation sets free comes
 * back, and what the new tip rules out goes.
 */
export class Mempool {
  readonly pool = new Pool();
  readonly #options: MempoolOptions;
  readonly #chain: MempoolChain;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #gate: CustomTxGate;
  readonly #rollingFee: RollingFee;
  readonly #acceptance: Acceptance;
  readonly #returned = new ReturnedTransactions();
  readonly #unsubscribe: (() => void)[] = [];
  /** The gate's state holds effects of transactions that have left. */
  #gateIsStale = false;
  /** No entry is older, seconds since 1970. */
  #oldestTime = Number.POSITIVE_INFINITY;

  constructor(options: MempoolOptions, { chain, clock, log, memory, gate = openGate(chain) }: MempoolDeps) {
    this.#options = options;
    this.#chain = chain;
    this.#clock = clock;
    this.#log = log;
    this.#gate = gate;
    const { maxBytes, policy, limits } = options;
    this.#rollingFee = new RollingFee({ maxBytes, incrementalRelayFeeRate: policy.incrementalRelayFeeRate }, clock);
    const scripts = new ScriptCheck(chain.params, memory);
    this.#acceptance = new Acceptance({ policy, limits }, { chain, pool: this.pool, gate, rollingFee: this.#rollingFee, scripts });
    this.pool.on('removed', ({ entry }) => {
      this.#gateIsStale ||= entry.isCustom;
    });
  }

  get policy(): Policy {
    return this.#options.policy;
  }

  /** Bytes of memory that it may take. */
  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** Least fee rate that gets in now, satoshis per 1,000 virtual bytes. */
  minimumFeeRate(): bigint {
    return larger(this.#rollingFee.minimum(this.pool.memoryUsage), this.policy.minRelayFeeRate);
  }

  /** Begins to follow the chain. */
  start(): void {
    this.#unsubscribe.push(
      this.#chain.on('connected', (event) => this.#blockConnected(event)),
      this.#chain.on('disconnected', (event) => this.#blockDisconnected(event)),
      this.#chain.on('tip', () => this.#tipChanged()),
    );
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
  }

  /** Takes a transaction in if it may enter. */
  accept(tx: Transaction, options: AcceptOptions = {}): Verdict {
    return this.#judge(tx, options, (candidate, request) => {
      const entry = this.#enter(candidate);
      if (!request.bypassLimits) this.#makeRoom();
      if (!this.pool.has(entry)) throw new TxInvalid('mempool full');
      return { status: 'accepted', entry };
    });
  }

  /** What {@link accept} would say, short of a full pool; nothing changes. */
  test(tx: Transaction, options: AcceptOptions = {}): TestVerdict {
    return this.#judge(tx, options, () => ({ status: 'allowed' }));
  }

  #judge<T>(
    tx: Transaction,
    options: AcceptOptions,
    then: (candidate: Candidate, request: AcceptanceRequest) => T,
  ): T | Exclude<Verdict, { status: 'accepted' }> {
    this.#refreshGate(this.#chain.tip.height + 1);
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

  #enter({ facts, replaced, keepEffects }: Candidate): MempoolEntry {
    this.pool.remove(replaced, 'replaced');
    const entry = this.pool.add(facts);
    keepEffects();
    this.#oldestTime = Math.min(this.#oldestTime, facts.time);
    return entry;
  }

  /** Throws out what is too old, then what pays least while the pool takes too much memory. */
  #makeRoom(): void {
    this.#expire(this.#clock.seconds() - this.#options.expirySec);
    for (let worst = this.pool.worst; worst && this.pool.memoryUsage > this.maxBytes; worst = this.pool.worst) {
      this.#rollingFee.evicted(feeRateOf(worst.descendants.fees, worst.descendants.size));
      this.pool.removeWithDescendants([worst], 'size-limit');
    }
  }

  #expire(before: number): void {
    if (this.#oldestTime >= before) return;
    const old = [...this.pool.entries()].filter(({ time }) => time < before);
    const count = this.pool.removeWithDescendants(old, 'expiry');
    if (count > 0) this.#log.info('transactions expired', { count });
    this.#oldestTime = Number.POSITIVE_INFINITY;
    for (const { time } of this.pool.entries()) this.#oldestTime = Math.min(this.#oldestTime, time);
  }

  /** Adds to a transaction's fee for selection, whether it is here or not. */
  prioritise(txid: Hash256, delta: bigint): void {
    this.pool.prioritise(txid, delta);
    this.#log.info('prioritised', { txid, delta });
  }

  /** Empties the pool. @returns what was in it, parents first */
  clear(): MempoolEntry[] {
    const all = inRelayOrder(this.pool.entries());
    this.pool.remove(all, 'cleared');
    return all;
  }

  #blockConnected({ block, entry }: ChainEvent): void {
    this.#returned.connected(block);
    this.#removeConfirmed(block.transactions);
    this.#rollingFee.blockConnected();
    this.#refreshGate(entry.height);
  }

  #removeConfirmed(transactions: readonly Transaction[]): void {
    if (this.pool.size > 0) {
      this.pool.remove(
        transactions.flatMap((tx) => this.pool.get(tx.txid) ?? []),
        'block',
      );
      for (const tx of transactions) this.#removeConflicts(tx);
    }
    if (this.pool.feeDeltas().size > 0) for (const tx of transactions) this.pool.clearPrioritisation(tx.txid);
  }

  #removeConflicts(tx: Transaction): void {
    for (const conflict of this.pool.conflictsOf(tx)) {
      this.pool.clearPrioritisation(conflict.tx.txid);
      this.pool.removeWithDescendants([conflict], 'conflict');
    }
  }

  #blockDisconnected({ block, entry }: ChainEvent): void {
    this.#gateIsStale = true;
    for (const tx of this.#returned.disconnected(block, entry)) this.#removeDependents(tx);
  }

  /** Takes a transaction out with what spends its outputs, whether it is here or not. */
  #removeDependents(tx: Transaction): void {
    const own = this.pool.get(tx.txid);
    this.pool.removeWithDescendants(own ? [own] : this.pool.spendersOf(tx), 'reorg');
  }

  /** After a reorganisation: what lost its block comes back, and all is measured by the new tip. */
  #tipChanged(): void {
    if (!this.#returned.pending) return;
    for (const { tx, mayReturn } of this.#returned.take()) {
      const back = mayReturn ? this.accept(this.#detached(tx), { bypassLimits: true }) : undefined;
      if (back?.status !== 'accepted') this.#removeDependents(tx);
    }
    this.#removeInvalidated();
    this.#makeRoom();
  }

  /** A copy that does not keep the bytes of the whole block in memory. */
  #detached(tx: Transaction): Transaction {
    return decode(transaction(this.#chain.params.txFormat), Uint8Array.from(tx.raw));
  }

  #removeInvalidated(): void {
    const height = this.#chain.tip.height + 1;
    const gone = [...this.pool.entries()].filter(({ tx }) => {
      const spent = this.#acceptance.findSpent(tx);
      return !this.#acceptance.isFinal(tx) || !this.#canSpend(tx, spent, height);
    });
    this.pool.removeWithDescendants(gone, 'reorg');
  }

  /** True if the outputs that it spends are there, mature and not locked. */
  #canSpend(tx: Transaction, spent: readonly (SpentOutput | undefined)[], height: number): boolean {
    try {
      this.#acceptance.checkInputs(tx, spent, height);
      return this.#acceptance.areSequenceLocksOver(tx, spent as readonly SpentOutput[]);
    } catch (error) {
      if (error instanceof TxInvalid) return false;
      throw error;
    }
  }

  /**
   * Applies the custom transactions of the pool anew once one of them has left; those that fail leave too.
   * @see spec: chain 5.5
   */
  #refreshGate(height: number): void {
    if (!this.#gateIsStale) return;
    this.#gate.reset();
    for (const entry of inTimeOrder(this.pool.entries())) {
      if (!entry.isCustom || !this.pool.has(entry) || this.#reapply(entry, height)) continue;
      this.pool.removeWithDescendants([entry], 'block');
    }
    this.#gateIsStale = false;
  }

  #reapply({ tx, time }: MempoolEntry, height: number): boolean {
    try {
      const spent = this.#acceptance.findSpent(tx);
      this.#acceptance.checkInputs(tx, spent, height);
      this.#gate.apply(tx, { height, time, spent: spent as readonly SpentOutput[] })();
      return true;
    } catch (error) {
      if (error instanceof TxInvalid) return false;
      throw error;
    }
  }
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
