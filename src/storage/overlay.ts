import { encodeText } from '../primitives/codec.js';
import { equalBytes } from '../util/bytes.js';
import { Cell, CellView, decodeStored, type KeyRange, keyBytes, keyText } from './cells.js';
import { ABSENT, isWritten, mergedRows, Rows, readBelow } from './overlay-rows.js';
import { newStamp, type Stamp } from './stamp.js';
import { UndoWriter } from './undo.js';
import type { Column, RawChange, RowChange, RowDifference, Snapshot, StateView, UndoLog, WritableView } from './view.js';

/**
 * Uncommitted changes on top of a parent: a store, a snapshot or another overlay. While the overlay is in use, the parent must not
 * change except by its `commit`. `undo` reads the old values from the parent in one batch per column; a change itself reads nothing.
 */
export class Overlay extends CellView implements WritableView {
  readonly #parent: CellView;
  readonly #cachesReads: boolean;
  readonly #columns = new Map<string, Rows>();
  #version = 0;
  /** True if a frozen view has the same rows. */
  #isShared = false;
  /** Number of overlays that were committed to this one. */
  #commits = 0;
  /** That number of the parent when this overlay began. */
  readonly #begunAt: number;

  /**
   * @param options.cachesReads false if `getMany` keeps nothing, because readers share the overlay for a long time
   * @throws {TypeError} if the parent is not a view of this folder
   */
  constructor(parent: StateView, { cachesReads = true } = {}) {
    super();
    this.#cachesReads = cachesReads;
    if (!(parent instanceof CellView)) throw new TypeError('the parent of an overlay is a store, a snapshot or another overlay');
    this.#parent = parent;
    this.#begunAt = this.#commitsBelow;
  }

  /** False if another overlay was committed to the parent since this one began. */
  get isCurrent(): boolean {
    return this.#commitsBelow === this.#begunAt;
  }

