import { Cell, CellView, type KeyRange, keyText } from './cells.js';
import { StoreClosed } from './errors.js';
import { type Cursor, FIRST_CHUNK, type Head, LARGEST_CHUNK, seek, Walk } from './rocks-walk.js';
import { newStamp, type Stamp } from './stamp.js';
import type { Snapshot } from './view.js';

/** Place of a column: its family, and the prefix of its keys there. */
interface Place extends Head {
  readonly family: string;
}

/** Members of the store that a snapshot needs. */
interface SnapshotHost<Iterator extends Cursor> {
  place(column: string): Place;
  iterate(family: string, reverse: boolean): Iterator;
  /** Shared iterator over the present state of a column. */
  cursor(column: string, reverse: boolean): Iterator;
  release(iterator: Iterator): void;
  closed(snapshot: RocksSnapshot<Iterator>): void;
}

/**
 * Snapshot of the store. The engine's binding has no snapshots but iterators. Therefore a family is read from the store until the first
 * write to it; from then on it is read through two iterators, one for each direction, which were created before that write.
 */
export class RocksSnapshot<Iterator extends Cursor> extends CellView implements Snapshot {
  readonly #store: CellView;
  readonly #host: SnapshotHost<Iterator>;
  readonly #kept = new Map<string, { readonly forward: Iterator; readonly backward: Iterator }>();
  readonly #stamp = newStamp();
  #closed = false;

  constructor(store: CellView, host: SnapshotHost<Iterator>) {
    super();
    this.#store = store;
    this.#host = host;
  }

  override stamp(): Stamp {
    return this.#stamp;
  }

  /** Makes later reads of the family see its present state. Called before the first write to it. */
  pin(family: string): void {
    if (this.#kept.has(family)) return;
    this.#kept.set(family, { forward: this.#host.iterate(family, false), backward: this.#host.iterate(family, true) });
  }

  override cell(column: string, key: string): Cell | undefined {
    return this.cells(column, [key])[0];
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    const place = this.#place(column);
    const kept = this.#kept.get(place.family);
    if (!kept) return this.#store.cells(column, keys);
    return keys.map((key) => {
      const wanted = place.head + key;
      const [found, value] = seek(kept.forward, wanted, 1).rows;
      return found && value && keyText(found) === wanted ? Cell.ofBytes(value) : undefined;
    });
  }

  override *scan(column: string, range: KeyRange): Generator<readonly [string, Cell]> {
    const walk = new Walk(this.#place(column), range);
    for (let size = FIRST_CHUNK; !walk.ended; size = Math.min(size * 2, LARGEST_CHUNK)) {
      const kept = this.#kept.get(this.#place(column).family);
      const iterator = kept ? (range.reverse ? kept.backward : kept.forward) : this.#host.cursor(column, range.reverse);
      yield* walk.cells(walk.seek(iterator, size));
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { forward, backward } of this.#kept.values()) {
      this.#host.release(forward);
      this.#host.release(backward);
    }
    this.#kept.clear();
    this.#host.closed(this);
  }

  #place(column: string): Place {
    if (this.#closed) throw new StoreClosed('the snapshot is closed');
    return this.#host.place(column);
  }
}
