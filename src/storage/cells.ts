import { type ByteWriter, type Codec, DecodeError, decode, encode, encodeInto, encodeText } from '../primitives/codec.js';
import { byteText } from '../util/bytes.js';
import { StoreDamaged } from './errors.js';
import type { Stamp } from './stamp.js';
import type { Column, Range, RawChange, RowChange, StateView } from './view.js';

/**
 * Value of a column in encoded form, decoded form, or both. The missing form is made on first use and kept, so a coin that is created
 * and spent in one block is never encoded, and one that is read twice is decoded once.
 */
export class Cell {
  #bytes: Uint8Array | undefined;
  #value: unknown;
  #codec: Codec<unknown> | undefined;
  #key: unknown;

  private constructor(bytes: Uint8Array | undefined, value: unknown, codec: Codec<unknown> | undefined) {
    this.#bytes = bytes;
    this.#value = value;
    this.#codec = codec;
  }

  static ofBytes(bytes: Uint8Array): Cell {
    return new Cell(bytes, undefined, undefined);
  }

  static ofValue<V>(column: Column<never, V> | Column<unknown, V>, value: V): Cell {
    return new Cell(undefined, value, column.value as Codec<unknown>);
  }

  bytes(): Uint8Array {
    this.#bytes ??= encode(this.#codec as Codec<unknown>, this.#value);
    return this.#bytes;
  }

  /** Appends the encoded form, which is not kept if it is made for this. */
  writeTo(w: ByteWriter): void {
    if (this.#bytes) w.bytes(this.#bytes);
    else encodeInto(w, this.#codec as Codec<unknown>, this.#value);
  }

  /** @throws {StoreDamaged} if the bytes cannot be decoded by the column's codec */
  value<K, V>(column: Column<K, V>): V {
    if (this.#codec === undefined) {
      this.#value = decodeStored(column.name, column.value, this.bytes());
      this.#codec = column.value as Codec<unknown>;
    }
    return this.#value as V;
  }

  /**
   * Decoded key of the cell's row, decoded once. A cell is shared by views, but always under the same key.
   * @throws {StoreDamaged} if `text` cannot be decoded by the column's codec
   */
  key<K>(column: Column<K, unknown>, text: string): K {
    if (this.#key === undefined) this.#key = decodeStored(column.name, column.key, keyBytes(text));
    return this.#key as K;
  }
}

/** Decodes stored bytes. @throws {StoreDamaged} instead of {DecodeError}, which would blame a block or a caller */
export function decodeStored<T>(column: string, codec: Codec<T>, bytes: Uint8Array): T {
  try {
    return decode(codec, bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw new StoreDamaged(`unreadable record in column ${column}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Key bytes as a text of one char per byte. Such texts sort as their bytes do, and serve as map keys. */
export function keyText(key: Uint8Array): string {
  return byteText(key);
}

export function keyBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Changes in the form that a store writes, with copies of the values, because the caller may reuse their memory. */
export function rowChanges(changes: Iterable<RawChange>): RowChange[] {
  const rows: RowChange[] = [];
  for (const { column, key, value } of changes) {
    rows.push({ column, key: keyText(key), cell: value && Cell.ofBytes(Uint8Array.prototype.slice.call(value)) });
  }
  return rows;
}

/** Keys from `gte` (inclusive) to `lt` (exclusive; undefined: no upper bound). */
export interface KeyRange {
  readonly gte: string;
  readonly lt: string | undefined;
  readonly reverse: boolean;
}

/** Range of key texts for a range of a column. */
function keyRange<K>(column: Column<K, unknown>, { from, prefix, reverse = false }: Range<K>): KeyRange {
  const head = prefix ? keyText(prefix) : '';
  const end = afterPrefix(head);
  if (from === undefined) return { gte: head, lt: end, reverse };
  const start = encodeText(column.key, from);
  if (!reverse) {
    const isInside = start > head;
    return { gte: isInside ? start : head, lt: end, reverse };
  }
  const above = `${start}\0`;
  return { gte: head, lt: end === undefined || above < end ? above : end, reverse };
}

/** Lowest text above all texts that begin with `prefix`; undefined if there is none. */
function afterPrefix(prefix: string): string | undefined {
  const kept = prefix.replace(/\xff+$/, '');
  if (kept === '') return undefined;
  const last = kept.length - 1;
  return kept.slice(0, last) + String.fromCharCode(kept.charCodeAt(last) + 1);
}

/**
 * Interface between the layers of this folder: cells by column name and key text. It implements the typed view that rules read on top of
 * that.
 */
export abstract class CellView implements StateView {
  /** Stamp of the contents of a column, which any change of it changes. */
  abstract stamp(column: string): Stamp;
  abstract cell(column: string, key: string): Cell | undefined;
  /** Cells in the order of `keys`, by one batch read. */
  abstract cells(column: string, keys: readonly string[]): (Cell | undefined)[];
  /** True if reads of the column are answered from memory, so that a batch of them gains nothing. */
  isInMemory(_column: string): boolean {
    return false;
  }
  /** True if hints of rows that will be read are useful: if reads have to wait for the disk. */
  get wantsHints(): boolean {
    return false;
  }
  /** Hints that rows will be read one by one soon. It has no effect but on the time that these reads take. */
  hint(_column: string, _keys: readonly string[]): void {}
  /** Cells of a range with their key texts, in key order (or reverse). */
  abstract scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]>;

  get<K, V>(column: Column<K, V>, key: K): V | undefined {
    return this.cell(column.name, encodeText(column.key, key))?.value(column);
  }

  getMany<K, V>(column: Column<K, V>, keys: readonly K[]): (V | undefined)[] {
    const texts = new Array<string>(keys.length);
    for (let i = 0; i < keys.length; i++) texts[i] = encodeText(column.key, keys[i] as K);
    const cells = this.cells(column.name, texts);
    const values = new Array<V | undefined>(keys.length);
    for (let i = 0; i < keys.length; i++) values[i] = cells[i]?.value(column);
    return values;
  }

  has<K, V>(column: Column<K, V>, key: K): boolean {
    return this.cell(column.name, encodeText(column.key, key)) !== undefined;
  }

  *entries<K, V>(column: Column<K, V>, range: Range<K> = {}): Generator<readonly [K, V]> {
    for (const [key, cell] of this.scan(column.name, keyRange(column, range))) {
      yield [cell.key(column, key), cell.value(column)];
    }
  }

  *rows<K, V>(column: Column<K, V>, after?: string): Generator<readonly [string, Uint8Array]> {
    const gte = after === undefined ? '' : `${after}\0`;
    for (const [key, cell] of this.scan(column.name, { gte, lt: undefined, reverse: false })) yield [key, cell.bytes()];
  }
}
