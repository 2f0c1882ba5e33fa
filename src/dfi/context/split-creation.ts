import type { Hash256 } from '../../primitives/hash.js';

/** Factor that a split applies to every amount of its token; a negative one divides. */
export interface Multiplier {
  /** Whole factor, or the factor times 10^8 if `isFraction`. */
  readonly value: bigint;
  readonly isFraction: boolean;
}

/** Split of a token that governance has scheduled for a height. */
export interface SplitOrder {
  readonly tokenId: number;
  readonly multiplier: Multiplier;
}

/** Split with the transactions of the block that create its tokens: their txids become the creation txids of the new tokens. */
export interface SplitCreation extends SplitOrder {
  /** Txid for the successor of the token. */
  readonly token: Hash256;
  /** Pools that move to the new token, ascending by id. */
  readonly pools: readonly { readonly poolId: number; readonly txid: Hash256 }[];
}
