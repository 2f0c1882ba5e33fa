import { type Codec, compactSize } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { readCount } from './limits.js';
import { readPosition, writePosition } from './positions.js';

export interface BlockTransactionsRequest {
  readonly blockHash: Hash256;
  /** Positions in the block, ascending. */
  readonly indexes: readonly number[];
}

/** Requests transactions of a compact block that the receiver lacks (BIP152). */
export const getblocktxn: Codec<BlockTransactionsRequest> = {
  write(w, { blockHash, indexes }) {
    hash256.write(w, blockHash);
    compactSize.write(w, indexes.length);
    let before = -1;
    for (const index of indexes) {
      writePosition(w, index, before);
      before = index;
    }
  },
  read(r) {
    const blockHash = hash256.read(r);
    const count = readCount(r, 'blockPositions');
    const indexes: number[] = [];
    for (let i = 0, index = -1; i < count; i++) {
      index = readPosition(r, index);
      indexes.push(index);
    }
    return { blockHash, indexes };
  },
};
