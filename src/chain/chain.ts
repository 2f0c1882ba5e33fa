import { type CheckedBlock, checkBlock, checkBlockContext } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import { workOf } from '../consensus/pos/target.js';
import type { Block } from '../primitives/block.js';
import { ByteReader, DecodeError } from '../primitives/codec.js';
import { type BlockHeader, blockHash, blockHeader } from '../primitives/header.js';
import { toHex } from '../util/bytes.js';
import { ActiveChain } from './active-chain.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockPosition } from './block-store.js';
import { readBlock } from './database.js';
import type { BlockReceipt, SubmitResult } from './events.js';
import { InternalFault } from './faults.js';
import type { HeaderHolder } from './headers.js';
import { markInvalid } from './invalid.js';
import { recoverBlocks, type StoredBlock } from './recovery.js';
import { lastKnownPosition } from './stored-blocks.js';

export type { ChainEvent, ChainEvents } from './events.js';

/** Longest that blocks of peers are connected in one turn, unless one of them alone takes longer. */
const ADVANCE_MS = 20;
/** Blocks above the tip that a block nobody asked for may be. */
const MAX_AHEAD = 288;
/** Time between two lines of the log about blocks that are taken in again. */
const PROGRESS_MS = 5_000;

/**
 * The one writer of the chain's state. Every method runs in one turn of the event loop, so whoever reads between turns sees one
 * tip and its state.
 */
export class Chain extends ActiveChain {
  /**
   * Takes a block: checks it, stores it, and makes it the tip if it has the most work.
   * @throws {DecodeError} if the bytes are no block
   */
  submitBlock(bytes: Uint8Array): SubmitResult {
    const { block, raw } = readBlock(bytes, this.params);
    const known = this.entry(block.hash);
    if (known?.failed) return { status: 'duplicate-invalid' };
    if (known?.valid) return { status: 'duplicate' };
    const key = toHex(block.hash);
    this.verdicts.clear();
    try {
      const receipt = this.guard.change(() => {
        const taken = this.#accept(block, raw);
        this.activate();
        return taken;
      });
      if (receipt.status === 'known') return { status: 'duplicate' };
    } catch (error) {
      if (error instanceof BlockInvalid) return { status: 'rejected', reason: error.reason };
      throw error;
    }
    if (!this.verdicts.has(key)) return { status: 'inconclusive' };
    const verdict = this.verdicts.get(key);
    return verdict ? { status: 'rejected', reason: verdict.reason } : { status: 'accepted' };
  }

  /**
   * Takes a block of a peer: checks and stores it, and connects what can be connected for a moment. If that was not all, `advance`
   * goes on with it.
   * @param requested it was asked for; any other is ignored unless it could become the tip soon
   * @param from id of the peer that sent it
   * @throws {DecodeError} if the bytes are no block
   * @see docs/protocol/chain.md 4
   */
  processBlock(bytes: Uint8Array, { requested, from }: { readonly requested: boolean; readonly from?: number }): BlockReceipt {
    const header = blockHeader.read(new ByteReader(bytes));
    this.verdicts.clear();
    try {
      return this.guard.change(() => {
        const unwanted = requested ? undefined : this.#acceptUnwanted(header, from);
        if (unwanted) return unwanted;
        const { block, raw } = readBlock(bytes, this.params);
        const accepted = this.#accept(block, raw, { requested, from });
        const pending = this.advance();
        return accepted.status === 'stored' ? { ...accepted, pending } : { status: accepted.status, entry: accepted.entry };
      });
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      this.events.emit('checked', { hash: blockHash(header), error });
      return { status: 'invalid', error };
    }
  }

  /**
   * Accepts only the header of a block that nobody asked for and that is not worth having. The block itself is not even decoded, which
   * takes a second for the largest.
   * @returns undefined if the block is worth having
   * @throws {BlockInvalid}
   */
  #acceptUnwanted(header: BlockHeader, from: number | undefined): BlockReceipt | undefined {
    const parent = this.entry(header.prevHash);
    if (!parent) throw new BlockInvalid('prev-blk-not-found', 'missing-parent');
    const hash = blockHash(header);
    const place = { nTx: 0, height: parent.height + 1, chainWork: parent.chainWork + workOf(header.bits) };
    if (this.#isWorthHaving(this.entry(hash) ?? place)) return undefined;
    const entry = this.headers.accept(header, hash, { owner: from });
    return { status: entry.hasData ? 'known' : 'ignored', entry };
  }

  /** Connects stored blocks for a moment. @returns true if there are more */
  advance(): boolean {
    const end = performance.now() + ADVANCE_MS;
    return this.guard.change(() => this.activate(() => performance.now() >= end));
  }

  /** The index of the stored blocks is being made anew, and a kill cut that off or it has not begun. */
  get isRebuilding(): boolean {
    return this.db.isUnderWay('rebuild');
  }

