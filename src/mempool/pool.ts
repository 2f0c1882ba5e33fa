import type { Hash256 } from '../primitives/hash.js';
import { isNullOutPoint, type OutPoint, pointKey } from '../primitives/outpoint.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';
import { Emitter } from '../util/events.js';
import { Heap } from '../util/heap.js';
import { INT64_MAX, INT64_MIN } from '../util/numbers.js';
import { addTotals, type EntryFacts, hasHigherFeeRate, MempoolEntry, totalsOf } from './entry.js';

/** Reason for which a transaction was removed from the pool. */
export type RemovalReason = 'block' | 'conflict' | 'expiry' | 'replaced' | 'reorg' | 'size-limit' | 'cleared';

export interface PoolEvents {
  added: MempoolEntry;
  removed: { readonly entry: MempoolEntry; readonly reason: RemovalReason };
}

/** Estimated memory of the objects of an entry, besides the serialised transaction. Generous, so that the memory limit holds. */
const ENTRY_OVERHEAD_BYTES = 1_200;
const INPUT_OVERHEAD_BYTES = 400;
const OUTPUT_OVERHEAD_BYTES = 200;
const EVM_OVERHEAD_BYTES = 1_000;

/**
 * Container of unconfirmed transactions, their dependencies and the outputs that they spend. It validates nothing: `Acceptance` does.
 */
export class Pool {
  readonly #entries = new Map<string, MempoolEntry>();
  readonly #spenders = new Map<string, MempoolEntry>();
  /** Deltas by txid, including those of transactions that are not pooled (yet). */
  readonly #feeDeltas = new Map<string, bigint>();
  readonly #worstFirst = new Heap<MempoolEntry>(leavesBefore);
  readonly #events = new Emitter<PoolEvents>();
  #sequence = 0;
  #totalSize = 0;
  #memory = 0;
  #updates = 0;

  /** Subscribes to additions and removals of entries, emitted once the pool is consistent. @returns a function that unsubscribes */
  on<Name extends keyof PoolEvents>(name: Name, listener: (event: PoolEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Virtual bytes of all entries. */
  get totalSize(): number {
    return this.#totalSize;
  }

  /** Estimated memory use, bytes. */
  get memoryUsage(): number {
    return this.#memory;
  }

  /** Counter of changes, from which the block template cache detects a stale template. */
  get updates(): number {
    return this.#updates;
  }

  get(txid: Hash256): MempoolEntry | undefined {
    return this.#entries.get(toHex(txid));
  }

  /** @param key of a present or former entry */
  withKey(key: string): MempoolEntry | undefined {
    return this.#entries.get(key);
  }

  has(entry: MempoolEntry): boolean {
    return this.#entries.get(entry.key) === entry;
  }

  /** All entries, in the order of entry. */
  entries(): Iterable<MempoolEntry> {
    return this.#entries.values();
  }

  /** An output of a pooled transaction, spent by another pooled one or not. */
  output({ txid, vout }: OutPoint): TxOut | undefined {
    return this.get(txid)?.tx.vout[vout];
  }

  /** The pooled transaction that spends an output. */
  spender(point: OutPoint): MempoolEntry | undefined {
    return this.#spenders.get(pointKey(point));
  }

  /** Entries that share an input with `tx`, without `tx` itself. */
  conflictsOf(tx: Transaction): Set<MempoolEntry> {
    const found = new Set<MempoolEntry>();
    const key = toHex(tx.txid);
    for (const { prevout } of tx.vin) {
      const spender = this.spender(prevout);
      if (spender && spender.key !== key) found.add(spender);
    }
    return found;
  }

  /** Entries whose outputs `tx` spends. */
  parentsOf(tx: Pick<Transaction, 'vin'>): Set<MempoolEntry> {
    const found = new Set<MempoolEntry>();
    for (const { prevout } of tx.vin) {
      const parent = this.get(prevout.txid);
      if (parent) found.add(parent);
    }
    return found;
  }

  /** Entries that spend outputs of `tx`, which may itself be pooled or not. */
  spendersOf(tx: Transaction): Set<MempoolEntry> {
    const found = new Set<MempoolEntry>();
    for (let vout = 0; vout < tx.vout.length; vout++) {
      const child = this.spender({ txid: tx.txid, vout });
      if (child) found.add(child);
    }
    return found;
  }

  /** The entry to evict next if the pool is too large. */
  get worst(): MempoolEntry | undefined {
    return this.#worstFirst.peek();
  }

  add(facts: EntryFacts): MempoolEntry {
    const key = toHex(facts.tx.txid);
    if (this.#entries.has(key)) throw new Error('the transaction is already in the pool');
    const entry = new MempoolEntry(facts, this.#feeDeltas.get(key), this.#sequence++);
    this.#entries.set(key, entry);
    this.#totalSize += entry.vsize;
    this.#memory += memoryOf(entry);
    this.#updates += 1;
    // All transactions that carry an EVM transaction have the same null inputs, which conflict with nothing.
    for (const { prevout } of entry.tx.vin) if (!isNullOutPoint(prevout)) this.#spenders.set(pointKey(prevout), entry);
    this.#worstFirst.push(entry);
    this.#link(entry);
    this.#events.emit('added', entry);
    return entry;
  }

  #link(entry: MempoolEntry): void {
    for (const parent of this.parentsOf(entry.tx)) join(parent, entry);
    // After a reorganisation a parent may be re-added when its children are already pooled.
    for (const child of this.spendersOf(entry.tx)) join(entry, child);
    const ancestors = entry.allAncestors();
    if (entry.children.size > 0) {
      for (const at of [entry, ...ancestors, ...entry.allDescendants()]) this.#recount(at);
      return;
    }
    for (const ancestor of ancestors) {
      addTotals(ancestor.descendants, entry, 1);
      addTotals(entry.ancestors, ancestor, 1);
      this.#rerank(ancestor);
    }
  }

  #recount(entry: MempoolEntry): void {
    Object.assign(entry.ancestors, totalsOf(entry));
    Object.assign(entry.descendants, totalsOf(entry));
    for (const ancestor of entry.allAncestors()) addTotals(entry.ancestors, ancestor, 1);
    for (const descendant of entry.allDescendants()) addTotals(entry.descendants, descendant, 1);
    this.#rerank(entry);
  }

  #rerank(entry: MempoolEntry): void {
    entry.rescore();
    this.#worstFirst.update(entry);
  }

  /** Removes entries but not their descendants: for confirmed transactions. */
  remove(entries: Iterable<MempoolEntry>, reason: RemovalReason): void {
    const leaving = new Set([...entries].filter((entry) => this.has(entry)));
    // Totals are updated before any link is removed, so that the order of removal does not matter.
    for (const entry of leaving) this.#discount(entry, leaving);
    for (const entry of leaving) this.#unlink(entry);
    for (const entry of leaving) this.#events.emit('removed', { entry, reason });
  }

  #discount(entry: MempoolEntry, leaving: ReadonlySet<MempoolEntry>): void {
    for (const descendant of entry.allDescendants()) if (!leaving.has(descendant)) addTotals(descendant.ancestors, entry, -1);
    for (const ancestor of entry.allAncestors()) {
      if (leaving.has(ancestor)) continue;
      addTotals(ancestor.descendants, entry, -1);
      this.#rerank(ancestor);
    }
  }

