import type { Steps } from '../util/slicer.js';
import { Cell, CellView, type KeyRange, rowChanges } from './cells.js';
import { ColumnStamps, newStamp, type Stamp } from './stamp.js';
import { Table } from './table.js';
import type { PreparedRows, RawChange, RowChange, Snapshot, Store, WriteOptions } from './view.js';

type Tables = Map<string, Table<Cell>>;

/** Store in memory, for tests and for tools that need no disk. */
export class MemoryStore extends CellView implements Store {
  readonly #tables: Tables = new Map();
  /** Columns that a snapshot shares; they are copied before the next write. */
  readonly #shared = new Set<string>();
  readonly #stamps = new ColumnStamps();

  override stamp(column: string): Stamp {
    return this.#stamps.of(column);
  }

  override cell(column: string, key: string): Cell | undefined {
    return this.#tables.get(column)?.get(key);
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    const table = this.#tables.get(column);
    return keys.map((key) => table?.get(key));
  }

  override isInMemory(): boolean {
    return true;
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    return this.#tables.get(column)?.scan(range) ?? [];
  }

  write(changes: Iterable<RawChange>): void {
    this.writeRows(rowChanges(changes));
  }

  writeRows(rows: readonly RowChange[], _options?: WriteOptions): void {
    for (const { column, key, cell } of rows) {
      const table = this.#writable(column);
      this.#stamps.change(column);
      if (cell) table.set(key, Cell.ofBytes(cell.bytes()));
      else table.delete(key);
    }
  }

  *prepareRows(rows: readonly RowChange[]): Steps<PreparedRows> {
    return { write: (options?: WriteOptions) => this.writeRows(rows, options), drop() {} };
  }

  snapshot(): Snapshot {
    for (const column of this.#tables.keys()) this.#shared.add(column);
    return new MemorySnapshot(new Map(this.#tables));
  }

  async close(): Promise<void> {}

  #writable(column: string): Table<Cell> {
    const table = this.#tables.get(column);
    if (table && !this.#shared.delete(column)) return table;
    const own = table?.copy() ?? new Table<Cell>();
    this.#tables.set(column, own);
    return own;
  }
}

class MemorySnapshot extends CellView implements Snapshot {
  readonly #tables: Tables;
  readonly #stamp = newStamp();

  constructor(tables: Tables) {
    super();
    this.#tables = tables;
  }

  override stamp(): Stamp {
    return this.#stamp;
  }

  override cell(column: string, key: string): Cell | undefined {
    return this.#tables.get(column)?.get(key);
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    const table = this.#tables.get(column);
    return keys.map((key) => table?.get(key));
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    return this.#tables.get(column)?.scan(range) ?? [];
  }

  close(): void {
    this.#tables.clear();
  }
}