  /**
   * Takes in the stored blocks that the block index does not know: those whose entries a kill lost, or all when the index was
   * dropped to be made anew. Runs in slices; when it is cut off, the next one goes on.
   * @returns how many there were
   */
  async recover(signal?: AbortSignal): Promise<number> {
    const last = this.isRebuilding ? undefined : lastKnownPosition(this.tree);
    let nextReport = performance.now() + PROGRESS_MS;
    const onProgress = (blocks: number) => {
      if (performance.now() < nextReport) return;
      nextReport = performance.now() + PROGRESS_MS;
      this.log.info('taking in stored blocks', { blocks, height: this.tip.height, headers: this.bestHeader.height });
    };
    this.recovering = true;
    try {
      const taken = await recoverBlocks(this.db.blocksAfter(last), (position) => this.#takeStored(position), { onProgress, signal });
      this.db.setUnderWay('rebuild', false);
      return taken;
    } catch (error) {
      // The node serves what is connected; the next start goes on with the rest.
      if (error instanceof InternalFault) return 0;
      throw error;
    } finally {
      this.recovering = false;
      this.flush();
    }
  }

  /** @returns the hash of the parent that it waits for, or its own hash once it is taken; undefined if it is no valid block */
  #takeStored(position: BlockPosition): StoredBlock | undefined {
    try {
      const { block, raw } = readBlock(this.db.readAt(position), this.params);
      const known = this.entry(block.hash);
      if (known?.hasData) return { hash: block.hash, waitsFor: undefined, known: true };
      if (!this.entry(block.header.prevHash)) return { hash: block.hash, waitsFor: block.header.prevHash, known: false };
      this.guard.change(() => {
        this.#accept(block, raw, { stored: position });
        this.activate();
      });
      return { hash: block.hash, waitsFor: undefined, known: false };
    } catch (error) {
      if (error instanceof BlockInvalid) return undefined;
      if (!(error instanceof DecodeError)) throw error;
      this.log.warn('a stored block cannot be read, and is left out', { ...position, error: error.message });
      return undefined;
    }
  }

  /** Takes a block into the store. @throws {BlockInvalid} */
  #accept(block: Block, raw: Uint8Array, { requested = true, stored, from }: AcceptRequest = {}): Accepted {
    const parent = this.entry(block.header.prevHash);
    if (!parent) throw new BlockInvalid('prev-blk-not-found', 'missing-parent');
    const checked = this.timed('check', () => checkBlock(block, parent.height + 1, this.params));
    // Before the header is known too: a block that is not there would be missed for ever by a node that nobody tells of it again.
    if (!stored) this.db.requireRoom(raw.length);
    const entry = this.headers.accept(block.header, block.hash, { owner: from, bounded: !requested });
    if (entry.hasData) return { status: 'known', entry };
    if (!requested && !this.#isWorthHaving(entry)) return { status: 'ignored', entry };
    this.#checkContext(checked, entry, parent);
    entry.position = stored ?? this.db.appendBlock(raw);
    entry.nTx = block.transactions.length;
    entry.lacksWitness = entry.height < this.params.buried.segwit;
    this.db.remember(block, entry);
    this.checkedBlocks.note(checked);
    this.pruner?.note(entry);
    for (const at of this.unlinked.link(entry)) {
      this.db.saveEntry(at);
      this.candidates.consider(at);
    }
    if (!stored && parent === this.tip) this.events.emit('arrived', entry);
    return { status: 'stored', entry };
  }

  /** Whether a block that nobody asked for is taken: not if storing it would only fill the disk. */
  #isWorthHaving(entry: Pick<BlockIndexEntry, 'nTx' | 'chainWork' | 'height'>): boolean {
    const { chainWork, height } = this.tip;
    return (
      entry.nTx === 0 &&
      entry.chainWork >= chainWork &&
      entry.height <= height + MAX_AHEAD &&
      entry.chainWork >= this.params.minimumChainWork
    );
  }

  #checkContext(block: CheckedBlock, entry: BlockIndexEntry, parent: BlockIndexEntry): void {
    try {
      checkBlockContext(block, parent, this.params);
    } catch (error) {
      if (error instanceof BlockInvalid && error.kind !== 'mutated') markInvalid(this.tree, this.db, entry);
      throw error;
    }
  }

  /**
   * Accepts a header into the tree.
   * @param from id of the peer that sent it; undefined for the operator
   * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.1, or when the peer has too many headers here without their blocks
   */
  acceptHeader(header: BlockHeader, from?: number): BlockIndexEntry {
    const entry = this.headers.accept(header, blockHash(header), { owner: from });
    this.pace.noteHeaders(this.headers.storeCheckpointed());
    if (this.pace.isDueForHeaders) this.flush();
    return entry;
  }

  /** Drops the headers without blocks of a peer that has left, except those that other peers have too. */
  dropHeadersOf(peer: number, holders: Iterable<HeaderHolder>): void {
    this.headers.dropOf(peer, holders);
  }

  /** Drops headers whose blocks are not wanted any more; to be called now and then. */
  sweepHeaders(holders: Iterable<HeaderHolder>): void {
    this.headers.sweep(holders);
  }

  /** No header of a peer is accepted until some are dropped. */
  get isFullOfHeaders(): boolean {
    return this.headers.isFull;
  }

  /** Headers here that a peer sent and whose blocks are missing. */
  headersOf(peer: number): number {
    return this.db.blockless.countOf(peer);
  }

  /** Height of the best block that is stored with all blocks below it. */
  get heldHeight(): number {
    return this.candidates.best().height;
  }
}

interface Accepted {
  readonly status: 'stored' | 'known' | 'ignored';
  readonly entry: BlockIndexEntry;
}

interface AcceptRequest {
  readonly requested?: boolean;
  readonly from?: number | undefined;
  /** Where it is stored already. */
  readonly stored?: BlockPosition;
}
