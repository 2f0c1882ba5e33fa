import { type Codec, i64, struct } from '../../primitives/codec.js';

export interface FeeFilter {
  /** Satoshis per kB. */
  readonly feeRate: bigint;
}

/** Asks not to be told of transactions that pay less (BIP133). */
export const feefilter: Codec<FeeFilter> = struct<FeeFilter>({ feeRate: i64 });
