import { bool, type Codec, struct, u64 } from '../../primitives/codec.js';

export interface SendCompact {
  /** True requests that new blocks are sent as `cmpctblock` without announcement. */
  readonly announce: boolean;
  /** 1: short ids of txids; 2: of wtxids. */
  readonly version: bigint;
}

/** Offers compact blocks (BIP152). */
export const sendcmpct: Codec<SendCompact> = struct<SendCompact>({ announce: bool, version: u64 });
