import { toHex } from '../../util/bytes.js';
import type { PoolEntry } from '../store/records.js';
import * as records from '../store/records.js';
import type { WalletStore } from '../store/store.js';

/** Largest `-keypool`. A larger pool takes minutes to generate, and is part of every backup. */
export const MAX_POOL_SIZE = 100_000;

/** A key removed from the pool, to be kept or returned. */
export interface ReservedKey {
  readonly index: number;
  readonly entry: PoolEntry;
}

/**
 * Keys generated in advance, for receiving (external) and for change (internal), so that a backup includes keys that are used later.
 * @see docs/protocol/wallet.md 1.7
 */
export class KeyPool {
  readonly #store: WalletStore;
  /** Ascending by index. */
  readonly #pools: Readonly<Record<'external' | 'internal', Map<number, PoolEntry>>> = { external: new Map(), internal: new Map() };
  /** Indexes by public key in hex. */
  readonly #byKey = new Map<string, number>();
  #nextIndex = 1;

  /** Lowest index of a key of the present seed's pool. */
  #firstIndex = 1;

  /** @param firstIndex lowest index of a key that is added to an empty pool */
  constructor(store: WalletStore, firstIndex = 1) {
    this.#store = store;
    this.#nextIndex = firstIndex;
    this.#firstIndex = firstIndex;
    const stored = [...store.rows(records.pool)].sort(([a], [b]) => a - b);
    for (const [index, entry] of stored) this.#enter(index, entry);
  }

  size(internal: boolean): number {
    return this.#pool(internal).size;
  }

  has(publicKey: Uint8Array): boolean {
    return this.#byKey.has(toHex(publicKey));
  }

  /** Creation time of the first key of each pool, and of these the later; `now` for an empty pool. Seconds since 1970. */
  oldest(now: number): number {
    return Math.max(firstTime(this.#pools.external) ?? now, firstTime(this.#pools.internal) ?? now);
  }

  add(entry: PoolEntry): void {
    const index = this.#nextIndex;
    this.#enter(index, entry);
    this.#store.put(records.pool, index, entry);
  }

  /** Removes the oldest key from the pool, in memory only. @returns undefined if the pool is empty */
  reserve(internal: boolean): ReservedKey | undefined {
    const pool = this.#pool(internal);
    for (const [index, entry] of pool) {
      pool.delete(index);
      this.#byKey.delete(keyOf(entry));
      this.#store.noteChange();
      return { index, entry };
    }
    return undefined;
  }

  /** Deletes a reserved key from the stored pool: it is used. */
  keep({ index }: ReservedKey): void {
    this.#store.delete(records.pool, index);
  }

  /** Puts a reserved key back into the pool. */
  returnDestination({ index, entry }: ReservedKey): void {
    // The seed of the key was replaced in the meantime.
    if (index < this.#firstIndex) return;
    const pool = this.#pool(entry.internal);
    const rest = [...pool];
    pool.clear();
    for (const [at, each] of [...rest, [index, entry] as const].sort(([a], [b]) => a - b)) pool.set(at, each);
    this.#byKey.set(keyOf(entry), index);
    this.#store.noteChange();
  }

  /** Removes a key that was paid, and all older keys of its pool. @returns their number; 0 if the key is in no pool */
  markUsed(publicKey: Uint8Array): number {
    const last = this.#byKey.get(toHex(publicKey));
    if (last === undefined) return 0;
    const pool = this.#pool(!this.#pools.external.has(last));
    let removed = 0;
    for (const [index, entry] of pool) {
      if (index > last) break;
      removed += 1;
      pool.delete(index);
      this.#byKey.delete(keyOf(entry));
      this.#store.delete(records.pool, index);
    }
    return removed;
  }

  /** Reserves indexes for a pool that will replace this one. @returns the first of them */
  claimIndexes(count: number): number {
    const first = this.#nextIndex;
    this.#nextIndex += count;
    return first;
  }

  /** Replaces the keys by those of another pool, whose rows are in the file already. */
  replaceBy(other: KeyPool): void {
    for (const pool of Object.values(this.#pools)) pool.clear();
    this.#byKey.clear();
    this.#store.noteChange();
    this.#firstIndex = other.#firstIndex;
    for (const pool of Object.values(other.#pools)) for (const [index, entry] of pool) this.#enter(index, entry);
  }

  #enter(index: number, entry: PoolEntry): void {
    this.#pool(entry.internal).set(index, entry);
    this.#byKey.set(keyOf(entry), index);
    this.#nextIndex = Math.max(this.#nextIndex, index + 1);
  }

  #pool(internal: boolean): Map<number, PoolEntry> {
    return internal ? this.#pools.internal : this.#pools.external;
  }
}

function keyOf({ publicKey }: PoolEntry): string {
  return toHex(publicKey);
}

function firstTime(pool: ReadonlyMap<number, PoolEntry>): number | undefined {
  for (const { createdAt } of pool.values()) return createdAt;
  return undefined;
}
