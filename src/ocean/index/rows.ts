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
 * Part of the index: writes the rows that a block brings, at once or by the steps that it returns. What it changes is taken back by its undo record, so a part need not.
 * A block is never added twice without being taken back in between.
 */
export type AddRows = (view: WritableView, block: IndexedBlock) => Steps<void> | undefined;
