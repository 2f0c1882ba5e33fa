import type { Column, StateView } from '../../storage/view.js';
import { newestEntry, type PoolHeight, valuesAfter } from '../pools/history-columns.js';

/** Value from a height on. */
type Entry<V> = readonly [number, V];

/** Reader of the histories of pools in one state. */
export interface PoolHistories {
  /** Newest entry at or below a height. */
  newest<V>(column: Column<PoolHeight, V>, pool: number, height: number): Entry<V> | undefined;
  /** Entries above a height, oldest first. */
  after<V>(column: Column<PoolHeight, V>, pool: number, height: number): IterableIterator<Entry<V>>;
}

/** Reads every entry from the state. */
export function storedHistories(view: StateView): PoolHistories {
  return {
    newest: (column, pool, height) => newestEntry(view, column, pool, height),
    after: (column, pool, height) => valuesAfter(view, column, pool, height),
  };
}

/** Entries of the longest history that is kept. */
const SHORT = 256;

/** Keeps short histories that are read more than once. For calls that ask for many ranges of blocks; the state must not change. */
export class KeptHistories implements PoolHistories {
  /** By column, then by pool: null after the first read, `long` for a history that is not kept. */
  readonly #columns = new Map<string, Map<number, readonly Entry<unknown>[] | null | 'long'>>();
  readonly #stored: PoolHistories;

  constructor(view: StateView) {
    this.#stored = storedHistories(view);
  }

  newest<V>(column: Column<PoolHeight, V>, pool: number, height: number): Entry<V> | undefined {
    const entries = this.#entries(column, pool);
    return entries ? entries[firstAbove(entries, height) - 1] : this.#stored.newest(column, pool, height);
  }

  after<V>(column: Column<PoolHeight, V>, pool: number, height: number): IterableIterator<Entry<V>> {
    const entries = this.#entries(column, pool);
    return entries ? entries.slice(firstAbove(entries, height)).values() : this.#stored.after(column, pool, height);
  }

  #entries<V>(column: Column<PoolHeight, V>, pool: number): readonly Entry<V>[] | undefined {
    let pools = this.#columns.get(column.name);
    if (!pools) {
      pools = new Map();
      this.#columns.set(column.name, pools);
    }
    const known = pools.get(pool);
    if (known === 'long') return undefined;
    if (known) return known as readonly Entry<V>[];
    const entries = known === null ? this.#load(column, pool) : null;
    pools.set(pool, entries);
    return entries === 'long' || entries === null ? undefined : entries;
  }

  #load<V>(column: Column<PoolHeight, V>, pool: number): readonly Entry<V>[] | 'long' {
    const entries: Entry<V>[] = [];
    for (const entry of this.#stored.after(column, pool, -1)) {
      if (entries.length === SHORT) return 'long';
      entries.push(entry);
    }
    return entries;
  }
}

/** Index of the first entry above a height. */
function firstAbove(entries: readonly Entry<unknown>[], height: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as Entry<unknown>)[0] <= height) low = middle + 1;
    else high = middle;
  }
  return low;
}
