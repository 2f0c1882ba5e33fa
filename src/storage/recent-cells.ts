import type { Cell } from './cells.js';

/** Memory of an entry besides key and value, bytes: map slots, the cell, and headers of text and buffer. */
const ENTRY_BYTES = 250;
/** Decoded values take a few times the memory of their encoding. */
const DECODED_FACTOR = 4;

/** Estimated memory of a row that is kept decoded, bytes. */
export function rowBytes(key: string, cell: Cell | undefined): number {
  return ENTRY_BYTES + key.length + (cell ? cell.bytes().length * DECODED_FACTOR : 0);
}

type Generation = Map<string, Map<string, Cell | undefined>>;

/**
 * Bounded cache of cells by column and key; undefined for a key known to be absent. Entries are kept in two generations: a hit moves an
 * entry to the younger one, and when that reaches half of the bound, the older one is dropped. This costs less than a list in order of use.
 */
export class RecentCells {
  readonly #halfBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2;
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  /** @returns `unknown` if the key is not in the cache */
  get(column: string, key: string): Cell | undefined | 'unknown' {
    const young = this.#young.get(column);
    const found = young?.get(key);
    if (found !== undefined || young?.has(key)) return found;
    const old = this.#old.get(column);
    if (!old?.has(key)) return 'unknown';
    const cell = old.get(key);
    old.delete(key);
    this.#oldBytes -= rowBytes(key, cell);
    this.set(column, key, cell);
    return cell;
  }

  /** Adds an entry that is not in the cache. */
  set(column: string, key: string, cell: Cell | undefined): void {
    const bytes = rowBytes(key, cell);
    if (this.#youngBytes + bytes > this.#halfBytes) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    if (bytes > this.#halfBytes) return;
    let rows = this.#young.get(column);
    if (!rows) {
      rows = new Map();
      this.#young.set(column, rows);
    }
    rows.set(key, cell);
    this.#youngBytes += bytes;
  }

  delete(column: string, key: string): void {
    this.#youngBytes -= removed(this.#young.get(column), key);
    this.#oldBytes -= removed(this.#old.get(column), key);
  }

  /** Drops all entries of a column. */
  deleteColumn(column: string): void {
    this.#youngBytes -= bytesOf(this.#young.get(column));
    this.#oldBytes -= bytesOf(this.#old.get(column));
    this.#young.delete(column);
    this.#old.delete(column);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
    this.#oldBytes = 0;
  }
}

function bytesOf(rows: ReadonlyMap<string, Cell | undefined> = new Map()): number {
  let bytes = 0;
  for (const [key, cell] of rows) bytes += rowBytes(key, cell);
  return bytes;
}

/** Removes a key. @returns the bytes that this frees */
function removed(rows: Map<string, Cell | undefined> | undefined, key: string): number {
  if (!rows?.has(key)) return 0;
  const bytes = rowBytes(key, rows.get(key));
  rows.delete(key);
  return bytes;
}
