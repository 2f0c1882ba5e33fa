import { encodeText } from '../primitives/codec.js';
import { equalBytes } from '../util/bytes.js';
import { Cell, CellView, decodeStored, type KeyRange, keyBytes, keyText } from './cells.js';
import { newStamp, type Stamp } from './stamp.js';
import { Table } from './table.js';
import { UndoWriter } from './undo.js';
import type { Column, RawChange, RowChange, RowDifference, Snapshot, StateView, UndoLog, WritableView } from './view.js';

/** State of one key in an overlay, and the change of it that is written. */
interface Row extends RowChange {
  /** Undefined if the key is absent or deleted. */
  cell: Cell | undefined;
  /** False for a row that was only read. */
  changed: boolean;
  /** Cell of the parent, undefined if it is not read yet. An undefined `below.cell` means that the key is absent there. */
  below: { readonly cell: Cell | undefined } | undefined;
}

/** Rows of a column in an overlay. */
class Rows extends Table<Row> {
  /** Undefined while all rows are only read. */
  stamp: number | undefined;
}

/** Shared value for absent keys, because most keys that a block writes are new. */
const ABSENT = { cell: undefined } as const;

/**
 * Uncommitted changes on top of a parent: a store, a snapshot or another overlay. While the overlay is in use, the parent must not
 * change except by its `commit`. `undo` reads the old values from the parent in one batch per column; a change itself reads nothing.
 */
export class Overlay extends CellView implements WritableView {
  readonly #parent: CellView;
  readonly #columns = new Map<string, Rows>();
  #version = 0;
  /** True if a frozen view has the same rows. */
  #isShared = false;
  /** Number of overlays that were committed to this one. */
  #commits = 0;
  /** That number of the parent when this overlay began. */
  readonly #begunAt: number;

  /** @throws {TypeError} if the parent is not a view of this folder */
  constructor(parent: StateView) {
    super();
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

  /** Caches rows that will be read one by one, unless that is as fast without. */
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

  /** The same for typed keys. */
  hintRows<K>(column: Column<K, unknown>, keys: readonly K[]): void {
    this.hint(
      column.name,
      keys.map((key) => encodeText(column.key, key)),
    );
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    const table = this.#columns.get(column);
    return table?.stamp === undefined ? this.#parent.scan(column, range) : this.#merged(table, column, range);
  }

  /** Rows of the parent with the changes of this overlay. */
  *#merged(table: Rows, column: string, range: KeyRange): Generator<readonly [string, Cell]> {
    const isBefore = range.reverse ? (a: string, b: string) => a > b : (a: string, b: string) => a < b;
    const own = changedRows(table, range);
    try {
      let next = own.next();
      for (const [key, cell] of this.#parent.scan(column, range)) {
        while (!next.done && isBefore(next.value[0], key)) {
          if (next.value[1].cell) yield [next.value[0], next.value[1].cell];
          next = own.next();
        }
        if (!next.done && next.value[0] === key) next = own.next();
        const row = table.get(key);
        const current = row?.changed ? row.cell : cell;
        if (current) yield [key, current];
      }
      for (; !next.done; next = own.next()) if (next.value[1].cell) yield [next.value[0], next.value[1].cell];
    } finally {
      own.return(undefined);
    }
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

  /** The same in the form that a store writes. */
  rowChanges(): RowChange[] {
    const changes: RowChange[] = [];
    for (const table of this.#columns.values()) for (const row of table.rows()) if (row.changed && !isNoChange(row)) changes.push(row);
    return changes;
  }

  /** The parent's values of all changed keys. To be called before `commit`. */
  undo(): UndoLog {
    const log: RawChange[] = [];
    for (const [column, table] of this.#columns) {
      this.#readBelow(column, table);
      for (const row of table.rows()) {
        if (row.changed && !isNoChange(row)) log.push({ column, key: keyBytes(row.key), value: row.below?.cell?.bytes() });
      }
    }
    return log;
  }

  /** The same, encoded as by the codec `undoLog`. */
  encodedUndo(): Uint8Array {
    const counts = new Map<string, number>();
    let total = 0;
    for (const [column, table] of this.#columns) {
      this.#readBelow(column, table);
      let count = 0;
      for (const row of table.rows()) if (row.changed && !isNoChange(row)) count += 1;
      if (count > 0) counts.set(column, count);
      total += count;
    }
    const log = new UndoWriter(counts.size, total);
    for (const [column, count] of counts) {
      log.column(column, count);
      for (const row of this.#table(column).rows()) if (row.changed && !isNoChange(row)) log.row(row.key, row.below?.cell?.bytes());
    }
    return log.finish();
  }

  /** Rows of some columns whose values differ from those of the parent. To be called before `commit`. */
  differences(columns: Iterable<string>): RowDifference[] {
    const found: RowDifference[] = [];
    for (const column of columns) {
      const table = this.#columns.get(column);
      if (table?.stamp === undefined) continue;
      this.#readBelow(column, table);
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

  #readBelow(column: string, table: Table<Row>): void {
    const keys: string[] = [];
    const unknown: Row[] = [];
    for (const row of table.rows()) {
      if (!row.changed || row.below) continue;
      keys.push(row.key);
      unknown.push(row);
    }
    if (keys.length === 0) return;
    const found = this.#parent.cells(column, keys);
    for (let i = 0; i < unknown.length; i++) {
      const cell = found[i];
      (unknown[i] as Row).below = cell ? { cell } : ABSENT;
    }
  }
}

class FrozenOverlay extends Overlay implements Snapshot {
  constructor(private readonly snapshot: Snapshot) {
    super(snapshot);
  }

  close(): void {
    this.snapshot.close();
  }
}

/** True if the key is deleted here and known to be absent below. */
function isNoChange(row: Row): boolean {
  return row.cell === undefined && row.below !== undefined && row.below.cell === undefined;
}

function* changedRows(table: Table<Row>, range: KeyRange): Generator<readonly [string, Row]> {
  for (const entry of table.scan(range)) if (entry[1].changed) yield entry;
}
