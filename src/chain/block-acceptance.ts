import { type BlockRoots, type CheckedBlock, checkBlock, checkBlockContext, checkCommitments } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import { workOf } from '../consensus/pos/target.js';
import type { Block } from '../primitives/block.js';
import { type BlockHeader, blockHash } from '../primitives/header.js';
import { equalBytes } from '../util/bytes.js';
import type { Emitter } from '../util/events.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockPosition } from './block-store.js';
import type { BlockTree } from './block-tree.js';
import type { Candidates } from './candidates.js';
import type { ChainDatabase } from './database.js';
import { type ChainEvents, timed } from './events.js';
import type { HeaderAcceptance } from './headers.js';
import { markInvalid } from './invalid.js';
import type { ChainQueries } from './reader.js';
import type { CheckedBlocks } from './stored-blocks.js';
import type { UnlinkedBlocks } from './unlinked-blocks.js';

/** Maximum height above the tip of an unrequested block. */
const MAX_AHEAD = 288;

/** Result of accepting a block; see {@link BlockReceipt}. */
export interface Accepted {
  readonly status: 'stored' | 'filled' | 'known' | 'ignored';
  readonly entry: BlockIndexEntry;
}

export interface AcceptRequest {
  /** False for a block of a peer that was not asked for it. */
  readonly requested?: boolean;
  /** Id of the peer that sent the block; undefined for the operator and for stored blocks. */
  readonly from?: number | undefined;
  /** Position of a block that is stored already. */
  readonly stored?: BlockPosition;
  /** True to accept a block above an invalid one, as such. */
  readonly invalidToo?: boolean;
  /** Roots of the block, if they are known. */
  readonly roots?: BlockRoots | undefined;
}

export interface BlockAcceptanceParts {
  readonly chain: Pick<ChainQueries, 'params' | 'tip' | 'entry' | 'entryAt'>;
  readonly tree: BlockTree;
  readonly db: ChainDatabase;
  readonly headers: Pick<HeaderAcceptance, 'accept'>;
  readonly candidates: Pick<Candidates, 'consider'>;
  readonly unlinked: Pick<UnlinkedBlocks, 'link'>;
  readonly checkedBlocks: Pick<CheckedBlocks, 'note'>;
  readonly events: Emitter<ChainEvents>;
}

/** Checks new blocks as far as the state is not needed, and stores them. Connecting them is left to the activation. */
export class BlockAcceptance {
  readonly #parts: BlockAcceptanceParts;

  constructor(parts: BlockAcceptanceParts) {
    this.#parts = parts;
  }

  /** @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.1, or {DiskFull} */
  accept(block: Block, raw: Uint8Array, request: AcceptRequest = {}): Accepted {
    const { requested = true, stored, from, roots, invalidToo = false } = request;
    const { chain, db, headers, candidates, events } = this.#parts;
    const parent = chain.entry(block.header.prevHash);
    if (!parent) throw new BlockInvalid('prev-blk-not-found', 'missing-parent');
    const connected = parent.isActive ? chain.entryAt(parent.height + 1) : undefined;
    if (connected && !connected.hasData && equalBytes(connected.hash, block.hash)) return this.#fill(connected, block, raw, stored);
    const checked = timed(events, 'check', () => checkBlock(block, parent.height + 1, chain.params, roots));
    // Before the header is accepted: peers would not announce the block again, so a header without its block would remain.
    if (!stored) db.requireRoom(raw.length);
    const entry = headers.accept(block.header, block.hash, { owner: from, bounded: !requested, invalidToo });
    if (entry.hasData) return { status: 'known', entry };
    if (!requested && !this.#isWorthStoring(entry)) return { status: 'ignored', entry };
    this.#checkContext(checked, entry, parent, roots);
    entry.position = stored ?? db.appendBlock(raw);
    entry.nTx = block.transactions.length;
    entry.lacksWitness = entry.height < chain.params.buried.segwit;
    db.cacheBlock(block, entry);
    this.#parts.checkedBlocks.note(checked);
    for (const at of this.#parts.unlinked.link(entry)) {
      db.saveEntry(at);
      candidates.consider(at);
    }
    if (!stored && parent === chain.tip) events.emit('arrived', entry);
    return { status: 'stored', entry };
  }

  /**
   * Stores a block of the active chain whose bytes are missing, as those below a snapshot are. Only its commitments are checked: the block was
   * connected before, or is validated on a state of its own.
   * @throws {BlockInvalid} of kind `mutated`, or {DiskFull}
   */
  #fill(entry: BlockIndexEntry, block: Block, raw: Uint8Array, stored: BlockPosition | undefined): Accepted {
    const { chain, db, events } = this.#parts;
    checkCommitments(block, entry.height, chain.params);
    if (!stored) db.requireRoom(raw.length);
    entry.position = stored ?? db.appendBlock(raw);
    entry.lacksWitness = entry.height < chain.params.buried.segwit;
    db.saveEntry(entry, block.header);
    events.emit('filled', entry);
    return { status: 'filled', entry };
  }

  /** True if an unrequested block of a known parent is worth storing. */
  isWanted(header: BlockHeader): boolean {
    const { chain } = this.#parts;
    const parent = chain.entry(header.prevHash);
    if (!parent) return false;
    const expected = { nTx: 0, height: parent.height + 1, chainWork: parent.chainWork + workOf(header.bits) };
    return this.#isWorthStoring(chain.entry(blockHash(header)) ?? expected);
  }

  /**
   * Accepts only the header of an unrequested block that is not worth storing. The block is not decoded, which takes a second for the
   * largest ones.
   * @returns undefined if the block is worth storing
   * @throws {BlockInvalid}
   */
  acceptUnrequested(header: BlockHeader, from: number | undefined): (Accepted & { readonly status: 'known' | 'ignored' }) | undefined {
    const { chain, headers } = this.#parts;
    if (!chain.entry(header.prevHash)) throw new BlockInvalid('prev-blk-not-found', 'missing-parent');
    if (this.isWanted(header)) return undefined;
    const entry = headers.accept(header, blockHash(header), { owner: from });
    return { status: entry.hasData ? 'known' : 'ignored', entry };
  }

  /** True if an unrequested block may become the tip soon. Any other one would only fill the disk. */
  #isWorthStoring(entry: Pick<BlockIndexEntry, 'nTx' | 'chainWork' | 'height'>): boolean {
    const { params, tip } = this.#parts.chain;
    return (
      entry.nTx === 0 &&
      entry.chainWork >= tip.chainWork &&
      entry.height <= tip.height + MAX_AHEAD &&
      entry.chainWork >= params.minimumChainWork
    );
  }

  #checkContext(block: CheckedBlock, entry: BlockIndexEntry, parent: BlockIndexEntry, roots: BlockRoots | undefined): void {
    const { chain, tree, db } = this.#parts;
    try {
      checkBlockContext(block, parent, chain.params, roots);
    } catch (error) {
      if (error instanceof BlockInvalid && error.kind !== 'mutated') markInvalid(tree, db, entry);
      throw error;
    }
  }
}
