import { type Codec, i64, struct } from '../../primitives/codec.js';

export interface FeeFilter {
  /** Satoshis per kB. */
  readonly feeRate: bigint;
}

/** Requests that transactions below a fee rate are not announced (BIP133). */
export const feefilter: Codec<FeeFilter> = struct<FeeFilter>({ feeRate: i64 });
