import { type Codec, struct } from '../../primitives/codec.js';
import { limitedBytes } from './limits.js';

export interface FilterAdd {
  readonly data: Uint8Array;
}

/** Adds an element to the sender's bloom filter (BIP37). @throws {LimitExceeded} for more than 520 bytes */
export const filteradd: Codec<FilterAdd> = struct<FilterAdd>({ data: limitedBytes('filterElementBytes') });
