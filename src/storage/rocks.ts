import { mkdirSync } from 'node:fs';
import type { Family, RocksBatch, RocksIterator, RocksLevel } from 'rocksdb';
import { ByteWriter } from '../primitives/codec.js';
import { finish, type Steps } from '../util/slicer.js';
import { Cell, CellView, type KeyRange, keyBytes, rowChanges } from './cells.js';
import { Cursors } from './cursors.js';
import { StoreClosed } from './errors.js';
import { refuseLevelDb } from './level-db.js';
import { ReadAhead } from './read-ahead.js';
import { checkCurrentFile, guarded } from './rocks-damage.js';
import { closeDatabase, openDatabase } from './rocks-open.js';
import { RocksSnapshot } from './rocks-snapshot.js';
import { type StoreFiles, type StoreWork, storeFiles, storeWork } from './rocks-stats.js';
import { ALL_KEYS, boundsInFamily, countRows, FIRST_CHUNK, familyOf, keysInFamily, LARGEST_CHUNK, Walk } from './rocks-walk.js';
import { requireRoomIn } from './room.js';
import { ColumnStamps, type Stamp } from './stamp.js';
import { checkVersion, FORMAT_VERSION, type Migration, meta } from './version.js';
import type { AnyColumn, PreparedRows, RawChange, RowChange, Snapshot, Store, WriteOptions } from './view.js';

export interface RocksOptions {
  /** Size of the block cache in bytes, divided evenly among the column families. */
  readonly cacheBytes?: number;
  /** Migrations from older formats; a new store needs none. */
  readonly migrations?: readonly Migration[];
  /** Oldest format that the caller reads; a store of a later one is not migrated. The default is that of this program. */
  readonly oldestFormat?: number;
}

const DEFAULT_CACHE_BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;
/** Rows added to a batch between two yields. */
const ROWS_AT_ONCE = 128;

/** Location of a column: `dfi/token` is in family `dfi`, and its keys there begin with `token\0`. */
interface Place {
  readonly family: string;
  readonly column: Family;
  readonly head: string;
  /** False if the column is empty, so that reads need not call the engine; undefined if that is not known yet. */
  filled: boolean | undefined;
}

/**
 * Store on disk. Columns of one group (the part of their name before the slash) share a column family of RocksDB, each with its own key
 * prefix. Few families keep the write-ahead log short, and with the prefix no key is empty, which would crash the engine. All reads are
 * synchronous. Only one process can open a directory.
 */
