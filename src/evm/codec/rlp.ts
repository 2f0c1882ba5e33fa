import { DecodeError } from '../../primitives/codec.js';
import { decodeNumber, encodeInteger, readWord } from '../words.js';

/** RLP item: bytes, a list of items, or any item in its encoding. @see Ethereum yellow paper, appendix B */
export type Rlp = Uint8Array | readonly Rlp[] | EncodedRlp;

/** An item that was encoded before. */
export class EncodedRlp {
  constructor(readonly encoded: Uint8Array) {}
}

const SHORT_BYTES = 0x80;
const LONG_BYTES = 0xb8;
const SHORT_LIST = 0xc0;
const LONG_LIST = 0xf8;
/** Maximum size of content whose length is in the first byte. */
const MAX_SHORT = 55;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_SAFE_SIZE = 7;
/** Maximum size of an encoded length, enough for 4 GiB. */
const MAX_LENGTH_SIZE = 4;
const MAX_PREFIX = 1 + MAX_LENGTH_SIZE;

/** Canonical RLP of an item. */
export function encodeRlp(value: Rlp): Uint8Array {
  if (value instanceof Uint8Array) {
    const bytes = new Uint8Array(sizeOf(value));
    write(bytes, 0, value);
    return bytes;
  }
  if (value instanceof EncodedRlp) return value.encoded;
  // The size of the whole is that of the content, which is computed once.
  const size = contentSize(value);
  const bytes = new Uint8Array(listSize(size));
  writeItems(bytes, 0, value, size);
  return bytes;
}

/** Bytes of an encoded list. @param content bytes of its encoded items */
export function listSize(content: number): number {
  return 1 + lengthSize(content) + content;
}

/** Writes the start of a list. @param content bytes of its encoded items @returns the position of the first item */
export function writeListStart(bytes: Uint8Array, at: number, content: number): number {
  return writeLength(bytes, at, content, SHORT_LIST, LONG_LIST);
}

/** Bytes of an encoded item. */
function sizeOf(value: Rlp): number {
  if (value instanceof EncodedRlp) return value.encoded.length;
  const isBytes = value instanceof Uint8Array;
  const size = isBytes ? value.length : contentSize(value);
  return isBytes && isOneByte(value) ? 1 : 1 + lengthSize(size) + size;
}

/** Bytes of the encoded items of a list. */
function contentSize(items: readonly Rlp[]): number {
  let size = 0;
  for (const item of items) size += sizeOf(item);
  return size;
}

/** True for a byte that is its own encoding. */
function isOneByte(value: Uint8Array): boolean {
  return value.length === 1 && (value[0] as number) < SHORT_BYTES;
}

/** Bytes of a length that does not fit in the first byte of an item; 0 for one that does. */
function lengthSize(length: number): number {
  if (length <= MAX_SHORT) return 0;
  return length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4;
}

/** @returns the position after the item */
function write(bytes: Uint8Array, at: number, value: Rlp): number {
  if (value instanceof EncodedRlp) {
    bytes.set(value.encoded, at);
    return at + value.encoded.length;
  }
  if (!(value instanceof Uint8Array)) return writeItems(bytes, at, value, contentSize(value));
  const start = isOneByte(value) ? at : writeLength(bytes, at, value.length, SHORT_BYTES, LONG_BYTES);
  bytes.set(value, start);
  return start + value.length;
}

/** @param size bytes of the encoded items @returns the position after the list */
function writeItems(bytes: Uint8Array, at: number, items: readonly Rlp[], size: number): number {
  let next = writeListStart(bytes, at, size);
  for (const item of items) next = write(bytes, next, item);
  return next;
}

/** @returns the position of the content */
function writeLength(bytes: Uint8Array, at: number, length: number, short: number, long: number): number {
  const size = lengthSize(length);
  bytes[at] = size === 0 ? short + length : long + size - 1;
  let rest = length;
  for (let i = size; i > 0; i--, rest = Math.floor(rest / 256)) bytes[at + i] = rest & 255;
  return at + 1 + size;
}

/** Writes the items of a list from the last to the first, so that each length is known when it is written. */
export class BackwardRlp {
  #bytes = new Uint8Array(1024);
  #at = this.#bytes.length;

  /** Begins another list. */
  reset(): void {
    this.#at = this.#bytes.length;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
    if (!isOneByte(value)) this.#length(value.length, SHORT_BYTES, LONG_BYTES);
  }

