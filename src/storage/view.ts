import type { Codec } from '../primitives/codec.js';

/** A typed table of the store. The key's bytes decide the order of iteration. */
export interface Column<K, V> {
  readonly name: string;
  readonly key: Codec<K>;
  readonly value: Codec<V>;
}

/** A column of whatever types: for lists of columns, where only names and codecs matter. */
export type AnyColumn = Column<unknown, unknown>;

/** Where an iteration starts and which way it goes. `from` is included; keys outside `prefix` are not met. */
export interface Range<K> {
  readonly from?: K;
  readonly prefix?: Uint8Array;
  readonly reverse?: boolean;
}

/** Reads typed columns. All reads are synchronous. */
export interface StateView {
  get<K, V>(column: Column<K, V>, key: K): V | undefined;
  /** Values in the order of `keys`, in one visit to the store. */
  getMany<K, V>(column: Column<K, V>, keys: readonly K[]): (V | undefined)[];
  has<K, V>(column: Column<K, V>, key: K): boolean;
  /** Entries in key order (or reverse). Changes made while it runs may or may not be seen. */
  entries<K, V>(column: Column<K, V>, range?: Range<K>): Iterable<readonly [K, V]>;
}

export interface WritableView extends StateView {
  put<K, V>(column: Column<K, V>, key: K, value: V): void;
  delete<K, V>(column: Column<K, V>, key: K): void;
}

/** One key's change in bytes: what was there before, and what is there now. */
export interface RawChange {
  readonly column: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** The old values of every key that an overlay changed: put back in any order, they restore what was below it. */
export type UndoLog = readonly RawChange[];

/** A store at the bottom of all overlays. */
export interface Store extends StateView {
  /** Writes all changes or none; with `sync` they survive a loss of power. */
  write(changes: Iterable<RawChange>, options?: { readonly sync?: boolean }): void;
  /** A view that later writes do not change; `close` it. */
  snapshot(): Snapshot;
  close(): Promise<void>;
}

export interface Snapshot extends StateView {
  close(): void;
}
