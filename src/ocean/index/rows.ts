import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { StateView, WritableView } from '../../storage/view.js';
import type { Steps } from '../../util/slicer.js';
import type { IndexedBlock } from './indexed-block.js';

/** Rows of the index with the block up to which they are complete. */
export interface OceanRows {
  readonly view: StateView;
  /** Undefined while no block is indexed. */
  readonly position: Pick<BlockIndexEntry, 'height' | 'hash'> | undefined;
}

/**
 * Part of the index. It writes the rows of a block, immediately or in the steps that it returns. The undo record of the block reverts them,
 * so a part has no inverse. A block is never added twice without being undone in between.
 */
export type AddRows = (view: WritableView, block: IndexedBlock) => Steps<void> | undefined;
