import { BlockInvalid } from '../consensus/errors.js';
import { checkHeader, checkHeaderSignature } from '../consensus/header.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import type { Checkpoint } from '../params/checkpoints.js';
import type { NetworkParams } from '../params/network.js';
import { decode, encode } from '../primitives/codec.js';
import { type Hash256, isNullHash } from '../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../primitives/header.js';
import type { Clock } from '../util/clock.js';
import { isCheckpointed } from './assume-valid.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';
import type { HeaderOwner } from './blockless-headers.js';
import type { ChainDatabase } from './database.js';
import { HeaderDrops } from './header-drops.js';
import type { Interruption } from './interruption.js';

/** Headers below a checkpoint that are stored with each new header, so that a new checkpoint does not block the event loop. */
const STORED_AT_ONCE = 16;

export interface AcceptHeaderRequest {
  /** Peer that sent the header; undefined for the operator. */
  readonly owner?: HeaderOwner;
  /** False to ignore the owner's bound on headers without blocks. */
  readonly bounded?: boolean;
  /** True to accept a header that is marked invalid, or above an invalid block. */
  readonly invalidToo?: boolean;
}

/** Accepts headers into the tree. */
export class HeaderAcceptance {
  /** Ascending by height. */
  #checkpoints: readonly Checkpoint[];
  /** Next header up to a checkpoint to be stored without its block, from the top down; undefined if there is none. */
  #checkpointed: BlockIndexEntry | undefined;
  readonly drops: HeaderDrops;

  constructor(
    private readonly params: NetworkParams,
    private readonly tree: BlockTree,
    private readonly db: Pick<ChainDatabase, 'header' | 'saveEntry' | 'view' | 'blockless'>,
    private readonly clock: Clock,
    private readonly interruption: Pick<Interruption, 'hasStopped'>,
    private readonly maxAhead: number,
  ) {
    this.#checkpoints = params.checkpoints;
    this.drops = new HeaderDrops(tree, db.blockless, (entry) => this.#checkpointed?.ancestor(entry.height) === entry);
  }

  /**
   * Accepts a header into the tree.
   * @returns the entry, new or known
   * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.1
   */
  accept(header: BlockHeader, hash: Hash256, request: AcceptHeaderRequest = {}): BlockIndexEntry {
    const { owner, bounded = true, invalidToo = false } = request;
    const known = this.tree.get(hash);
    if (known?.failed && !invalidToo)
      throw new BlockInvalid('duplicate', this.interruption.hasStopped(known) ? 'interrupted' : 'cached', 'block is marked invalid');
    if (known) return known;
    const parent = isNullHash(header.prevHash) ? undefined : this.tree.get(header.prevHash);
    const opensFork = parent !== undefined && (!this.db.blockless.has(parent) || this.tree.children(parent).length > 0);
    // Before the signature check, which is the expensive part.
    if (bounded && owner !== undefined && parent && !parent.failed) this.#requireRoom(owner, opensFork);
    checkHeaderSignature(header, this.params);
    if (!parent) throw new BlockInvalid('prev-blk-not-found', 'missing-parent');
    if (parent.failed && !invalidToo)
      throw new BlockInvalid('bad-prevblk', this.interruption.hasStopped(parent) ? 'interrupted' : 'invalid-parent');
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
    this.db.blockless.add(entry, ownCopy(header), { owner, opensFork });
    if (isCheckpointed(hash, this.params)) this.#checkpointed = entry;
    return entry;
  }

  #requireRoom(owner: number, opensFork: boolean): void {
    const refusal = this.db.blockless.refusal(owner, { missing: this.#missing(), opensFork });
    if (refusal === 'owner') throw new BlockInvalid('too-many-headers', 'too-many-headers', 'too many headers without blocks');
    if (refusal === 'total')
      throw new BlockInvalid('too-many-headers', 'too-many-headers-total', 'too many headers without blocks of all peers');
  }

  /**
   * Generous estimate of the blocks minted since the tip: twice as many as the target spacing suggests, at most those whose headers are
   * requested.
   */
  #missing(): number {
    const age = Math.max(this.clock.seconds() - this.tree.tip.time, 0);
    return Math.min(Math.ceil((2 * age) / this.params.pos.targetSpacing), this.maxAhead);
  }

  /** True if no header of a peer is accepted until some are dropped. */
  get isFull(): boolean {
    return this.db.blockless.isFull(this.#missing());
  }

  /**
   * Stores a few headers below a checkpoint without waiting for their blocks. A peer cannot have forged them, and downloading all of them
   * again after a restart would take long.
   * @returns number of stored headers
   */
  storeCheckpointed(): number {
    let stored = 0;
    while (this.#checkpointed && stored < STORED_AT_ONCE) {
      const at: BlockIndexEntry = this.#checkpointed;
      if (this.db.blockless.has(at)) {
        this.db.saveEntry(at, undefined, { blockless: true });
        stored += 1;
        this.#checkpointed = at.parent;
      } else this.#checkpointed = undefined;
    }
    return stored;
  }

  /** Height of the highest checkpoint whose block is known; -1 if there is none. */
  lastCheckpoint(): number {
    return this.#checkpoints.findLast((checkpoint) => this.tree.has(checkpoint))?.height ?? -1;
  }

  /**
   * True if a header's time must exceed that of its parent: a setting in the state at the tip, for headers at any height.
   * @see docs/protocol/chain.md 3.6
   */
  ascendingTimes(): boolean {
    return isFeatureOn(this.db.view, 'ascending_block_time');
  }

  /** Adds a checkpoint until the end of the process. No effect if there is one at the same height. */
  addCheckpoint(checkpoint: Checkpoint): void {
    if (this.#checkpoints.some(({ height }) => height === checkpoint.height)) return;
    this.#checkpoints = [...this.#checkpoints, checkpoint].sort((a, b) => a.height - b.height);
  }
}

/** Copy of a header that shares no memory with the message that contained it. */
function ownCopy(header: BlockHeader): BlockHeader {
  return decode(blockHeader, encode(blockHeader, header));
}
