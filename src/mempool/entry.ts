import { type Transaction, transactionWeight } from '../primitives/transaction.js';
import { customTxPayload } from '../script/custom-tx.js';
import { toHex } from '../util/bytes.js';
import type { HeapItem } from '../util/heap.js';
import type { PooledEvm } from './evm-tip.js';

/** Sums over an entry and its unconfirmed ancestors, or its descendants. */
export interface PackageTotals {
  count: number;
  /** Virtual bytes. */
  size: number;
  /** Modified fees, satoshis. */
  fees: bigint;
  sigOpsCost: number;
}

/** Facts about a transaction that are fixed when it enters the mempool. */
export interface EntryFacts {
  readonly tx: Transaction;
  /** Satoshis. */
  readonly fee: bigint;
  /** Virtual bytes on which fee rates are based (`policySize`). */
  readonly vsize: number;
  readonly sigOpsCost: number;
  /** Time of entry, seconds since 1970. */
  readonly time: number;
  /** Height of the tip at entry. */
  readonly height: number;
  /** Spends a coinbase output, which a reorganisation may make immature again. */
  readonly spendsCoinbase: boolean;
  /** The EVM transaction that it carries. */
  readonly evm?: PooledEvm | undefined;
}

/** A pooled transaction with its links to parents and children. */
export class MempoolEntry implements EntryFacts, HeapItem {
  readonly tx: Transaction;
  readonly fee: bigint;
  readonly vsize: number;
  readonly weight: number;
  readonly sigOpsCost: number;
  readonly time: number;
  readonly height: number;
  readonly spendsCoinbase: boolean;
  readonly evm: PooledEvm | undefined;
  /** Carries a custom transaction of any type, known or unknown. */
  readonly isCustom: boolean;
  /** The txid as a key: hex in wire order. */
  readonly key: string;
  /** Fee delta of `prioritisetransaction`, satoshis. */
  feeDelta = 0n;
  /** Counter of entries, by order of entry. */
  sequence = 0;
  heapIndex = -1;
  /** Fee and size that decide the order of eviction: its own, or those with descendants if that fee rate is higher. */
  score: FeeAndSize = { fee: 0, size: 1 };
  readonly parents = new Set<MempoolEntry>();
  readonly children = new Set<MempoolEntry>();
  /** Itself and its unconfirmed ancestors. */
  readonly ancestors: PackageTotals;
  /** Itself and its descendants. */
  readonly descendants: PackageTotals;

  constructor(facts: EntryFacts, feeDelta = 0n, sequence = 0) {
    this.tx = facts.tx;
    this.fee = facts.fee;
    this.vsize = facts.vsize;
    this.weight = transactionWeight(facts.tx);
    this.sigOpsCost = facts.sigOpsCost;
    this.time = facts.time;
    this.height = facts.height;
    this.spendsCoinbase = facts.spendsCoinbase;
    this.evm = facts.evm;
    this.isCustom = customTxPayload(facts.tx) !== undefined;
    this.key = toHex(facts.tx.txid);
    this.feeDelta = feeDelta;
    this.sequence = sequence;
    this.ancestors = totalsOf(this);
    this.descendants = totalsOf(this);
    this.rescore();
  }

  /** True if it only carries an EVM transaction: it spends no outputs and pays no fee in the DVM. */
  get isEvmOnly(): boolean {
    return this.evm?.kind === 'transaction';
  }

  /** Fee including the delta of prioritisation, satoshis. */
  get modifiedFee(): bigint {
    return this.fee + this.feeDelta;
  }

  /** All unconfirmed ancestors, without the entry itself. */
  allAncestors(): Set<MempoolEntry> {
    return reach(this, (entry) => entry.parents);
  }

  /** All descendants, without the entry itself. */
  allDescendants(): Set<MempoolEntry> {
    return reach(this, (entry) => entry.children);
  }

  /** Recomputes `score`; to be called after a change of the fee or of the descendants. */
  rescore(): void {
    const own = { fee: Number(this.modifiedFee), size: this.vsize };
    const all = { fee: Number(this.descendants.fees), size: this.descendants.size };
    this.score = hasHigherFeeRate(all, own) ? all : own;
  }
}

export interface FeeAndSize {
  /** Satoshis. */
  readonly fee: number;
  /** Virtual bytes. */
  readonly size: number;
}

/** True if `a` has the higher fee rate. */
export function hasHigherFeeRate(a: FeeAndSize, b: FeeAndSize): boolean {
  return a.fee * b.size > b.fee * a.size;
}

/** Package totals of an entry without relatives. */
export function totalsOf(entry: Pick<MempoolEntry, 'vsize' | 'modifiedFee' | 'sigOpsCost'>): PackageTotals {
  return { count: 1, size: entry.vsize, fees: entry.modifiedFee, sigOpsCost: entry.sigOpsCost };
}

/** Adds (or with -1 subtracts) one entry. */
export function addTotals(totals: PackageTotals, entry: MempoolEntry, sign: 1 | -1): void {
  totals.count += sign;
  totals.size += sign * entry.vsize;
  totals.fees += BigInt(sign) * entry.modifiedFee;
  totals.sigOpsCost += sign * entry.sigOpsCost;
}

function reach(from: MempoolEntry, next: (entry: MempoolEntry) => ReadonlySet<MempoolEntry>): Set<MempoolEntry> {
  const found = new Set<MempoolEntry>();
  const waiting = [...next(from)];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (found.has(entry)) continue;
    found.add(entry);
    waiting.push(...next(entry));
  }
  return found;
}
