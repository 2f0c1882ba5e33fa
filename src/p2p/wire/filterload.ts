import { type Codec, struct, u8, u32 } from '../../primitives/codec.js';
import { limitedBytes } from './limits.js';

/** A bloom filter (BIP37). */
export interface FilterLoad {
  readonly data: Uint8Array;
  readonly hashFunctions: number;
  readonly tweak: number;
  /** 0: never update the filter; 1: add outpoints of all matching outputs; 2: only those of P2PK and multisig outputs. */
  readonly flags: number;
}

/** Requests relay of matching transactions only. @throws {LimitExceeded} for more than 36,000 bytes of filter */
export const filterload: Codec<FilterLoad> = struct<FilterLoad>({
  data: limitedBytes('filterBytes'),
  hashFunctions: u32,
  tweak: u32,
  flags: u8,
});