  #unlink(entry: MempoolEntry): void {
    this.#entries.delete(entry.key);
    this.#worstFirst.delete(entry);
    for (const parent of entry.parents) parent.children.delete(entry);
    for (const child of entry.children) child.parents.delete(entry);
    for (const { prevout } of entry.tx.vin) if (!isNullOutPoint(prevout)) this.#spenders.delete(pointKey(prevout));
    this.#totalSize -= entry.vsize;
    this.#memory -= memoryOf(entry);
    this.#updates += 1;
  }

  /** Removes entries and their descendants. @returns the number of removed entries */
  removeWithDescendants(entries: Iterable<MempoolEntry>, reason: RemovalReason): number {
    const leaving = new Set<MempoolEntry>();
    for (const entry of entries) {
      leaving.add(entry);
      for (const descendant of entry.allDescendants()) leaving.add(descendant);
    }
    this.remove(leaving, reason);
    return leaving.size;
  }

  /** Adds `delta` satoshis to the modified fee of a transaction, pooled or not. The sum stays in 64 bits, which mempool.dat has for it. */
  prioritise(txid: Hash256, delta: bigint): void {
    const key = toHex(txid);
    const before = this.#feeDeltas.get(key) ?? 0n;
    const after = clamp(before + delta);
    const change = after - before;
    this.#feeDeltas.set(key, after);
    this.#updates += 1;
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.feeDelta += change;
    entry.ancestors.fees += change;
    entry.descendants.fees += change;
    this.#rerank(entry);
    for (const descendant of entry.allDescendants()) descendant.ancestors.fees += change;
    for (const ancestor of entry.allAncestors()) {
      ancestor.descendants.fees += change;
      this.#rerank(ancestor);
    }
  }

  /** Drops the delta of a transaction that was confirmed or has become invalid. */
  clearPrioritisation(txid: Hash256): void {
    this.#feeDeltas.delete(toHex(txid));
  }

  feeDelta(txid: Hash256): bigint {
    return this.#feeDeltas.get(toHex(txid)) ?? 0n;
  }

  /** All fee deltas in satoshis, by txid as hex in wire order. */
  feeDeltas(): ReadonlyMap<string, bigint> {
    return this.#feeDeltas;
  }
}

function clamp(value: bigint): bigint {
  if (value > INT64_MAX) return INT64_MAX;
  return value < INT64_MIN ? INT64_MIN : value;
}

function join(parent: MempoolEntry, child: MempoolEntry): void {
  parent.children.add(child);
  child.parents.add(parent);
}

/** Order of eviction: lowest fee rate first, of equals the newest first. */
function leavesBefore(a: MempoolEntry, b: MempoolEntry): boolean {
  if (hasHigherFeeRate(b.score, a.score)) return true;
  if (hasHigherFeeRate(a.score, b.score)) return false;
  return a.time > b.time || (a.time === b.time && a.sequence > b.sequence);
}

function memoryOf({ tx, evm }: MempoolEntry): number {
  // A decoded access list has up to twice the size of its bytes.
  const decoded = evm ? EVM_OVERHEAD_BYTES + 2 * tx.raw.length : 0;
  return ENTRY_OVERHEAD_BYTES + tx.raw.length + tx.vin.length * INPUT_OVERHEAD_BYTES + tx.vout.length * OUTPUT_OVERHEAD_BYTES + decoded;
}
