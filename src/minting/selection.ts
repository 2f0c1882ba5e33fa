import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import { isFinal } from '../consensus/transaction.js';
import { addTotals, hasHigherFeeRate, type MempoolEntry, type PackageTotals } from '../mempool/entry.js';
import { feeForSize } from '../mempool/fee-rate.js';
import type { Pool } from '../mempool/pool.js';
import { hasWitness, type Transaction, WITNESS_SCALE_FACTOR } from '../primitives/transaction.js';
import { Heap, type HeapItem } from '../util/heap.js';
import { RESERVED_WEIGHT } from './template.js';

/** Priority of packages: by fee rate with ancestors, or by time of entry. */
export type SelectionOrder = 'fee' | 'time';

export interface SelectionOptions {
  readonly order: SelectionOrder;
  /** Exclusive limit of the block weight, including the reserve for the coinbase. */
  readonly maxWeight: number;
  /** Minimum fee rate of a package, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: bigint;
}

/** The block that transactions are selected for. */
export interface SelectionContext {
  readonly height: number;
  /** Lock times by time are final below this one: the median time past of the tip, seconds. */
  readonly lockTimeCutoff: number;
  /** True if transactions may have witnesses. */
  readonly witness: boolean;
  readonly trial: PackageTrial;
}

/** Trial of the custom transactions of a block in assembly, package by package. */
export interface PackageTrial {
  /**
   * Applies transactions on top of all that were accepted before.
   * @returns false, with nothing applied, if one of them fails
   */
  accepts(transactions: readonly Transaction[]): boolean;
  /**
   * EVM nonce of a transaction that is too high for now; it becomes valid once the sender's lower nonces are in the block. Undefined for
   * all other transactions.
   */
  pendingNonce?(tx: Transaction): bigint | undefined;
}

export interface Selection {
  /** In block order. */
  readonly entries: readonly MempoolEntry[];
  /** Satoshis. */
  readonly fees: bigint;
  /** Including the reserve. */
  readonly weight: number;
}

/** Signature operations cost reserved for the coinbase. */
const RESERVED_SIGOPS_COST = 400;
/** Consecutive packages that do not fit, after which selection ends if the block is nearly full. */
const MAX_FAILURES = 1_000;
const NEARLY_FULL_WEIGHT = 4_000;

/**
 * Selects transactions from the pool by packages: a transaction with its ancestors that are not in the block yet.
 * @see docs/protocol/chain.md 6.3
 */
export function selectTransactions(pool: Pick<Pool, 'entries'>, options: SelectionOptions, at: SelectionContext): Selection {
  return new Selector(pool, options, at).run();
}

/** A transaction that is not in the block yet, with the totals of its package. */
class Candidate implements HeapItem {
  heapIndex = -1;
  /** Totals with the ancestors that are not in the block. */
  readonly totals: PackageTotals;
  /** Fee and size for its priority: of the package, or of the transaction alone if its fee rate is lower. */
  rank = { fee: 0, size: 1 };

  constructor(readonly entry: MempoolEntry) {
    this.totals = { ...entry.ancestors };
    this.rescore();
  }

  rescore(): void {
    const own = { fee: Number(this.entry.modifiedFee), size: this.entry.vsize };
    const all = { fee: Number(this.totals.fees), size: this.totals.size };
    this.rank = hasHigherFeeRate(own, all) ? all : own;
  }
}

class Selector {
  readonly #candidates = new Map<MempoolEntry, Candidate>();
  readonly #queue: Heap<Candidate>;
  readonly #chosen: MempoolEntry[] = [];
  #weight = RESERVED_WEIGHT;
  #sigOpsCost = RESERVED_SIGOPS_COST;
  #fees = 0n;
  #failures = 0;
  /** Packages whose EVM nonce is too high for now. */
  readonly #waiting: { readonly candidate: Candidate; readonly nonce: bigint }[] = [];

  constructor(
    pool: Pick<Pool, 'entries'>,
    private readonly options: SelectionOptions,
    private readonly at: SelectionContext,
  ) {
    this.#queue = new Heap<Candidate>(options.order === 'fee' ? paysMoreWithAncestors : enteredBefore);
    for (const entry of pool.entries()) {
      const candidate = new Candidate(entry);
      this.#candidates.set(entry, candidate);
      this.#queue.push(candidate);
    }
  }

