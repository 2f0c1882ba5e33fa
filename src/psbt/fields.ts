import { type ByteReader, type ByteWriter, type Codec, compactSize, DecodeError, varBytes } from '../primitives/codec.js';
import { fromHex, toHex } from '../util/bytes.js';

/** A field whose key is its type byte alone. */
export interface SingleField {
  /** Name of the field in the error text for a duplicate. */
  readonly name: string;
  /** Name of the field in the error text for a key that is too long. */
  readonly keyName: string;
}

/** @throws {DecodeError} if the field is a duplicate or its key is longer than the type byte */
export function requireSingle(key: Uint8Array, { name, keyName }: SingleField, isThere: boolean): void {
  if (isThere) throw new DecodeError(`Duplicate Key, ${name} already provided`);
  if (key.length !== 1) throw new DecodeError(`${keyName} key is more than one byte type`);
}

export const WRONG_SIZE = 'Size of value was not the stated size';

/** Reads a value with a length prefix, which must match. @throws {DecodeError} */
export function readSized<T>(r: ByteReader, codec: Codec<T>): T {
  const size = compactSize.read(r);
  const start = r.position;
  const value = codec.read(r);
  if (r.position - start !== size) throw new DecodeError(WRONG_SIZE);
  return value;
}

/**
 * Reads the entries of a map up to its end, an empty key.
 * @param name of the map in the error text for a missing end
 * @param entry reads the value of a key
 */
export function readEntries(r: ByteReader, name: string, entry: (key: Uint8Array) => void): void {
  for (const key of entryKeys(r, name)) entry(key);
}

/** Keys of a map up to its end; the caller reads the value after each key. */
export function* entryKeys(r: ByteReader, name: string): Iterable<Uint8Array> {
  while (r.remaining > 0) {
    const key = varBytes.read(r);
    if (key.length === 0) return;
    yield key;
  }
  throw new DecodeError(`Separator is missing at the end of ${name}`);
}

/** Reads an entry of unknown type. @throws {DecodeError} if it is a duplicate */
export function readUnknown(r: ByteReader, key: Uint8Array, unknown: Map<string, Uint8Array>): void {
  const id = toHex(key);
  if (unknown.has(id)) throw new DecodeError('Duplicate Key, key for unknown value already provided');
  unknown.set(id, varBytes.read(r));
}

/** Entries sorted by key bytes, which is the order of their hex. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Writes entries of unknown type, sorted by key. */
export function writeUnknown(w: ByteWriter, unknown: ReadonlyMap<string, Uint8Array>): void {
  for (const [key, value] of sortedEntries(unknown)) {
    varBytes.write(w, fromHex(key));
    varBytes.write(w, value);
  }
}
