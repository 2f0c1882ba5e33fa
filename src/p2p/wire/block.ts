import type { Codec } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type BlockHeader, blockHash, blockHeader } from '../../primitives/header.js';

/** A block of which only the header was looked at: the chain decodes the rest once, if it wants the block. */
export interface BlockBytes {
  readonly header: BlockHeader;
  readonly hash: Hash256;
  /** Header and transactions. */
  readonly raw: Uint8Array;
}

/** A block. Whether its transactions are well formed is not known yet. */
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
