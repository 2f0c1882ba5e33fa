import type { Hash256 } from '../../primitives/hash.js';

/** Factor that a split applies to every amount of its token; a negative one divides. */
export interface Multiplier {
  /** An integer, or satoshis of the factor if `isFraction`. */
  readonly value: bigint;
  readonly isFraction: boolean;
}

/** Split of a token that governance has scheduled for a height. */
export interface SplitOrder {
  readonly tokenId: number;
  readonly multiplier: Multiplier;
}

/** Transactions of the block whose ids become the creation transactions of the tokens that a split makes. */
export interface SplitCreation extends SplitOrder {
  readonly token: Hash256;
  /** Pools that move to the new token, ascending by id. */
  readonly pools: readonly { readonly poolId: number; readonly txid: Hash256 }[];
}
