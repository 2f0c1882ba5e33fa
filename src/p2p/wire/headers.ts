import { type Codec, compactSize } from '../../primitives/codec.js';
import { type BlockHeader, blockHeader } from '../../primitives/header.js';
import { limitedList } from './limits.js';

/** A header as a block without transactions: their count follows, which is 0 and not looked at. */
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

/** Headers in the order of the chain. */
export const headers: Codec<readonly BlockHeader[]> = limitedList(emptyBlock, 'headers');
