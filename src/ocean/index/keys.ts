import { byteString } from '../../dfi/kernel/text.js';
import { type PricePair, pricePair } from '../../dfi/oracles/columns.js';
import { type Codec, encode, mapped, struct, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { reverseBytes } from '../../util/bytes.js';

/** Hash in display order, so that keys have the order of the texts that clients see. */
export const displayHash: Codec<Hash256> = mapped(hash256, reverseBytes, reverseBytes);

/** Key of a row of a block for a pair. Rows of a pair are sorted by height, which is also the order of the median times. */
export interface PairAtHeight extends PricePair {
  readonly height: number;
}

export const pairAtHeight = struct<PairAtHeight>({ token: byteString, currency: byteString, height: u32be });

/** Prefix of the keys of all rows of a pair. */
export function pairPrefix(pair: PricePair): Uint8Array {
  return encode(pricePair, pair);
}
