import type { Codec } from '../primitives/codec.js';
import type { Steps } from '../util/slicer.js';
import type { Cell } from './cells.js';

/** Typed table of the store. Iteration is in the order of the encoded keys. */
export interface Column<K, V> {
  readonly name: string;
  readonly key: Codec<K>;
  readonly value: Codec<V>;
}

/** Column of any types, for lists in which only names and codecs matter. */
export type AnyColumn = Column<unknown, unknown>;

/** Part of a column to iterate: from the key `from` (inclusive), limited to keys that begin with `prefix`, ascending unless `reverse`. */
export interface Range<K> {
  readonly from?: K;
  readonly prefix?: Uint8Array;
  readonly reverse?: boolean;
}

/** Read access to typed columns. All reads are synchronous. */
export interface StateView {
  get<K, V>(column: Column<K, V>, key: K): V | undefined;
  /** Values in the order of `keys`, by one batch read. */
  getMany<K, V>(column: Column<K, V>, keys: readonly K[]): (V | undefined)[];
  has<K, V>(column: Column<K, V>, key: K): boolean;
  /** Entries in key order (or reverse). Changes during the iteration may or may not be seen. */
  entries<K, V>(column: Column<K, V>, range?: Range<K>): Iterable<readonly [K, V]>;
  /** Entries of a whole column, or of its keys above `after`, not decoded. Keys are texts of one char per byte. */
  rows<K, V>(column: Column<K, V>, after?: string): Iterable<readonly [string, Uint8Array]>;
}

/** View with changes. */
export interface WritableView extends StateView {
  /** The view below this view's changes. */
  readonly below: StateView;
  put<K, V>(column: Column<K, V>, key: K, value: V): void;
  /** Puts a row whose key is known to be absent, so that it is not looked for. */
  putNew<K, V>(column: Column<K, V>, key: K, value: V): void;
  delete<K, V>(column: Column<K, V>, key: K): void;
  /** Deletes a row whose value is known, so that it is not read for the undo record. */
  deleteKnown<K, V>(column: Column<K, V>, key: K, value: V): void;
  /** Keys that were written or deleted here, not in the views below, in no particular order. */
  changedKeys<K>(column: Column<K, unknown>): K[];
}

/** Change of one key, as bytes. In an undo log `value` is the old value, otherwise the new one; undefined: the key is absent. */
export interface RawChange {
  readonly column: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Change of one key with both values, as bytes; undefined: the key is absent. */
export interface RowDifference {
  readonly column: string;
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** Old values of every key that an overlay changed. Restored in any order, they give the state below the overlay. */
export type UndoLog = readonly RawChange[];

/** Change of one key to be written. The key is a text of one char per byte, as overlays keep it; without a cell the row is deleted. */
export interface RowChange {
  readonly column: string;
  readonly key: string;
  readonly cell: Cell | undefined;
}

export interface WriteOptions {
  /** True if the changes are to survive a power failure. */
  readonly sync?: boolean;
}

/** Rows in the form of the engine, to be written in one batch. Exactly one of the methods must be called, once. */
export interface PreparedRows {
  write(options?: WriteOptions): void;
  drop(): void;
}

/** Store below all overlays. */
export interface Store extends StateView {
  /** Writes all changes or none. */
  write(changes: Iterable<RawChange>, options?: WriteOptions): void;
  /** Writes all changes of an overlay or none. */
  writeRows(rows: readonly RowChange[], options?: WriteOptions): void;
  /**
   * Prepares a write of rows in steps, because the preparation takes most of the time. The rows must not change before they are written.
   */
  prepareRows(rows: readonly RowChange[]): Steps<PreparedRows>;
  /** Checks that the disk has room for so many bytes and a reserve. Stores in memory lack it. @throws {DiskFull} */
  requireRoom?(bytes: number): void;
  /** View that later writes do not change; the caller must close it. */
  snapshot(): Snapshot;
  close(): Promise<void>;
}

export interface Snapshot extends StateView {
  close(): void;
}
