import { type ByteReader, type Codec, compactSize, DecodeError } from '../../primitives/codec.js';

/** Largest payload of any message, bytes (docs/protocol/chain.md 7.1). */
export const MAX_PAYLOAD_SIZE = 64_000_000;

/** Most elements or bytes in one message (docs/protocol/chain.md 7.3, BIP37, BIP152). */
export const LIMITS = {
  addr: 1000,
  inv: 50_000,
  getdata: 50_000,
  notfound: 50_000,
  headers: 2000,
  locator: 101,
  filterBytes: 36_000,
  filterElementBytes: 520,
  userAgentBytes: 256,
  /** Positions in a block that fit into the 16 bits of compact blocks. */
  blockPositions: 0x10000,
} as const;

export type LimitName = keyof typeof LIMITS;

/** A count above its limit. Nothing after the count was read, so that the sender cannot make the node allocate memory for it. */
export class LimitExceeded extends DecodeError {
  override name = 'LimitExceeded';

  constructor(
    readonly limit: LimitName,
    readonly size: number,
  ) {
    super(`${limit} size ${size} exceeds ${LIMITS[limit]}`);
  }
}

/**
 * Reads a CompactSize count.
 * @param size least bytes of an element
 * @throws {LimitExceeded} above the limit
 * @throws {DecodeError} if there are not as many elements
 */
export function readCount(r: ByteReader, limit: LimitName, size = 0): number {
  const count = compactSize.read(r);
  if (count <= LIMITS[limit]) return count;
  if (r.remaining < count * size) throw new DecodeError('end of data');
  throw new LimitExceeded(limit, count);
}

/**
 * A CompactSize count, then the elements. Reading throws LimitExceeded above the limit; writers split long lists themselves.
 * @param size least bytes of an element
 */
export function limitedList<T>(element: Codec<T>, limit: LimitName, size = 0): Codec<readonly T[]> {
  return {
    write(w, values) {
      compactSize.write(w, values.length);
      for (const value of values) element.write(w, value);
    },
    read(r) {
      const count = readCount(r, limit, size);
      const values: T[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(r));
      return values;
    },
  };
}

/** A CompactSize length, then the bytes. Reading throws LimitExceeded above the limit. */
export function limitedBytes(limit: LimitName): Codec<Uint8Array> {
  return {
    write(w, value) {
      compactSize.write(w, value.length);
      w.bytes(value);
    },
    read: (r) => r.bytes(readCount(r, limit, 1)),
  };
}
