import { type Codec, struct, u64 } from '../../primitives/codec.js';

export interface Ping {
  /** Comes back in `pong`. */
  readonly nonce: bigint;
}

/** Asks for a sign of life (BIP31). */
export const ping: Codec<Ping> = struct<Ping>({ nonce: u64 });