  get #commitsBelow(): number {
    return this.#parent instanceof Overlay ? this.#parent.#commits : 0;
  }

  /** Number that any change of this overlay raises. */
  get version(): number {
    return this.#version;
  }

  get below(): StateView {
    return this.#parent;
  }

  /** Number of rows in all columns, including rows that were only read. */
  get size(): number {
    let size = 0;
    for (const table of this.#columns.values()) size += table.size;
    return size;
  }

  override stamp(column: string): Stamp {
    const own = this.#columns.get(column)?.stamp;
    const below = this.#parent.stamp(column);
    return own === undefined ? below : `${own} ${below}`;
  }

  override cell(column: string, key: string): Cell | undefined {
    const row = this.#columns.get(column)?.get(key);
    return row ? row.cell : this.#parent.cell(column, key);
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    const table = this.#columns.get(column);
    if (!table) return this.#parent.cells(column, keys);
    const cells = new Array<Cell | undefined>(keys.length);
    const missing: string[] = [];
    const places: number[] = [];
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const row = table.get(key);
      if (row) cells[i] = row.cell;
      else {
        missing.push(key);
        places.push(i);
      }
    }
    if (missing.length === 0) return cells;
    const found = this.#parent.cells(column, missing);
    for (let i = 0; i < places.length; i++) cells[places[i] as number] = found[i];
    return cells;
  }

  override isInMemory(column: string): boolean {
    return this.#parent.isInMemory(column);
  }

  /**
   * Also caches the values that are read from the parent, so that the coins of a block are read from the store once. They are cached in
   * this overlay only, not in overlays below it.
   */
  override getMany<K, V>(column: Column<K, V>, keys: readonly K[]): (V | undefined)[] {
    if (!this.#cachesReads) return super.getMany(column, keys);
    const table = this.#table(column.name);
    const values = new Array<V | undefined>(keys.length);
    const missing: string[] = [];
    const places: number[] = [];
    for (let i = 0; i < keys.length; i++) {
      const key = encodeText(column.key, keys[i] as K);
      const row = table.get(key);
      if (row) values[i] = row.cell?.value(column);
      else {
        missing.push(key);
        places.push(i);
      }
    }
    if (missing.length === 0) return values;
    const found = this.#parent.cells(column.name, missing);
    for (let i = 0; i < missing.length; i++) {
      const key = missing[i] as string;
      const cell = found[i];
      table.set(key, { column: column.name, key, cell, changed: false, below: cell ? { cell } : ABSENT });
      values[places[i] as number] = cell?.value(column);
    }
    return values;
  }

  /** Caches rows that will be read one by one, unless the parent has them in memory anyway. */
  prefetch<K, V>(column: Column<K, V>, keys: readonly K[]): void {
    if (keys.length > 0 && !this.#parent.isInMemory(column.name)) this.getMany(column, keys);
  }

  override get wantsHints(): boolean {
    return this.#parent.wantsHints;
  }

  override hint(column: string, keys: readonly string[]): void {
    const table = this.#columns.get(column);
    this.#parent.hint(column, table ? keys.filter((key) => !table.get(key)) : keys);
  }

  /** Hints that rows of a column, named by typed keys, will be read. */
  hintRows<K>(column: Column<K, unknown>, keys: readonly K[]): void {
    this.hint(
      column.name,
      keys.map((key) => encodeText(column.key, key)),
    );
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    const table = this.#columns.get(column);
    return table?.stamp === undefined ? this.#parent.scan(column, range) : mergedRows(table, this.#parent, column, range);
  }

  put<K, V>(column: Column<K, V>, key: K, value: V): void {
    this.#change(column.name, encodeText(column.key, key), Cell.ofValue(column, value));
  }

  putNew<K, V>(column: Column<K, V>, key: K, value: V): void {
    this.#changeKnown(column.name, encodeText(column.key, key), Cell.ofValue(column, value), ABSENT);
  }

  deleteKnown<K, V>(column: Column<K, V>, key: K, value: V): void {
    this.#changeKnown(column.name, encodeText(column.key, key), undefined, { cell: Cell.ofValue(column, value) });
  }

  /** Puts a value that is encoded by the column's codec. */
  putEncoded<K>(column: Column<K, unknown>, key: K, value: Uint8Array): void {
    this.#change(column.name, encodeText(column.key, key), Cell.ofBytes(value));
  }

  delete<K, V>(column: Column<K, V>, key: K): void {
    this.#change(column.name, encodeText(column.key, key), undefined);
  }

  changedKeys<K>(column: Column<K, unknown>): K[] {
    const changed: K[] = [];
    const table = this.#columns.get(column.name);
    if (table?.stamp === undefined) return changed;
    for (const row of table.rows()) if (row.changed) changed.push(decodeStored(column.name, column.key, keyBytes(row.key)));
    return changed;
  }

  /** Restores the old values of an undo log. */
  restore(log: UndoLog): void {
    for (const { column, key, value } of log) this.#change(column, keyText(key), value && Cell.ofBytes(value));
  }

  /** Changes that bring the store below to the state of this overlay. */
  changes(): RawChange[] {
    return this.rowChanges().map(({ column, key, cell }) => ({ column, key: keyBytes(key), value: cell?.bytes() }));
  }

  /** Changes that bring the store below to the state of this overlay, in the form that a store writes. */
  rowChanges(): RowChange[] {
    const changes: RowChange[] = [];
    for (const table of this.#columns.values()) for (const row of table.rows()) if (isWritten(row)) changes.push(row);
    return changes;
  }

  /** The parent's values of all changed keys. To be called before `commit`. */
  undo(): UndoLog {
    const log: RawChange[] = [];
    for (const [column, table] of this.#columns) {
      readBelow(table, this.#parent, column);
      for (const row of table.rows()) {
        if (isWritten(row)) log.push({ column, key: keyBytes(row.key), value: row.below?.cell?.bytes() });
      }
    }
    return log;
  }

  /** The undo record, encoded as by the codec `undoLog`. To be called before `commit`. */
  encodedUndo(): Uint8Array {
    const counts = new Map<string, number>();
    let total = 0;
    for (const [column, table] of this.#columns) {
      readBelow(table, this.#parent, column);
      let count = 0;
      for (const row of table.rows()) if (isWritten(row)) count += 1;
      if (count > 0) counts.set(column, count);
      total += count;
    }
    const log = new UndoWriter(counts.size, total);
    for (const [column, count] of counts) {
      log.column(column, count);
      for (const row of this.#table(column).rows()) if (isWritten(row)) log.row(row.key, row.below?.cell?.bytes());
    }
    return log.finish();
  }

  /** Rows of some columns whose values differ from those of the parent. To be called before `commit`. */
  differences(columns: Iterable<string>): RowDifference[] {
    const found: RowDifference[] = [];
    for (const column of columns) {
      const table = this.#columns.get(column);
      if (table?.stamp === undefined) continue;
      readBelow(table, this.#parent, column);
      for (const row of table.rows()) {
        if (!row.changed) continue;
        const [before, after] = [row.below?.cell?.bytes(), row.cell?.bytes()];
        if (before === undefined ? after !== undefined : after === undefined || !equalBytes(before, after))
          found.push({ column, key: keyBytes(row.key), before, after });
      }
    }
    return found;
  }

  /** Moves the changes to the parent. @throws {TypeError} if the parent is no overlay; a store is written with `changes()` */
  commit(): void {
    const parent = this.#parent;
    if (!(parent instanceof Overlay)) throw new TypeError('an overlay can only be committed to another overlay');
    // A coin that is created and spent in memory leaves nothing there. Above another overlay the key still counts as changed.
    const dropsNoChange = !(parent.#parent instanceof Overlay);
    parent.#commits += 1;
    parent.#noteChange();
    for (const [column, table] of this.#columns) {
      if (table.stamp === undefined) continue;
      const above = parent.#columns.get(column);
      if (!above) {
        // Nothing to merge with. Rows that were only read hold there too: the parent has changed none of them.
        table.stamp = newStamp();
        parent.#columns.set(column, table);
        continue;
      }
      above.stamp = newStamp();
      for (const row of table.rows()) {
        if (!row.changed) continue;
        const known = above.get(row.key);
        // If the parent has no row, this one is moved, because this overlay is emptied below.
        if (!known) above.set(row.key, row);
        else if (dropsNoChange && !row.cell && known.below && !known.below.cell) above.delete(row.key);
        else {
          known.cell = row.cell;
          known.changed = true;
        }
      }
    }
    this.discard();
  }

  /** The changes so far on a snapshot of the parent. Its rows are those of this overlay, which copies them if it changes. */
  frozenOn(below: Snapshot): Snapshot {
    const frozen: Overlay & Snapshot = new FrozenOverlay(below);
    for (const [column, table] of this.#columns) frozen.#columns.set(column, table);
    this.#isShared = true;
    return frozen;
  }

  /** Called before each change. */
  #noteChange(): void {
    this.#version += 1;
    if (!this.#isShared) return;
    this.#isShared = false;
    for (const [column, table] of this.#columns) {
      const rows = new Rows();
      for (const row of table.rows()) rows.set(row.key, { ...row });
      rows.stamp = table.stamp;
      this.#columns.set(column, rows);
    }
  }

  /** Drops all changes. */
  discard(): void {
    this.#version += 1;
    this.#isShared = false;
    this.#columns.clear();
  }

  #table(column: string): Rows {
    let table = this.#columns.get(column);
    if (table === undefined) {
      table = new Rows();
      this.#columns.set(column, table);
    }
    return table;
  }

  #change(column: string, key: string, cell: Cell | undefined): void {
    this.#noteChange();
    const table = this.#table(column);
    table.stamp = newStamp();
    const row = table.get(key);
    if (row) {
      row.cell = cell;
      row.changed = true;
    } else table.set(key, { column, key, cell, changed: true, below: undefined });
  }

  /** Changes a key whose cell in the parent is known, unless this overlay has changed or read it before. */
  #changeKnown(column: string, key: string, cell: Cell | undefined, below: { readonly cell: Cell | undefined }): void {
    const table = this.#columns.get(column);
    if (table?.get(key)) {
      this.#change(column, key, cell);
      return;
    }
    this.#noteChange();
    const rows = this.#table(column);
    rows.stamp = newStamp();
    rows.set(key, { column, key, cell, changed: true, below });
  }
}

class FrozenOverlay extends Overlay implements Snapshot {
  constructor(private readonly snapshot: Snapshot) {
    super(snapshot, { cachesReads: false });
  }

  close(): void {
    this.snapshot.close();
  }
}
