import type { ChainEvent } from '../chain/chain.js';
import type { Hash256 } from '../primitives/hash.js';
import type { Overlay } from '../storage/overlay.js';
import type { Store } from '../storage/view.js';
import type { Steps } from '../util/slicer.js';

/** Index-specific part of a follower. */
export interface BlockIndexer {
  /** Key of its position in the database. */
  readonly name: string;
  /**
   * Writes the rows of a block, at once or by the steps that it returns. Without `reversal` it overwrites existing ones, since a block may
   * be indexed again after a restart or a reorganisation.
   */
  add(view: Overlay, event: ChainEvent): Steps<void> | undefined;
  /**
   * Removal of disconnected blocks, for an index of the active chain alone. Without it nothing is removed, and the index also covers blocks
   * off the active chain.
   */
  readonly reversal?: Reversal;
}

/** Takes blocks back that left the active chain. */
export interface Reversal {
  /** Undoes the block that was added last. @returns hash of the block below it; undefined if there is no record of its changes */
  remove(view: Overlay, block: Hash256): Hash256 | undefined;
  /** Deletes all rows, in batches. */
  clear(store: Store): Steps<void>;
}
