import { type Codec, compactSize } from '../../primitives/codec.js';
import { type BlockHeader, blockHeader } from '../../primitives/header.js';
import { limitedList } from './limits.js';

/** A header, followed by a transaction count that is written as 0 and ignored when read. */
const emptyBlock: Codec<BlockHeader> = {
  write(w, header) {
    blockHeader.write(w, header);
    compactSize.write(w, 0);
  },
  read(r) {
    const header = blockHeader.read(r);
    compactSize.read(r);
    return header;
  },
};

/** Consecutive headers, ascending. */
export const headers: Codec<readonly BlockHeader[]> = limitedList(emptyBlock, 'headers');
