import { Cell, type KeyRange, keyBytes, keyText } from './cells.js';
import { guarded } from './rocks-damage.js';

/** Rows of the first chunk that a scan reads. */
export const FIRST_CHUNK = 8;
/** Rows of the largest chunk that a scan reads. */
export const LARGEST_CHUNK = 512;

/** Rows that an iterator returns: keys and values in turns. */
interface Chunk {
  readonly rows: readonly Uint8Array[];
  readonly finished: boolean;
}

/** The members of an iterator of the engine that scans of a shared one use. */
export interface Cursor {
  _seekSync(target: Uint8Array): void;
  _nextvSync(size: number): Chunk;
}

/** A column's place in its family: its keys there begin with `head`, which ends in a zero byte. */
export interface Head {
  readonly head: string;
}

export const ALL_KEYS: KeyRange = { gte: '', lt: undefined, reverse: false };

/** Bounds of a column's range within its family. */
export function boundsInFamily({ head }: Head, { gte, lt }: KeyRange): { readonly gte: string; readonly lt: string } {
  return { gte: head + gte, lt: lt === undefined ? `${head.slice(0, -1)}\x01` : head + lt };
}

/** Name of the family of a column: its group. */
export function familyOf(column: string): string {
  const slash = column.indexOf('/');
  return slash < 0 ? column : column.slice(0, slash);
}

/** Bytes of keys of a column in its family. */
export function keysInFamily({ head }: Head, keys: readonly string[]): Uint8Array[] {
  const full = new Array<Uint8Array>(keys.length);
  for (let i = 0; i < keys.length; i++) full[i] = keyBytes(head + (keys[i] as string));
  return full;
}

/** Number of rows of a new iterator, but not more than `limit`. */
export function countRows(iterator: Pick<Cursor, '_nextvSync'>, limit: number): number {
  let count = 0;
  for (let finished = false; !finished && count < limit; ) {
    const chunk = guarded(() => iterator._nextvSync(limit - count));
    count += chunk.rows.length / 2;
    finished = chunk.finished;
  }
  return count;
}

/** Rows of an iterator from a key on; backwards up to it, inclusive. */
export function seek(iterator: Cursor, target: string, size: number): Chunk {
  return guarded(() => {
    iterator._seekSync(keyBytes(target));
    return iterator._nextvSync(size);
  });
}

/** Progress of a scan over an iterator that other scans may move in between. */
export class Walk {
  /** Bounds of the rest, in the family. */
  gte: string;
  lt: string;
  ended = false;

  constructor(
    private readonly place: Head,
    private readonly range: KeyRange,
  ) {
    const { gte, lt } = boundsInFamily(place, range);
    this.gte = gte;
    this.lt = lt;
  }

  /** Next rows of a shared iterator. Backwards, the first one may be beyond the bounds. */
  seek(iterator: Cursor, size: number): Chunk {
    return seek(iterator, this.range.reverse ? this.lt : this.gte, size);
  }

  /** Cells of the rows within the bounds. */
  *cells({ rows, finished }: Chunk): Generator<readonly [string, Cell]> {
    const { reverse } = this.range;
    for (let i = 0; i < rows.length; i += 2) {
      const key = keyText(rows[i] as Uint8Array);
      if (reverse && key >= this.lt) continue;
      if (reverse ? key < this.gte : key >= this.lt) {
        this.ended = true;
        return;
      }
      if (reverse) this.lt = key;
      else this.gte = `${key}\0`;
      yield [key.slice(this.place.head.length), Cell.ofBytes(rows[i + 1] as Uint8Array)];
    }
    this.ended = finished;
  }
}