  /** @param value from 0 */
  number(value: bigint): void {
    if (value > MAX_SAFE) {
      this.bytes(encodeInteger(value));
      return;
    }
    this.#reserve(MAX_SAFE_SIZE);
    const end = this.#at;
    for (let rest = Number(value); rest > 0; rest = Math.floor(rest / 256)) this.#bytes[--this.#at] = rest & 255;
    if (value === 0n || value >= SHORT_BYTES) this.#length(end - this.#at, SHORT_BYTES, LONG_BYTES);
  }

  /** View of the list of all items, until the next one begins. */
  list(): Uint8Array {
    this.#length(this.#bytes.length - this.#at, SHORT_LIST, LONG_LIST);
    return this.#bytes.subarray(this.#at);
  }

  /** Makes room for an item and the prefixes of item and list. */
  #reserve(size: number): void {
    const needed = size + 2 * MAX_PREFIX;
    if (this.#at >= needed) return;
    const grown = new Uint8Array(2 * (this.#bytes.length + needed));
    const written = this.#bytes.length - this.#at;
    grown.set(this.#bytes.subarray(this.#at), grown.length - written);
    this.#bytes = grown;
    this.#at = grown.length - written;
  }

  #length(length: number, short: number, long: number): void {
    this.#at -= 1 + lengthSize(length);
    writeLength(this.#bytes, this.#at, length, short, long);
  }
}

/**
 * Items of a list, encoded, as the library of `defid` walks through them: it continues beyond the announced end of the list as long as items
 * follow in `bytes`, and stops at a malformed one.
 * @param inside number of the first items that must be within the announced end
 * @throws {DecodeError} if `bytes` do not begin with a list
 * @see docs/protocol/evm-engine.md 5.1
 */
export function* itemsIn(bytes: Uint8Array, inside = 1): Generator<Uint8Array, void, void> {
  if (!isList(bytes)) throw new DecodeError('RLP list expected');
  const list = extentAt(bytes, 0);
  if (!list) return;
  for (let at = list.start, count = 0; ; count++) {
    const item = extentAt(bytes, at);
    if (!item || (count < inside && item.end > list.end)) return;
    yield bytes.subarray(at, item.end);
    at = item.end;
  }
}

/** The first items of a list, as {@link itemsIn} gives them. @param most number of items: a caller may send millions @throws {DecodeError} */
export function firstItemsOf(bytes: Uint8Array, most: number, inside?: number): readonly Uint8Array[] {
  const items: Uint8Array[] = [];
  for (const item of itemsIn(bytes, inside)) {
    items.push(item);
    if (items.length === most) break;
  }
  return items;
}

/** True for an encoded list. */
export function isList(item: Uint8Array): boolean {
  return (item[0] ?? 0) >= SHORT_LIST;
}

/** Content of an encoded item. @throws {DecodeError} for a list, or a byte that should be its own encoding */
export function bytesOf(item: Uint8Array | undefined): Uint8Array {
  const extent = item && !isList(item) ? extentAt(item, 0) : undefined;
  if (!item || !extent) throw new DecodeError('RLP bytes expected');
  const content = item.subarray(extent.start, extent.end);
  if (extent.start > 0 && isOneByte(content)) throw new DecodeError('non-canonical RLP byte');
  return content;
}

/** Number in an encoded item. @param maxSize maximum bytes of the number @throws {DecodeError} for a list, leading zeros, or a larger number */
export function integerOf(item: Uint8Array | undefined, maxSize: number): bigint {
  const bytes = bytesOf(item);
  if (bytes.length > maxSize || bytes[0] === 0) throw new DecodeError('not an RLP number');
  return decodeNumber(bytes);
}

/** Number of bytes of a fixed size, at most 32. @throws {DecodeError} if there are more or fewer */
export function sizedWord(bytes: Uint8Array, size: number): bigint {
  if (bytes.length !== size) throw new DecodeError('not an address or key');
  return readWord(bytes, 0, size);
}

/** Positions of the content of an item and of its end. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** @returns undefined if no whole item begins at the position, or its length is not canonical */
function extentAt(bytes: Uint8Array, at: number): Extent | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < SHORT_BYTES) return { start: at, end: at + 1 };
  const [short, long] = first >= SHORT_LIST ? [SHORT_LIST, LONG_LIST] : [SHORT_BYTES, LONG_BYTES];
  const size = first < long ? 0 : first - long + 1;
  const start = at + 1 + size;
  // Longer lengths exceed any input.
  if (size > MAX_LENGTH_SIZE || start > bytes.length || (size > 0 && bytes[at + 1] === 0)) return undefined;
  const length = size === 0 ? first - short : Number(decodeNumber(bytes.subarray(at + 1, start)));
  const isCanonical = size === 0 || length > MAX_SHORT;
  return isCanonical && start + length <= bytes.length ? { start, end: start + length } : undefined;
}
