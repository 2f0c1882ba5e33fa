import { type ByteReader, type ByteWriter, type Codec, compactSize, DecodeError, varBytes } from '../primitives/codec.js';
import { fromHex, toHex } from '../util/bytes.js';

/** A field whose key is its type byte alone. */
export interface SingleField {
  /** How the text about a second one calls it. */
  readonly name: string;
  /** How the text about a longer key begins. */
  readonly keyName: string;
}

/** @throws {DecodeError} if the field is there already or its key has more than the type */
export function requireSingle(key: Uint8Array, { name, keyName }: SingleField, isThere: boolean): void {
  if (isThere) throw new DecodeError(`Duplicate Key, ${name} already provided`);
  if (key.length !== 1) throw new DecodeError(`${keyName} key is more than one byte type`);
}

export const WRONG_SIZE = 'Size of value was not the stated size';

/** A value that says its size first, and has to have it. */
export function readSized<T>(r: ByteReader, codec: Codec<T>): T {
  const size = compactSize.read(r);
  const start = r.position;
  const value = codec.read(r);
  if (r.position - start !== size) throw new DecodeError(WRONG_SIZE);
  return value;
}

/**
 * Entries of one map up to its end: a key of no bytes.
 * @param name of the map in the text that says its end is missing
 * @param entry reads the value of a key that is not empty
 */
export function readEntries(r: ByteReader, name: string, entry: (key: Uint8Array) => void): void {
  for (const key of entryKeys(r, name)) entry(key);
}

/** Keys of one map up to its end; whoever takes a key reads its value. */
export function* entryKeys(r: ByteReader, name: string): Iterable<Uint8Array> {
  while (r.remaining > 0) {
    const key = varBytes.read(r);
    if (key.length === 0) return;
    yield key;
  }
  throw new DecodeError(`Separator is missing at the end of ${name}`);
}

/** Keeps an entry of unknown meaning. */
export function readUnknown(r: ByteReader, key: Uint8Array, unknown: Map<string, Uint8Array>): void {
  const id = toHex(key);
  if (unknown.has(id)) throw new DecodeError('Duplicate Key, key for unknown value already provided');
  unknown.set(id, varBytes.read(r));
}

/** In the order of the keys' bytes, which is that of their hex. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Entries of unknown meaning, in the order of their keys. */
export function writeUnknown(w: ByteWriter, unknown: ReadonlyMap<string, Uint8Array>): void {
  for (const [key, value] of sortedEntries(unknown)) {
    varBytes.write(w, fromHex(key));
    varBytes.write(w, value);
  }
}
