import { customTxPayload } from '../dfi/kernel/payload.js';
import { type Transaction, transactionWeight } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';
import type { HeapItem } from '../util/heap.js';

/** Sums over an entry and its unconfirmed ancestors, or its descendants. */
export interface PackageTotals {
  count: number;
  /** Virtual bytes. */
  size: number;
  /** Modified fees, satoshis. */
  fees: bigint;
  sigOpsCost: number;
}

export interface EntryFacts {
  readonly tx: Transaction;
  /** Satoshis. */
  readonly fee: bigint;
  /** Virtual bytes that fees are measured by. */
  readonly vsize: number;
  readonly sigOpsCost: number;
  /** Seconds since 1970 at which it entered. */
  readonly time: number;
  /** Tip when it entered. */
  readonly height: number;
  /** Spends a coinbase, which a reorganisation may make immature again. */
  readonly spendsCoinbase: boolean;
}

/** A transaction of the pool with its place among the others. */
export class MempoolEntry implements EntryFacts, HeapItem {
  readonly tx: Transaction;
  readonly fee: bigint;
  readonly vsize: number;
  readonly weight: number;
  readonly sigOpsCost: number;
  readonly time: number;
  readonly height: number;
  readonly spendsCoinbase: boolean;
  /** Carries a custom transaction, whatever it is. */
  readonly isCustom: boolean;
  /** The txid as a key: hex in wire order. */
  readonly key: string;
  /** What `prioritisetransaction` adds to the fee, satoshis. */
  feeDelta = 0n;
  /** Order of entry. */
  sequence = 0;
  heapIndex = -1;
  /** Fee and size that decide how long it stays when the pool is full: its own, or with its descendants where those pay more. */
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
    this.isCustom = customTxPayload(facts.tx) !== undefined;
    this.key = toHex(facts.tx.txid);
    this.feeDelta = feeDelta;
    this.sequence = sequence;
    this.ancestors = totalsOf(this);
    this.descendants = totalsOf(this);
    this.rescore();
  }

  /** Fee that selection goes by. */
  get modifiedFee(): bigint {
    return this.fee + this.feeDelta;
  }

  /** Unconfirmed ancestors, without itself. */
  allAncestors(): Set<MempoolEntry> {
    return reach(this, (entry) => entry.parents);
  }

  /** Descendants, without itself. */
  allDescendants(): Set<MempoolEntry> {
    return reach(this, (entry) => entry.children);
  }

  /** To be called when its fee or its descendants changed. */
  rescore(): void {
    const own = { fee: Number(this.modifiedFee), size: this.vsize };
    const all = { fee: Number(this.descendants.fees), size: this.descendants.size };
    this.score = paysMore(all, own) ? all : own;
  }
}

export interface FeeAndSize {
  /** Satoshis. */
  readonly fee: number;
  /** Virtual bytes. */
  readonly size: number;
}

/** True if the first pays more per byte than the second. */
export function paysMore(a: FeeAndSize, b: FeeAndSize): boolean {
  return a.fee * b.size > b.fee * a.size;
}

export function totalsOf(entry: Pick<MempoolEntry, 'vsize' | 'modifiedFee' | 'sigOpsCost'>): PackageTotals {
  return { count: 1, size: entry.vsize, fees: entry.modifiedFee, sigOpsCost: entry.sigOpsCost };
}

/** Adds (or with -1 takes away) one entry's share. */
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
