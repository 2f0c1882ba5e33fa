import { decode } from '../../primitives/codec.js';
import type { Column, RawChange } from '../../storage/view.js';
import type { WalletFile } from './file.js';
import { put, remove } from './records.js';

/** The part of a wallet's file that the store uses. */
export type RowFile = Pick<WalletFile, 'rows' | 'write'>;

/**
 * Typed rows of a wallet. Changes are collected and written as one batch: by `commit` before the client receives an answer, by
 * `commitLazily` for data that a rescan can restore.
 */
export class WalletStore {
  #pending: RawChange[] = [];
  #changes = 0;

  constructor(private readonly file: RowFile) {}

  *rows<K, V>(column: Column<K, V>): Generator<readonly [K, V]> {
    for (const { key, value } of this.file.rows(column.name)) yield [decode(column.key, key), decode(column.value, value)];
  }

  /** The row of a column with a single row; undefined if there is none. */
  single<V>(column: Column<number, V>): V | undefined {
    for (const [, value] of this.rows(column)) return value;
    return undefined;
  }

  /** Number of changes so far: of rows, and of what is kept in memory alone. */
  get changes(): number {
    return this.#changes;
  }

  /** Counts a change of the wallet that no row is written for, or not yet. */
  noteChange(): void {
    this.#changes += 1;
  }

  put<K, V>(column: Column<K, V>, key: K, value: V): void {
    this.#changes += 1;
    this.#pending.push(put(column, key, value));
  }

  delete<K, V>(column: Column<K, V>, key: K): void {
    this.#changes += 1;
    this.#pending.push(remove(column, key));
  }

  /** Writes and syncs collected changes. @throws {WalletNotWritten}; the changes are written with the next batch then */
  commit(): void {
    this.#write(true);
  }

  /** Writes collected changes without a sync: they survive the end of the process, but not a loss of power. @throws as `commit` */
  commitLazily(): void {
    if (this.#pending.length > 0) this.#write(false);
  }

  #write(sync: boolean): void {
    this.file.write(this.#pending, { sync });
    this.#pending = [];
  }
}
