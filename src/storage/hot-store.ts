import type { Steps } from '../util/slicer.js';
import { Cell, CellView, type KeyRange, rowChanges } from './cells.js';
import { StoreClosed } from './errors.js';
import { RecentCells, rowBytes } from './recent-cells.js';
import { ColumnStamps, newStamp, type Stamp } from './stamp.js';
import { Table } from './table.js';
import type { AnyColumn, PreparedRows, RawChange, RowChange, Snapshot, Store, WriteOptions } from './view.js';

export interface HotStoreOptions {
  /** Columns whose rows are kept in memory; all others are read from the store below. */
  readonly columns: readonly AnyColumn[];
  /** Columns that are never loaded as a whole: only their recently used rows are kept. */
  readonly largeColumns?: readonly AnyColumn[];
  /** Bound of the memory for them, bytes: half for small columns, half for rows of large ones. */
  readonly maxBytes: number;
}

/** Additional members of stores on disk. */
interface DiskStore {
  /** True if the column has more rows than that; it must be faster than reading so many. */
  hasMoreThan(column: string, rows: number): boolean;
  /** Reopens the store after a failed write. */
  revive(): Promise<void>;
}

type LowerStore = Store & CellView & Partial<DiskStore>;

/** Largest column that is kept as a whole. */
const RESIDENT_ROWS = 8_192;
/**
 * A column is tried to be loaded after so many reads, unless it has more rows. So loading takes about as long as the reads before it, and a
 * failed attempt, which finds that the column is too large, a tenth of that. No start reads parts of a large state.
 */
const LOADS = [
  { reads: 1, rows: 128 },
  { reads: 256, rows: 1_024 },
  { reads: 1_024, rows: RESIDENT_ROWS },
] as const;
/** Reads of single rows that a scan counts as. */
const SCAN_READS = 8;
const RESIDENT_BYTES = 4 * 2 ** 20;

const ALL: KeyRange = { gte: '', lt: undefined, reverse: false };

/** Rows of a column in memory. */
interface HotColumn {
  readonly name: string;
  /** All rows; undefined if the column is not loaded yet, or too large to be. */
  rows: Table<Cell> | undefined;
  readonly isAlwaysLarge: boolean;
  isLarge: boolean;
  bytes: number;
  /** Reads before the rows were loaded. */
  reads: number;
  /** Attempts to load the rows so far. */
  loads: number;
}

/**
 * Store in front of another one that keeps rows in memory, decoded once: small columns as a whole, recently used rows of large columns.
 * All writes to the store below must come through this one.
 */
