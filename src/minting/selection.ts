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
  /** True from Metachain on: of equal fee rates, the first to enter is selected first, not the lower txid. */
  readonly tiesByTime: boolean;
  readonly trial: PackageTrial;
}

/** Trial of the custom transactions of a block in assembly, package by package. */
export interface PackageTrial {
  /**
   * Applies transactions on top of all that were accepted before.
   * @returns false, with nothing applied, if one of them fails
   */
  accepts(transactions: readonly Transaction[]): boolean;
  /** Nonce of the next EVM transaction of a sender, after those that were accepted; undefined if the block has no EVM. */
  nextNonce?(sender: bigint): bigint | undefined;
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
  /** Its EVM nonce was too high when it was first considered. */
  wasParked = false;

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

/** A package whose EVM nonce is too high until lower ones of the sender are in the block. */
class Parked implements HeapItem {
  heapIndex = -1;

  constructor(
    readonly candidate: Candidate,
    readonly nonce: bigint,
    readonly sequence: number,
  ) {}
}

class Selector {
  readonly #candidates = new Map<MempoolEntry, Candidate>();
  readonly #queue: Heap<Candidate>;
  readonly #chosen: MempoolEntry[] = [];
  #weight = RESERVED_WEIGHT;
  #sigOpsCost = RESERVED_SIGOPS_COST;
  #fees = 0n;
  #failures = 0;
  #sequence = 0;
  /** Transactions in the queue that pay no fee in the DVM, whatever the order. */
  #queuedEvm = 0;
  readonly #parked = new Heap<Parked>(hasLowerNonce);

  constructor(
    pool: Pick<Pool, 'entries'>,
    private readonly options: SelectionOptions,
    private readonly at: SelectionContext,
  ) {
    const firstOfEqual = at.tiesByTime ? enteredBefore : hasLowerTxid;
    const paysMoreOrFirst = (a: Candidate, b: Candidate) => compareRanks(a, b) > 0 || (compareRanks(a, b) === 0 && firstOfEqual(a, b));
    this.#queue = new Heap<Candidate>(options.order === 'fee' ? paysMoreOrFirst : enteredBefore);
    for (const entry of pool.entries()) {
      const candidate = new Candidate(entry);
      this.#candidates.set(entry, candidate);
      this.#queue.push(candidate);
      if (entry.isEvmOnly) this.#queuedEvm += 1;
    }
  }

  run(): Selection {
    for (let next = this.#next(); next; next = this.#next()) this.#consider(next);
    return { entries: this.#chosen, fees: this.#fees, weight: this.#weight };
  }

  /** The next package of the queue; when it is exhausted, the parked ones by their nonces, once each. */
  #next(): Candidate | undefined {
    const first = this.#queue.peek();
    if (first && !this.#isDone(first)) {
      this.#queue.delete(first);
      if (first.entry.isEvmOnly) this.#queuedEvm -= 1;
      return first;
    }
    for (let parked = this.#parked.peek(); parked; parked = this.#parked.peek()) {
      this.#parked.delete(parked);
      const { candidate } = parked;
      if (this.#candidates.has(candidate.entry)) return candidate;
    }
    return undefined;
  }

  #isDone(next: Candidate): boolean {
    // Packages are sorted by fee rate, so all remaining ones pay less, except those that pay their fee in the EVM.
    if (this.options.order === 'fee' && this.#queuedEvm === 0 && this.#isTooCheap(next)) return true;
    return this.#failures > MAX_FAILURES && this.#weight > this.options.maxWeight - NEARLY_FULL_WEIGHT;
  }

  #isTooCheap({ entry, totals }: Candidate): boolean {
    return !entry.isEvmOnly && totals.fees < feeForSize(this.options.minFeeRate, totals.size);
  }

  #consider(candidate: Candidate): void {
    if (this.#isTooCheap(candidate)) return;
    if (!this.#fits(candidate.totals)) {
      this.#failures += 1;
      return;
    }
    const entries = this.#packageOf(candidate.entry);
    if (!entries.every(({ tx }) => this.#isAllowed(tx))) return;
    if (!this.#hasNextNonce(candidate)) return;
    if (!this.at.trial.accepts(entries.map(({ tx }) => tx))) return;
    this.#failures = 0;
    for (const entry of entries) this.#take(entry);
    for (const entry of entries) this.#relieveDescendants(entry);
  }

  /** True unless it carries an EVM transaction whose nonce is used, or too high: then it is parked, if it was not before. */
  #hasNextNonce(candidate: Candidate): boolean {
    const { evm } = candidate.entry;
    const next = evm && this.at.trial.nextNonce?.(evm.signed.sender);
    if (!evm || next === undefined) return true;
    const { nonce } = evm.signed.tx;
    if (nonce > next && !candidate.wasParked) {
      candidate.wasParked = true;
      this.#parked.push(new Parked(candidate, nonce, this.#sequence++));
    }
    return nonce === next;
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

/** Positive if the package of `a` pays a higher fee rate. */
function compareRanks({ rank: a }: Candidate, { rank: b }: Candidate): number {
  return a.fee * b.size - b.fee * a.size;
}

function hasLowerTxid({ entry: a }: Candidate, { entry: b }: Candidate): boolean {
  return a.key < b.key;
}

function hasLowerNonce(a: Parked, b: Parked): boolean {
  return a.nonce < b.nonce || (a.nonce === b.nonce && a.sequence < b.sequence);
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