  run(): Selection {
    for (let next = this.#queue.peek(); next && !this.#isDone(next); next = this.#queue.peek()) {
      this.#queue.delete(next);
      this.#consider(next);
    }
    this.#considerWaiting();
    return { entries: this.#chosen, fees: this.#fees, weight: this.#weight };
  }

  #isDone(next: Candidate): boolean {
    // By fee rate, all remaining packages pay less.
    if (this.options.order === 'fee' && this.#isTooCheap(next)) return true;
    return this.#failures > MAX_FAILURES && this.#weight > this.options.maxWeight - NEARLY_FULL_WEIGHT;
  }

  #isTooCheap({ totals }: Candidate): boolean {
    return totals.fees < feeForSize(this.options.minFeeRate, totals.size);
  }

  #consider(candidate: Candidate): void {
    if (this.#isTooCheap(candidate)) return;
    if (!this.#fits(candidate.totals)) {
      this.#failures += 1;
      return;
    }
    const entries = this.#packageOf(candidate.entry);
    if (!entries.every(({ tx }) => this.#isAllowed(tx))) return;
    const nonce = this.at.trial.pendingNonce?.(candidate.entry.tx);
    if (nonce !== undefined) {
      this.#waiting.push({ candidate, nonce });
      return;
    }
    if (!this.at.trial.accepts(entries.map(({ tx }) => tx))) return;
    this.#failures = 0;
    for (const entry of entries) this.#take(entry);
    for (const entry of entries) this.#relieveDescendants(entry);
  }

  /** Retries waiting packages once, by nonce from the lowest; those that still fail are left for a later block. */
  #considerWaiting(): void {
    const waiting = this.#waiting.splice(0).sort((a, b) => (a.nonce < b.nonce ? -1 : a.nonce > b.nonce ? 1 : 0));
    for (const { candidate } of waiting) if (this.#candidates.has(candidate.entry)) this.#consider(candidate);
  }

  #fits({ size, sigOpsCost }: PackageTotals): boolean {
    return this.#weight + WITNESS_SCALE_FACTOR * size < this.options.maxWeight && this.#sigOpsCost + sigOpsCost < MAX_BLOCK_SIGOPS_COST;
  }

  #isAllowed(tx: Transaction): boolean {
    return isFinal(tx, this.at.height, this.at.lockTimeCutoff) && (this.at.witness || !hasWitness(tx));
  }

  /** The entry and its ancestors that are not in the block, in block order. */
  #packageOf(entry: MempoolEntry): MempoolEntry[] {
    if (entry.parents.size === 0) return [entry];
    return inBlockOrder([...entry.allAncestors(), entry].filter((each) => this.#candidates.has(each)));
  }

  #take(entry: MempoolEntry): void {
    const candidate = this.#candidates.get(entry);
    if (candidate && candidate.heapIndex !== -1) this.#queue.delete(candidate);
    this.#candidates.delete(entry);
    this.#chosen.push(entry);
    this.#weight += entry.weight;
    this.#sigOpsCost += entry.sigOpsCost;
    this.#fees += entry.fee;
  }

  /** Subtracts an included transaction from the packages of its descendants; those that failed before are retried. */
  #relieveDescendants(entry: MempoolEntry): void {
    if (entry.children.size === 0) return;
    for (const descendant of entry.allDescendants()) {
      const candidate = this.#candidates.get(descendant);
      if (!candidate) continue;
      addTotals(candidate.totals, entry, -1);
      candidate.rescore();
      if (candidate.heapIndex === -1) this.#queue.push(candidate);
      else this.#queue.update(candidate);
    }
  }
}

function paysMoreWithAncestors(a: Candidate, b: Candidate): boolean {
  const left = a.rank.fee * b.rank.size;
  const right = b.rank.fee * a.rank.size;
  return left === right ? a.entry.key < b.entry.key : left > right;
}

function enteredBefore({ entry: a }: Candidate, { entry: b }: Candidate): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence);
}

/**
 * Sorts by time of entry, then by number of ancestors, then by txid. A transaction re-accepted after a reorganisation is newer than its
 * children, so a child counts as at least as new as its parents, which must come first.
 */
export function inBlockOrder(entries: readonly MempoolEntry[]): MempoolEntry[] {
  const times = new Map<MempoolEntry, number>();
  // Parents have fewer ancestors than their children, so their times are computed first.
  for (const entry of [...entries].sort((a, b) => a.ancestors.count - b.ancestors.count)) {
    let { time } = entry;
    for (const parent of entry.parents) time = Math.max(time, times.get(parent) ?? 0);
    times.set(entry, time);
  }
  const timeOf = (entry: MempoolEntry) => times.get(entry) ?? entry.time;
  return [...entries].sort((a, b) => timeOf(a) - timeOf(b) || a.ancestors.count - b.ancestors.count || (a.key < b.key ? -1 : 1));
}