export class RocksStore extends CellView implements Store {
  #db: RocksLevel;
  readonly #reopen: () => Promise<RocksLevel>;
  readonly #places = new Map<string, Place>();
  readonly #snapshots = new Set<RocksSnapshot<RocksIterator>>();
  readonly #cursors = new Cursors<RocksIterator>(
    (column, reverse) => this.#newCursor(column, reverse),
    (iterator) => this.#release(iterator),
  );
  readonly #stamps = new ColumnStamps();
  /** Batches written so far, their rows, and the time that it took. */
  readonly writes = { batches: 0, rows: 0, seconds: 0 };
  #writeFailed = false;
  #closing = false;
  readonly #ahead = new ReadAhead<Family>((keys, column) => this.#db._getManyAsync(keys, { column, valueEncoding: 'buffer' }));
  /** Key and value of the row that is added to a batch, which copies them. */
  readonly #key = new ByteWriter();
  readonly #value = new ByteWriter();

  private constructor(
    readonly directory: string,
    db: RocksLevel,
    reopen: () => Promise<RocksLevel>,
  ) {
    super();
    this.#db = db;
    this.#reopen = reopen;
  }

  /**
   * Opens the store in `directory`, or creates it. `columns` are all columns of the program, including those of disabled features.
   * @throws {StoreLocked} if another process has it open
   * @throws {StoreDamaged} if the database cannot be read
   * @throws {ForeignData} if it is one of `defid`
   * @throws {NewerVersion} if a later version of the program wrote it
   */
  static async open(directory: string, columns: readonly AnyColumn[], options: RocksOptions = {}): Promise<RocksStore> {
    const families = new Set([...columns, meta].map(({ name }) => familyOf(name)));
    refuseLevelDb(directory);
    mkdirSync(directory, { recursive: true });
    checkCurrentFile(directory);
    const openHere = () => openDatabase(directory, families, options.cacheBytes ?? DEFAULT_CACHE_BYTES);
    const store = new RocksStore(directory, await openHere(), openHere);
    try {
      await checkVersion(store, options.migrations ?? [], FORMAT_VERSION, options.oldestFormat);
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  override stamp(column: string): Stamp {
    return this.#stamps.of(column);
  }

  override cell(column: string, key: string): Cell | undefined {
    return this.cells(column, [key])[0];
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    if (keys.length === 0) return [];
    const place = this.#place(column);
    if (this.#isEmpty(place)) return keys.map(() => undefined);
    const startedMs = performance.now();
    const found = guarded(() => this.#db._getManySync(keysInFamily(place, keys), { column: place.column, valueEncoding: 'buffer' }));
    this.#ahead.note(keys.length, performance.now() - startedMs);
    const cells = new Array<Cell | undefined>(keys.length);
    for (let i = 0; i < found.length; i++) {
      const bytes = found[i];
      cells[i] = bytes && Cell.ofBytes(bytes);
    }
    return cells;
  }

  override get wantsHints(): boolean {
    return this.#ahead.isUseful;
  }

  override hint(column: string, keys: readonly string[]): void {
    const place = this.#place(column);
    if (keys.length > 0 && !this.#isEmpty(place)) this.#ahead.begin(keysInFamily(place, keys), place.column);
  }

  override isInMemory(column: string): boolean {
    return this.#isEmpty(this.#place(column));
  }

  /** True if the column has more rows than that. Takes a tenth of the time of reading so many. */
  hasMoreThan(column: string, rows: number): boolean {
    const place = this.#place(column);
    if (place.filled === false) return false;
    const count = this.#count(place, rows + 1);
    place.filled = count > 0;
    return count > rows;
  }

  override *scan(column: string, range: KeyRange): Generator<readonly [string, Cell]> {
    if (this.#isEmpty(this.#place(column))) return;
    const walk = new Walk(this.#place(column), range);
    // Most scans are short, and creating an iterator takes longer than they do.
    for (let size = FIRST_CHUNK; size < LARGEST_CHUNK; size *= 2) {
      yield* walk.cells(walk.seek(this.#cursors.get(column, range.reverse), size));
      if (walk.ended) return;
    }
    yield* this.#longScan(this.#place(column), walk, range);
  }

  /** The rest of a scan, by an iterator of its own. */
  *#longScan(place: Place, walk: Walk, range: KeyRange): Generator<readonly [string, Cell]> {
    const iterator = this.#db._iterator({
      ...iterating(place.column, range.reverse),
      gte: keyBytes(walk.gte),
      lt: keyBytes(walk.lt),
      // Scans of whole columns would evict the data blocks that reads of single rows need.
      fillCache: range.gte !== '',
      highWaterMarkBytes: CHUNK_BYTES,
    });
    try {
      while (!walk.ended) {
        this.#requireOpen();
        yield* walk.cells(guarded(() => iterator._nextvSync(LARGEST_CHUNK)));
      }
    } finally {
      this.#release(iterator);
    }
  }

  write(changes: Iterable<RawChange>, options?: WriteOptions): void {
    this.writeRows(rowChanges(changes), options);
  }

  writeRows(rows: readonly RowChange[], options?: WriteOptions): void {
    finish(this.prepareRows(rows)).write(options);
  }

  *prepareRows(rows: readonly RowChange[]): Steps<PreparedRows> {
    this.#requireOpen();
    const db = this.#db;
    const batch = db._chainedBatch();
    // A database that was closed has closed its batches.
    const drop = () => {
      if (db.status === 'open') this.#release(batch, db);
    };
    let isReady = false;
    try {
      const columns = new Set<string>();
      let last: { readonly name: string; readonly place: Place } | undefined;
      for (let i = 0; i < rows.length; i++) {
        if (i > 0 && i % ROWS_AT_ONCE === 0) {
          yield;
          this.#requireSame(db);
        }
        const { column, key, cell } = rows[i] as RowChange;
        if (last?.name !== column) {
          last = { name: column, place: this.#place(column) };
          columns.add(column);
        }
        this.#addTo(batch, last.place, key, cell);
      }
      isReady = true;
      const write = ({ sync = false }: WriteOptions = {}): void => {
        try {
          this.#requireSame(db);
          if (columns.size > 0) this.#write(batch, { columns, rows: rows.length, sync });
        } catch (error) {
          this.#writeFailed = true;
          throw error;
        } finally {
          drop();
        }
      };
      return { write, drop };
    } catch (error) {
      this.#writeFailed = true;
      throw error;
    } finally {
      if (!isReady) drop();
    }
  }

  /** @param cell undefined to delete the row */
  #addTo(batch: RocksBatch, place: Place, key: string, cell: Cell | undefined): void {
    this.#key.reset();
    this.#key.latin1(place.head);
    this.#key.latin1(key);
    if (cell) {
      place.filled = true;
      this.#value.reset();
      cell.writeTo(this.#value);
      batch._put(this.#key.view(), this.#value.view(), place);
    } else batch._del(this.#key.view(), place);
  }

  #write(batch: RocksBatch, { columns, rows, sync }: { columns: ReadonlySet<string>; rows: number; sync: boolean }): void {
    for (const column of columns) this.#stamps.change(column);
    this.#cursors.close();
    const families = new Set([...columns].map(familyOf));
    for (const snapshot of this.#snapshots) for (const family of families) snapshot.pin(family);
    const startedMs = performance.now();
    guarded(() => batch._writeSync({ sync }));
    this.writes.batches += 1;
    this.writes.rows += rows;
    this.writes.seconds += (performance.now() - startedMs) / 1000;
  }

  requireRoom(bytes: number): void {
    requireRoomIn(this.directory, bytes);
  }

  work(): StoreWork {
    return storeWork((name) => (this.#isOpen ? Number(this.#db.getProperty(`rocksdb.${name}`)) : 0));
  }

  files(): Promise<StoreFiles> {
    return storeFiles(this.directory);
  }

  snapshot(): Snapshot {
    this.#requireOpen();
    const snapshot = new RocksSnapshot(this, {
      place: (column) => this.#place(column),
      iterate: (family, reverse) => this.#iterate(family, reverse),
      cursor: (column, reverse) => this.#cursors.get(column, reverse),
      release: (iterator) => this.#release(iterator),
      closed: (closed) => this.#snapshots.delete(closed),
    });
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /**
   * Reopens the store after a failed write, because the engine rejects all later writes. Snapshots are closed, and reads fail until the
   * store is open again. No effect if no write failed.
   * @throws {Error} if the store cannot be opened; it stays closed, and another call tries again
   */
  async revive(): Promise<void> {
    if (!this.#writeFailed) return;
    // After a failed write the engine may report a failure to close, but it is closed: the library alone takes it for open.
    await this.close().catch(() => {});
    this.#places.clear();
    this.#db = await this.#reopen();
    this.#closing = false;
    this.#writeFailed = false;
  }

  async close(): Promise<void> {
    for (const snapshot of this.#snapshots) snapshot.close();
    this.#cursors.close();
    this.#closing = true;
    // The binding would not close the database while it is read.
    await this.#ahead.end();
    await closeDatabase(this.#db, this.directory);
  }

  /** Iterator over the present state of a family. */
  #iterate(family: string, reverse: boolean): RocksIterator {
    return this.#db._iterator(iterating(this.#family(family), reverse));
  }

  /**
   * Iterator over a column. Backwards it has no upper bound, because the engine does not seek to one. The other bounds keep it from deleted
   * rows of the next column, and from a seek to the first key of the family.
   */
  #newCursor(column: string, reverse: boolean): RocksIterator {
    const place = this.#place(column);
    const { gte, lt } = boundsInFamily(place, ALL_KEYS);
    const bounds = reverse ? { gte: keyBytes(gte) } : { gte: keyBytes(gte), lt: keyBytes(lt) };
    // Short scans, such as of an owner's balances, are repeated, so their data blocks are kept.
    return this.#db._iterator({ ...iterating(place.column, reverse), ...bounds, fillCache: true, highWaterMarkBytes: CHUNK_BYTES });
  }

  #place(name: string): Place {
    this.#requireOpen();
    let place = this.#places.get(name);
    if (!place) {
      const family = familyOf(name);
      place = { family, column: this.#family(family), head: `${name.slice(family.length + 1)}\0`, filled: undefined };
      this.#places.set(name, place);
    }
    return place;
  }

  /** True if the column is empty. Many columns belong to features that a network does not use, but are read in every block. */
  #isEmpty(place: Place): boolean {
    place.filled ??= this.#count(place, 1) > 0;
    return !place.filled;
  }

  /** Counts the rows of a column by their keys, up to a limit. Their values, and keys as bytes, would take most of the time. */
  #count(place: Place, limit: number): number {
    const { gte, lt } = boundsInFamily(place, ALL_KEYS);
    const bounds = { gte: keyBytes(gte), lt: keyBytes(lt), highWaterMarkBytes: CHUNK_BYTES };
    const options = { ...iterating(place.column, false), ...bounds, keyEncoding: 'utf8', values: false, fillCache: true } as const;
    const iterator = this.#db._iterator(options);
    try {
      return countRows(iterator, limit);
    } finally {
      this.#release(iterator);
    }
  }

  #family(name: string): Family {
    const family = this.#db.columns[name];
    if (!family) throw new Error(`the store was opened without a column of group ${name}`);
    return family;
  }

  /** The engine crashes the process if a closed database is read. */
  get #isOpen(): boolean {
    return !this.#closing && this.#db.status === 'open';
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new StoreClosed('the store is closed');
  }

  /** @throws {StoreClosed} if the store was closed or reopened since work on `db` began */
  #requireSame(db: RocksLevel): void {
    this.#requireOpen();
    if (db !== this.#db) throw new StoreClosed('the store was reopened');
  }

  /** Closes a resource synchronously; the library's own `close` would keep it in its list until the next turn of the event loop. */
  #release(resource: RocksIterator | RocksBatch, db = this.#db): void {
    resource._closeSync();
    db.detachResource(resource);
  }
}

/** Options that every iterator has. */
function iterating(column: Family, reverse: boolean) {
  return { column, keyEncoding: 'buffer', valueEncoding: 'buffer', reverse } as const;
}
