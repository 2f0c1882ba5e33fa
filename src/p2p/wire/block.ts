import type { Codec } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type BlockHeader, blockHash, blockHeader } from '../../primitives/header.js';

/** A block of which only the header is decoded. The chain decodes the transactions if it processes the block. */
export interface BlockBytes {
  readonly header: BlockHeader;
  readonly hash: Hash256;
  /** Header and transactions. */
  readonly raw: Uint8Array;
}

/** A block. Reading does not check that its transactions are well formed. */
export const block: Codec<BlockBytes> = {
  write(w, { raw }) {
    w.bytes(raw);
  },
  read(r) {
    const start = r.position;
    const header = blockHeader.read(r);
    r.bytes(r.remaining);
    return { header, hash: blockHash(header), raw: r.since(start) };
  },
};
