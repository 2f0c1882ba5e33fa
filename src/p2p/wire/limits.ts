import { type ByteReader, type Codec, compactSize, DecodeError } from '../../primitives/codec.js';

/** Bytes that the payload of any message may have (docs/protocol/chain.md 7.1). */
export const MAX_PAYLOAD_SIZE = 64_000_000;

/** Elements or bytes that one message may carry (docs/protocol/chain.md 7.3, BIP37, BIP152). */
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
  /** Positions in a block that compact blocks can name. */
  blockPositions: 0x10000,
} as const;

export type LimitName = keyof typeof LIMITS;

/** More of something than a message may carry. Nothing beyond the count was read, so the sender cannot make us hold it. */
export class LimitExceeded extends DecodeError {
  override name = 'LimitExceeded';

  constructor(
    readonly limit: LimitName,
    readonly size: number,
  ) {
    super(`${limit} size ${size} exceeds ${LIMITS[limit]}`);
  }
}

/** CompactSize of a count. @throws {LimitExceeded} above the limit */
export function readCount(r: ByteReader, limit: LimitName): number {
  const count = compactSize.read(r);
  if (count > LIMITS[limit]) throw new LimitExceeded(limit, count);
  return count;
}

/** CompactSize count, then the elements, of which there may be so many. Writing does not look at the limit: senders split. */
export function limitedList<T>(element: Codec<T>, limit: LimitName): Codec<readonly T[]> {
  return {
    write(w, values) {
      compactSize.write(w, values.length);
      for (const value of values) element.write(w, value);
    },
    read(r) {
      const count = readCount(r, limit);
      const values: T[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(r));
      return values;
    },
  };
}

/** CompactSize length, then that many bytes, of which there may be so many. */
export function limitedBytes(limit: LimitName): Codec<Uint8Array> {
  return {
    write(w, value) {
      compactSize.write(w, value.length);
      w.bytes(value);
    },
    read: (r) => r.bytes(readCount(r, limit)),
  };
}
