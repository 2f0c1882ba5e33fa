import { type Codec, struct, u64 } from '../../primitives/codec.js';

export interface Ping {
  /** Returned in `pong`. */
  readonly nonce: bigint;
}

/** Requests a `pong` (BIP31). */
export const ping: Codec<Ping> = struct<Ping>({ nonce: u64 });
