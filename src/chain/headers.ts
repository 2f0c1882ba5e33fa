import { BlockInvalid } from '../consensus/errors.js';
import { checkHeader, checkHeaderSignature } from '../consensus/header.js';
import { isFeatureOn } from '../dfi/state/features.js';
import type { Checkpoint } from '../params/checkpoints.js';
import type { NetworkParams } from '../params/network.js';
import { type Hash256, isNullHash } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import type { Clock } from '../util/clock.js';
import type { BlockIndexEntry, BlockTree } from './block-index.js';
import type { ChainDatabase } from './database.js';

/** Takes headers into the tree. */
export class HeaderAcceptance {
  /** By height. */
  #checkpoints: readonly Checkpoint[];

  constructor(
    private readonly params: NetworkParams,
    private readonly tree: BlockTree,
    private readonly db: Pick<ChainDatabase, 'header' | 'saveEntry' | 'view'>,
    private readonly clock: Clock,
  ) {
    this.#checkpoints = params.checkpoints;
  }

  /**
   * @returns the header's entry, new or known
   * @throws {BlockInvalid} in the order of spec: chain 4.1
   */
  accept(header: BlockHeader, hash: Hash256): BlockIndexEntry {
    const known = this.tree.get(hash);
    if (known?.failed) throw new BlockInvalid('duplicate', 'cached', 'block is marked invalid');
    if (known) return known;
    checkHeaderSignature(header, this.params);
    const parent = isNullHash(header.prevHash) ? undefined : this.tree.get(header.prevHash);
    if (!parent) throw new BlockInvalid('prev-blk-not-found', 'missing-parent');
    if (parent.failed) throw new BlockInvalid('bad-prevblk', 'invalid-parent');
    const now = this.clock.seconds();
    checkHeader(header, {
      parent,
      parentModifier: this.db.header(parent).stakeModifier,
      lastCheckpoint: this.lastCheckpoint(),
      ascendingTimes: this.ascendingTimes(),
      systemTime: now,
      adjustedTime: now,
      params: this.params,
    });
    const entry = this.tree.add(hash, header, parent);
    this.db.saveEntry(entry, header);
    return entry;
  }

  /** Height of the highest checkpoint whose block is known; -1 if there is none. */
  lastCheckpoint(): number {
    return this.#checkpoints.findLast(({ hash }) => this.tree.get(hash))?.height ?? -1;
  }

  /** As the tip's state has it, also for headers far from the tip. @see spec: chain 3.6 */
  ascendingTimes(): boolean {
    return isFeatureOn(this.db.view, 'ascending_block_time');
  }

  /** Adds a checkpoint until the end of the process; one at the same height stays as it is. */
  addCheckpoint(checkpoint: Checkpoint): void {
    if (this.#checkpoints.some(({ height }) => height === checkpoint.height)) return;
    this.#checkpoints = [...this.#checkpoints, checkpoint].sort((a, b) => a.height - b.height);
  }
}
