import type { KeyRange } from './cells.js';

/** Number of added keys, deleted ones included, above which they are merged if most are deleted. */
const MAX_STALE = 1_000;

/**
 * Map that can be iterated in key order. Keys are texts of one char per byte, so their order is that of the bytes. The order is computed
 * on the first scan, and later keys are merged in on the next one, so a write costs only a map insertion.
 */
export class Table<T> {
  readonly #rows: Map<string, T>;
  /** Keys in ascending order; may contain deleted ones. Never changed in place, so a scan in progress keeps its list. */
  #sorted: readonly string[] = [];
  /** Keys that are not in `#sorted` yet. */
  #added: string[] = [];

  constructor(rows: Iterable<readonly [string, T]> = []) {
    this.#rows = new Map(rows);
    this.#added = [...this.#rows.keys()];
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): T | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: T): void {
    const before = this.#rows.size;
    this.#rows.set(key, row);
    if (this.#rows.size === before) return;
    this.#added.push(key);
    // Keys that are added and deleted without a scan in between would accumulate.
    if (this.#added.length > MAX_STALE && this.#added.length > 2 * this.#rows.size) this.#ordered();
  }

  delete(key: string): void {
    this.#rows.delete(key);
  }

  /** Rows in no particular order. */
  rows(): IterableIterator<T> {
    return this.#rows.values();
  }

  copy(): Table<T> {
    const copy = new Table<T>(this.#rows);
    copy.#sorted = this.#ordered();
    copy.#added = [];
    return copy;
  }

  /** Rows in key order; a row that is deleted before the scan reaches it is skipped. */
  *scan({ gte, lt, reverse }: KeyRange): Generator<readonly [string, T]> {
    const keys = this.#ordered();
    const first = lowerBound(keys, gte);
    const end = lt === undefined ? keys.length : lowerBound(keys, lt);
    for (let n = 0; n < end - first; n++) {
      const key = keys[reverse ? end - 1 - n : first + n] as string;
      const row = this.#rows.get(key);
      if (row !== undefined) yield [key, row];
    }
  }

  /** Present keys in ascending order. The list is not updated, and may contain deleted keys. */
  keys(): readonly string[] {
    return this.#ordered();
  }

  #ordered(): readonly string[] {
    if (this.#added.length > 0) {
      this.#sorted = merge(this.#sorted, this.#added.sort(), this.#rows);
      this.#added = [];
    }
    return this.#sorted;
  }
}

/** Merges two ascending lists without duplicates and deleted keys. */
function merge<T>(a: readonly string[], b: readonly string[], rows: ReadonlyMap<string, T>): string[] {
  const merged: string[] = [];
  let last: string | undefined;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const fromA = j >= b.length || (i < a.length && (a[i] as string) < (b[j] as string));
    const key = (fromA ? a[i++] : b[j++]) as string;
    if (key !== last && rows.has(key)) merged.push(key);
    last = key;
  }
  return merged;
}

/** Index of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
