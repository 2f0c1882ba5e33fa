import { decode } from '../../primitives/codec.js';
import type { Column, RawChange } from '../../storage/view.js';
import type { WalletFile } from './file.js';
import { put, remove } from './records.js';

/** What a wallet's parts need of its file. */
export type RowFile = Pick<WalletFile, 'rows' | 'write'>;

/**
 * Typed rows of a wallet. What one step of work changes is gathered and written as one batch: `commit` before a caller hears of it,
 * `commitLazily` for what the chain can tell again.
 */
export class WalletStore {
  #pending: RawChange[] = [];

  constructor(private readonly file: RowFile) {}

  *rows<K, V>(column: Column<K, V>): Generator<readonly [K, V]> {
    for (const { key, value } of this.file.rows(column.name)) yield [decode(column.key, key), decode(column.value, value)];
  }

  /** The row of a column that holds one. */
  single<V>(column: Column<number, V>): V | undefined {
    for (const [, value] of this.rows(column)) return value;
    return undefined;
  }

  put<K, V>(column: Column<K, V>, key: K, value: V): void {
    this.#pending.push(put(column, key, value));
  }

  delete<K, V>(column: Column<K, V>, key: K): void {
    this.#pending.push(remove(column, key));
  }

  /** On disk when it returns. @throws {WalletNotWritten}; what was gathered is written with the next batch */
  commit(): void {
    this.#write(true);
  }

  /** Survives a kill of the process; a loss of power may take it, and everything after it. @throws {WalletNotWritten}, as above */
  commitLazily(): void {
    if (this.#pending.length > 0) this.#write(false);
  }

  #write(sync: boolean): void {
    this.file.write(this.#pending, { sync });
    this.#pending = [];
  }
}
