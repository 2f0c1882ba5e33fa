import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';

/**
 * Headers above the tip. More than the 100,000 blocks between two checkpoints of main, since these decide which blocks are assumed valid.
 */
const DEFAULT_SIZE = 130_000;
/** Share of the window below which more headers are requested. */
const REFILL_BELOW = 0.85;
/** Share of the window that a chain of unknown work must have above the tip before its blocks are downloaded. */
const LONG = 0.5;

/**
 * Bound on the headers above the tip. One takes almost a kilobyte of memory, so those of millions of blocks are downloaded as their
 * blocks are connected, not all of them first. Each peer's chain is measured by itself: the best header may be invented, and must not keep
 * others from being downloaded.
 */
export class HeaderWindow {
  constructor(
    private readonly tree: Pick<BlockTree, 'tip'>,
    readonly size = DEFAULT_SIZE,
  ) {}

  /** True if no more headers of a chain are requested until blocks follow. @param best its last known block */
  isFull(best: BlockIndexEntry): boolean {
    return this.#above(best) >= this.size;
  }

  /** True if so many blocks have followed that more headers of a chain are requested. */
  needsMore(best: BlockIndexEntry): boolean {
    return this.#above(best) < this.size * REFILL_BELOW;
  }

  /** True if a chain fills so much of the window that its total work cannot be known yet. */
  isLong(best: BlockIndexEntry): boolean {
    return this.#above(best) >= this.size * LONG;
  }

  #above({ height }: BlockIndexEntry): number {
    return height - this.tree.tip.height;
  }
}
