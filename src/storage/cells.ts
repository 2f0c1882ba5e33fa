import { type Codec, DecodeError, decode, encode, encodeText } from '../primitives/codec.js';
import { StoreDamaged } from './errors.js';
import type { Column, Range, StateView } from './view.js';

/**
 * A value of a column, as bytes or decoded or both: each form is made from the other when first needed, and kept. So a coin
 * that is created and spent in one block is never encoded, and one that is read twice is decoded once.
 */
export class Cell {
  #bytes: Uint8Array | undefined;
  #value: unknown;
  #codec: Codec<unknown> | undefined;

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

  /** @throws {StoreDamaged} if the bytes are no value of the column */
  value<K, V>(column: Column<K, V>): V {
    if (this.#codec === undefined) {
      this.#value = decodeStored(column.name, column.value, this.bytes());
      this.#codec = column.value as Codec<unknown>;
    }
    return this.#value as V;
  }
}

/** A malformed record is our trouble, not that of the block or the caller whom a `DecodeError` would blame. */
export function decodeStored<T>(column: string, codec: Codec<T>, bytes: Uint8Array): T {
  try {
    return decode(codec, bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw new StoreDamaged(`unreadable record in column ${column}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Key bytes as a text of one char per byte: texts compare as their bytes do, and they are map keys. */
export function keyText(key: Uint8Array): string {
  return (key instanceof Buffer ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength)).toString('latin1');
}

export function keyBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Keys from `gte` up to, not including, `lt`. */
export interface KeyRange {
  readonly gte: string;
  readonly lt: string | undefined;
  readonly reverse: boolean;
}

/** The key texts that a range of a column covers. */
export function keyRange<K>(column: Column<K, unknown>, { from, prefix, reverse = false }: Range<K>): KeyRange {
  const head = prefix ? keyText(prefix) : '';
  const end = afterPrefix(head);
  if (from === undefined) return { gte: head, lt: end, reverse };
  const start = encodeText(column.key, from);
  if (!reverse) {
    const isInside = start > head;
    return { gte: isInside ? start : head, lt: end, reverse };
  }
  const past = `${start}\0`;
  return { gte: head, lt: end === undefined || past < end ? past : end, reverse };
}

/** The first text after all that begin with `prefix`; undefined where there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const kept = prefix.replace(/\xff+$/, '');
  if (kept === '') return undefined;
  const last = kept.length - 1;
  return kept.slice(0, last) + String.fromCharCode(kept.charCodeAt(last) + 1);
}

/** What the layers of this folder are to each other: cells by column name and key text. The typed view of rules stands on it. */
export abstract class CellView implements StateView {
  abstract cell(column: string, key: string): Cell | undefined;
  /** In the order of `keys`, in one visit to the store. */
  abstract cells(column: string, keys: readonly string[]): (Cell | undefined)[];
  abstract scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]>;

  get<K, V>(column: Column<K, V>, key: K): V | undefined {
    return this.cell(column.name, encodeText(column.key, key))?.value(column);
  }

  getMany<K, V>(column: Column<K, V>, keys: readonly K[]): (V | undefined)[] {
    const texts = keys.map((key) => encodeText(column.key, key));
    return this.cells(column.name, texts).map((cell) => cell?.value(column));
  }

  has<K, V>(column: Column<K, V>, key: K): boolean {
    return this.cell(column.name, encodeText(column.key, key)) !== undefined;
  }

  *entries<K, V>(column: Column<K, V>, range: Range<K> = {}): Generator<readonly [K, V]> {
    for (const [key, cell] of this.scan(column.name, keyRange(column, range))) {
      yield [decodeStored(column.name, column.key, keyBytes(key)), cell.value(column)];
    }
  }
}