export class HotStore extends CellView implements Store {
  readonly #below: LowerStore;
  readonly #columns: ReadonlyMap<string, HotColumn>;
  readonly #recent: RecentCells;
  readonly #maxResidentBytes: number;
  readonly #snapshots = new Set<HotSnapshot>();
  readonly #stamps = new ColumnStamps();
  #residentBytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(below: LowerStore, { columns, largeColumns = [], maxBytes }: HotStoreOptions) {
    super();
    this.#below = below;
    this.#columns = new Map([...columnsOf(columns, false), ...columnsOf(largeColumns, true)]);
    this.#maxResidentBytes = maxBytes / 2;
    this.#recent = new RecentCells(maxBytes / 2);
  }

  /** Reads of single rows answered from memory. */
  get hits(): number {
    return this.#hits;
  }

  /** Reads of single rows that the store below answered. */
  get misses(): number {
    return this.#misses;
  }

  /** Estimated memory of the rows, bytes. */
  get bytes(): number {
    return this.#residentBytes + this.#recent.bytes;
  }

  override stamp(column: string): Stamp {
    return this.#stamps.of(column);
  }

  override cell(column: string, key: string): Cell | undefined {
    const hot = this.#columns.get(column);
    if (!hot) return this.#below.cell(column, key);
    const rows = this.#resident(hot, 1);
    const known = rows ? rows.get(key) : this.#recent.get(column, key);
    if (known !== 'unknown') {
      this.#hits += 1;
      return known;
    }
    this.#misses += 1;
    const cell = this.#below.cell(column, key);
    this.#recent.set(column, key, cell);
    return cell;
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    const hot = this.#columns.get(column);
    if (!hot) return this.#below.cells(column, keys);
    const rows = this.#resident(hot, keys.length);
    if (rows) {
      this.#hits += keys.length;
      return keys.map((key) => rows.get(key));
    }
    const known = keys.map((key) => this.#recent.get(column, key));
    const missing = keys.filter((_, i) => known[i] === 'unknown');
    this.#hits += keys.length - missing.length;
    this.#misses += missing.length;
    // Not kept: batches are read once, when a block is connected or written.
    const found = missing.length > 0 ? this.#below.cells(column, missing) : [];
    let next = 0;
    return known.map((cell) => (cell === 'unknown' ? found[next++] : cell));
  }

  override isInMemory(column: string): boolean {
    const hot = this.#columns.get(column);
    return hot ? this.#resident(hot, 1) !== undefined : this.#below.isInMemory(column);
  }

  override get wantsHints(): boolean {
    return this.#below.wantsHints;
  }

  override hint(column: string, keys: readonly string[]): void {
    const hot = this.#columns.get(column);
    if (hot?.rows) return;
    this.#below.hint(column, hot ? keys.filter((key) => this.#recent.get(column, key) === 'unknown') : keys);
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    const hot = this.#columns.get(column);
    const rows = hot && this.#resident(hot, SCAN_READS);
    return rows ? rows.scan(range) : this.#below.scan(column, range);
  }

  write(changes: Iterable<RawChange>, options?: WriteOptions): void {
    this.writeRows(rowChanges(changes), options);
  }

  writeRows(rows: readonly RowChange[], options?: WriteOptions): void {
    this.#written(rows, () => this.#below.writeRows(rows, options));
  }

  *prepareRows(rows: readonly RowChange[]): Steps<PreparedRows> {
    const prepared = yield* this.#below.prepareRows(rows);
    return { write: (options) => this.#written(rows, () => prepared.write(options)), drop: () => prepared.drop() };
  }

  /** Brings snapshots and the rows in memory up to date with rows that are written to the store below. */
  #written(rows: readonly RowChange[], write: () => void): void {
    const touched = new Set<string>();
    for (const { column } of rows) touched.add(column);
    for (const snapshot of this.#snapshots) snapshot.leave(touched);
    for (const column of touched) this.#stamps.change(column);
    // Rows that stay in memory are kept encoded. A cell that is encoded now is written without encoding it again.
    for (const { column, cell } of rows) if (this.#columns.get(column)?.rows) cell?.bytes();
    try {
      write();
    } catch (error) {
      this.#forget();
      throw error;
    }
    for (const change of rows) this.#keep(change);
  }

  snapshot(): Snapshot {
    const snapshot = new HotSnapshot(this, this.#below.snapshot() as Snapshot & CellView, (closed) => this.#snapshots.delete(closed));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  requireRoom(bytes: number): void {
    this.#below.requireRoom?.(bytes);
  }

  /** Reopens the store below after a failed write; snapshots are closed. */
  async revive(): Promise<void> {
    if (!this.#below.revive) return;
    this.#forget();
    await this.#below.revive();
  }

  async close(): Promise<void> {
    for (const snapshot of this.#snapshots) snapshot.close();
    this.#forget();
    await this.#below.close();
  }

  /** All rows of a column if they are in memory. @param reads rows that are about to be read */
  #resident(hot: HotColumn, reads: number): Table<Cell> | undefined {
    if (hot.rows || hot.isLarge) return hot.rows;
    hot.reads += reads;
    for (let next = LOADS[hot.loads]; next && hot.reads >= next.reads; next = LOADS[hot.loads]) {
      hot.loads += 1;
      if (this.#load(hot, next.rows)) break;
      hot.isLarge = hot.loads === LOADS.length;
    }
    return hot.rows;
  }

  /** @returns false if the column has more rows than `limit`, or more bytes than there is room for */
  #load(hot: HotColumn, limit: number): boolean {
    if (this.#below.hasMoreThan?.(hot.name, limit)) return false;
    const rows = new Table<Cell>();
    let bytes = 0;
    for (const [key, cell] of this.#below.scan(hot.name, ALL)) {
      bytes += rowBytes(key, cell);
      rows.set(key, cell);
      if (rows.size > limit || !this.#hasRoom(rows.size, bytes, this.#residentBytes + bytes)) return false;
    }
    hot.rows = rows;
    hot.bytes = bytes;
    this.#residentBytes += bytes;
    this.#recent.deleteColumn(hot.name);
    return true;
  }

  #hasRoom(rows: number, bytes: number, total: number): boolean {
    return rows <= RESIDENT_ROWS && bytes <= RESIDENT_BYTES && total <= this.#maxResidentBytes;
  }

  /** Brings the rows in memory up to date with a change that is written. */
  #keep({ column, key: text, cell: written }: RowChange): void {
    const hot = this.#columns.get(column);
    if (!hot) return;
    if (!hot.rows && this.#recent.get(column, text) === 'unknown') return;
    const cell = written && Cell.ofBytes(written.bytes());
    if (!hot.rows) {
      this.#recent.delete(column, text);
      this.#recent.set(column, text, cell);
      return;
    }
    const before = hot.rows.get(text);
    const bytes = (cell ? rowBytes(text, cell) : 0) - (before ? rowBytes(text, before) : 0);
    hot.bytes += bytes;
    this.#residentBytes += bytes;
    if (cell) hot.rows.set(text, cell);
    else hot.rows.delete(text);
    if (bytes > 0 && !this.#hasRoom(hot.rows.size, hot.bytes, this.#residentBytes)) this.#release(hot);
  }

  /** Drops the rows of a column that grew too large. */
  #release(hot: HotColumn): void {
    this.#residentBytes -= hot.bytes;
    hot.bytes = 0;
    hot.rows = undefined;
    hot.isLarge = true;
  }

  #forget(): void {
    for (const hot of this.#columns.values()) {
      this.#release(hot);
      hot.isLarge = hot.isAlwaysLarge;
      hot.reads = 0;
      hot.loads = 0;
    }
    this.#recent.clear();
  }
}

function columnsOf(columns: readonly AnyColumn[], isAlwaysLarge: boolean): [string, HotColumn][] {
  return columns.map(({ name }) => [name, { name, rows: undefined, isAlwaysLarge, isLarge: isAlwaysLarge, bytes: 0, reads: 0, loads: 0 }]);
}

/** Snapshot that shares the rows in memory of every column that was not written since. */
class HotSnapshot extends CellView implements Snapshot {
  readonly #store: CellView;
  readonly #below: Snapshot & CellView;
  readonly #onClose: (snapshot: HotSnapshot) => void;
  readonly #written = new Set<string>();
  readonly #stamp = newStamp();
  #closed = false;

  constructor(store: CellView, below: Snapshot & CellView, onClose: (snapshot: HotSnapshot) => void) {
    super();
    this.#store = store;
    this.#below = below;
    this.#onClose = onClose;
  }

  /** From now on reads these columns from the snapshot below. Called before they are written. */
  leave(columns: Iterable<string>): void {
    for (const column of columns) this.#written.add(column);
  }

  override stamp(column: string): Stamp {
    return this.#written.has(column) ? this.#stamp : this.#store.stamp(column);
  }

  override cell(column: string, key: string): Cell | undefined {
    return this.#source(column).cell(column, key);
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    return this.#source(column).cells(column, keys);
  }

  override *scan(column: string, range: KeyRange): Generator<readonly [string, Cell]> {
    let rest = range;
    const source = this.#source(column);
    for (const row of source.scan(column, range)) {
      // Written since the last row: this one may be newer than the snapshot.
      if (this.#source(column) !== source) break;
      rest = range.reverse ? { ...range, lt: row[0] } : { ...range, gte: `${row[0]}\0` };
      yield row;
    }
    if (this.#source(column) !== source) yield* this.#below.scan(column, rest);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#below.close();
    this.#onClose(this);
  }

  #source(column: string): CellView {
    if (this.#closed) throw new StoreClosed('the snapshot is closed');
    return this.#written.has(column) ? this.#below : this.#store;
  }
}
