import { BlockInvalid } from '../consensus/errors.js';
import type { Checkpoint } from '../params/checkpoints.js';
import type { Block } from '../primitives/block.js';
import { ByteReader } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { type BlockHeader, blockHash, blockHeader } from '../primitives/header.js';
import type { Overlay } from '../storage/overlay.js';
import { equalBytes } from '../util/bytes.js';
import { Emitter } from '../util/events.js';
import { finish, inSlices, type MaybePromise, NOT_ABORTED, type Steps } from '../util/slicer.js';
import { type Activated, timeLimit } from './activation.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockPosition } from './block-store.js';
import { testBlockValidity } from './block-validity.js';
import { type ChainParts, composeChain } from './chain-parts.js';
import { ChainDatabase } from './database.js';
import type { BlockReceipt, ChainDeps, ChainEvents, ChainOptions, SubmitResult } from './events.js';
import type { ExternalBlocks } from './external-blocks.js';
import { type ChainFault, InternalFault } from './faults.js';
import { createGenesis } from './genesis.js';
import type { HeaderHolders } from './header-drops.js';
import type { HeaderWindow } from './header-window.js';
import type { History } from './history.js';
import type { Interruption } from './interruption.js';
import { clearInvalid, markInvalid } from './invalid.js';
import type { PruneOptions } from './pruning.js';
import { ChainReader } from './reader.js';
import { BlockReader, checkStoredBlocks, type DecodedBlock, decodeInSlices, readBlock } from './stored-blocks.js';
import { verifyChain } from './verify.js';
import { dropBlocksLackingWitness } from './witness-upgrade.js';

export type { ChainEvent, ChainEvents } from './events.js';

/** Time for which blocks of peers are connected in one turn; the end of a large block adds to it. */
const ADVANCE_MS = 6;
/** A block of a peer with no more transactions is connected in the turn in which it is decoded. */
const SMALL_BLOCK = 100;

/**
 * The one writer of the chain's state, and the queries about it. Each method but `recover`, `verify` and `submitBlockInSlices` runs in one
 * turn of the event loop, so code that runs between turns sees one tip and its state.
 */
export class Chain extends ChainReader {
  /** Options of `-prune`; undefined if all blocks are kept. */
  readonly pruning: PruneOptions | undefined;
  readonly #parts: ChainParts;
  #preciousSequence = -1;

  /** Opens the chain in a store, or creates it with the genesis block, and connects the stored blocks. */
  constructor(options: ChainOptions, deps: ChainDeps) {
    const { params } = options;
    const db = new ChainDatabase(params, deps.store, deps.blocks, options.recentBlocks);
    const tree = db.loadTree() ?? createGenesis(params, db);
    const events = new Emitter<ChainEvents>();
    const blocks = new BlockReader(db.storedBlocks, deps.log, (text) => events.emit('damaged', text));
    super(params, { tree, db, blocks, clock: deps.clock });
    if (!equalBytes(this.genesis.hash, params.genesis.hash)) throw new Error('the database belongs to another network');
    checkStoredBlocks(db, options.prune !== undefined || options.mayLackHistory === true);
    this.pruning = options.prune;
    this.#parts = composeChain(this, { tree, db, blocks, events }, options, deps);
    this.#start();
  }

  #start(): void {
    const { tree, candidates, unlinked } = this.#parts;
    dropBlocksLackingWitness(this.#parts, this.params);
    this.#keepReplacedState();
    candidates.reset();
    for (const entry of tree.all()) if (entry.hasData && entry.chainTx === 0) unlinked.waitForParent(entry);
    try {
      this.#activate();
    } catch (error) {
      // An internal fault halts block processing, but the connected blocks can still be queried.
      if (!(error instanceof InternalFault)) throw error;
    }
  }

  /** Undo records of blocks up to the height at which state was replaced are about the state before. */
  #keepReplacedState(): void {
    const height = this.#parts.db.mark('replaced');
    const last = height === undefined ? undefined : this.entryAt(height);
    if (last) this.addCheckpoint(last);
  }

  /** Subscribes to an event. @returns a function that ends the subscription */
  on<Name extends keyof ChainEvents>(name: Name, listener: (event: ChainEvents[Name]) => void): () => void {
    return this.#parts.events.on(name, listener);
  }

  /** Moves the tip to the best candidate. */
  #activate(isTimeUp?: () => boolean): Activated {
    const { guard, activator } = this.#parts;
    return guard.change(() => activator.activate(isTimeUp));
  }

  /**
   * Accepts a block of the operator or the minter: checks it, stores it, and makes it the tip if it has the most work.
   * @throws {DecodeError} if the bytes are no block
   */
  submitBlock(bytes: Uint8Array): SubmitResult {
    return finish(this.#parts.submission.submit(bytes, { turnMs: Number.POSITIVE_INFINITY }));
  }

  /**
   * {@link submitBlock} for blocks of any size: a large one is decoded and connected in slices, and synced on another thread meanwhile. The
   * work cannot be aborted, because a stored block would then wait for the next one.
   */
  async submitBlockInSlices(bytes: Uint8Array): Promise<SubmitResult> {
    const result = await inSlices(this.#parts.submission.submit(bytes, { turnMs: ADVANCE_MS, isPersistedLater: true }), NOT_ABORTED);
    await this.persist();
    return result;
  }

  /**
   * Accepts a block that the minter made for the tip. It is connected before it is stored, so that an invalid one leaves no trace.
   * @param isPersistedLater true if the caller calls `persist` before it reports the block
   */
  submitMinted(block: Block, { isPersistedLater = false } = {}): SubmitResult {
    return this.#parts.submission.submitMinted(block, isPersistedLater);
  }

  /** Waits until submitted and minted blocks survive a power failure. @throws {Error} of the system if they cannot be synced */
  persist(): Promise<void> {
    return this.#parts.flusher.persist();
  }

  /**
   * Decodes a large block of a peer in slices, before `processBlock`.
   * @returns undefined if its header is sufficient, because it was not requested and is not worth storing
   * @throws {DecodeError} if the bytes are no block
   */
  *decodeBlock(bytes: Uint8Array, requested: boolean): Steps<DecodedBlock | undefined> {
    if (!requested && !this.#parts.acceptance.isWanted(blockHeader.read(new ByteReader(bytes)))) return undefined;
    // The header of a requested block was checked before.
    return yield* decodeInSlices(bytes, this, requested ? (header) => this.#parts.connector.verifyEarly(header) : undefined);
  }

  /**
   * Accepts a block of a peer: checks and stores it. A small one is connected, or as many as are possible in a short time; `advance` connects
   * the remaining ones.
   * @param requested false for a block that was not requested; it is ignored unless it may become the tip soon
   * @param from id of the peer that sent it
   * @param decoded the block, if `decodeBlock` has decoded it
   * @throws {DecodeError} if the bytes are no block
   * @see docs/protocol/chain.md 4
   */
  processBlock(
    bytes: Uint8Array,
    { requested, from }: { readonly requested: boolean; readonly from?: number },
    decoded?: DecodedBlock,
  ): BlockReceipt {
    const { guard, acceptance, connector, events, flusher } = this.#parts;
    const header = blockHeader.read(new ByteReader(bytes));
    try {
      return guard.change(() => {
        const ignored = requested ? undefined : acceptance.acceptUnrequested(header, from);
        if (ignored) return ignored;
        const { block, raw, roots } = decoded ?? readBlock(bytes, this.params);
        const { status, entry } = acceptance.accept(block, raw, { requested, from, roots });
        if (status === 'filled') {
          // Nothing is connected, so the change waits for the next write, unless there are many.
          flusher.noteHeaders(1);
          return { status, entry };
        }
        // The decoding of a large block has used up this turn.
        const pending = block.transactions.length > SMALL_BLOCK || this.advance();
        return status === 'stored' ? { status, entry, pending } : { status, entry };
      });
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      connector.dropEarly();
      events.emit('checked', { hash: blockHash(header), error });
      return { status: 'invalid', error };
    }
  }

  /** Connects stored blocks for a short time. @returns true if some remain */
  advance(): boolean {
    const { flusher } = this.#parts;
    const { pending } = flusher.postponing(() => this.#activate(timeLimit(ADVANCE_MS)));
    flusher.flushLater();
    return pending;
  }

  /** True while the block index is rebuilt from the block files, also after an interruption. */
  get isRebuilding(): boolean {
    return this.#parts.recovery.isRebuilding;
  }

  /**
   * Imports the stored blocks that the block index does not know, in slices.
   * @param invalid blocks that are marked invalid when they are imported
   * @returns the number of imported blocks
   */
  recover(signal?: AbortSignal, invalid: readonly Hash256[] = []): Promise<number> {
    return this.#parts.recovery.run(signal, invalid);
  }

  /** Imports blocks of other files that this chain lacks, in slices. @returns the number of imported blocks @throws {DiskFull} */
  importBlocks(external: ExternalBlocks, signal?: AbortSignal): Promise<number> {
    return this.#parts.recovery.importFrom(external, signal);
  }

  /** Connects the next block, which is stored at that position. @throws {BlockInvalid} if it breaks a rule */
  connectStored(position: BlockPosition): void {
    this.#parts.recovery.connectAt(position);
  }

  /** Blocks that are missing because the database began with a snapshot. */
  get history(): History {
    return this.#parts.history;
  }

  /** True if this node does not promise old blocks to peers and callers: they are pruned, or missing below a snapshot. */
  get isPruned(): boolean {
    return this.pruning !== undefined || !this.history.isComplete;
  }

  /**
   * Accepts a header into the tree.
   * @param from id of the peer that sent it; undefined for the operator
   * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.1, or if the peer has too many headers without blocks
   */
  acceptHeader(header: BlockHeader, from?: number): BlockIndexEntry {
    const { headers, flusher } = this.#parts;
    const entry = headers.accept(header, blockHash(header), { owner: from });
    flusher.noteHeaders(headers.storeCheckpointed());
    return entry;
  }

  /**
   * Drops the headers without blocks of a disconnected peer, except those that other peers have too; in slices if there are many.
   * @param signal ends the work
   */
  dropHeadersOf(peer: number, holders: HeaderHolders, signal?: AbortSignal): MaybePromise<void> {
    return this.#parts.headers.drops.dropOf(peer, holders, signal ?? NOT_ABORTED);
  }

  /** Drops headers whose blocks are no longer wanted, in slices too. The caller calls this periodically. */
  sweepHeaders(holders: HeaderHolders, signal?: AbortSignal): MaybePromise<void> {
    return this.#parts.headers.drops.sweep(holders, signal ?? NOT_ABORTED);
  }

  /** True while headers are being dropped, so that their number is about to fall. */
  get isDroppingHeaders(): boolean {
    return this.#parts.headers.drops.isBusy;
  }

  /** True if no header of a peer is accepted until some are dropped. */
  get isFullOfHeaders(): boolean {
    return this.#parts.headers.isFull;
  }

  /** Bound on the headers above the tip. */
  get headerWindow(): HeaderWindow {
    return this.#parts.headerWindow;
  }

  /** Number of headers without blocks that a peer sent. */
  headersOf(peer: number): number {
    return this.#parts.db.blockless.countOf(peer);
  }

  /** Height of the best block that is stored with all its ancestors. */
  get heldHeight(): number {
    return this.#parts.candidates.best().height;
  }

  /** Adds a checkpoint until the end of the process. It has no effect before its block is known. */
  addCheckpoint(checkpoint: Checkpoint): void {
    this.#parts.headers.addCheckpoint(checkpoint);
  }

  /**
   * Treats a block and all above it as invalid.
   * @returns the rule that the last block breaks which was tried in its place, if none was connected after that
   * @throws {BlockInvalid} with an empty reason at or below the last checkpoint
   * @throws the storage error if changes cannot be written; some blocks may then be disconnected, and the block is not marked
   */
  invalidate(entry: BlockIndexEntry): BlockInvalid | undefined {
    const { tree, db, headers, candidates, activator, guard, flusher, events } = this.#parts;
    if (entry.height <= Math.max(headers.lastCheckpoint(), 0))
      throw new BlockInvalid('', 'checkpoint', 'Cannot invalidate checkpointed block');
    for (let depth = 1; this.isActive(entry); depth++) {
      // One change each, because none is made after a write that failed.
      guard.change(() => {
        activator.disconnectTo(this.tip.parent as BlockIndexEntry);
        events.emit('invalidated', { depth });
        // The changes of thousands of blocks would not fit into memory.
        if (flusher.isLong) flusher.flush();
      });
    }
    const { refusal } = guard.change(() => {
      markInvalid(tree, db, entry);
      candidates.reset();
      return activator.activate();
    });
    flusher.flush();
    return refusal;
  }

  /** Point at which block processing is interrupted. A change of it has an effect on blocks that are connected later. */
  get interruption(): Pick<Interruption, 'height'> {
    return this.#parts.interruption;
  }

  /**
   * Clears the invalid mark of a block, its ancestors and its descendants, and resumes block processing after an internal fault.
   * @returns the rule that the last block breaks which was tried, if none was connected after that
   */
  reconsider(entry: BlockIndexEntry): BlockInvalid | undefined {
    const { tree, db, candidates, guard, flusher } = this.#parts;
    guard.resume();
    clearInvalid(tree, db, entry);
    candidates.reset();
    const { refusal } = this.#activate();
    flusher.flush();
    return refusal;
  }

  /** Prefers a block to others with the same work, as if it had been received first. */
  precious(entry: BlockIndexEntry): void {
    if (entry.chainWork < this.tip.chainWork) return;
    entry.sequence = this.#preciousSequence--;
    this.#parts.candidates.consider(entry);
    this.#activate();
  }

  /**
   * Commits changes of the state that no block makes, and writes them. Disconnecting the tip reverts them too.
   * @param changes overlay on {@link state}, to which nothing was committed since
   */
  amendTip(changes: Overlay): void {
    const { guard, connector, flusher } = this.#parts;
    guard.change(() => connector.amendTip(changes));
    flusher.flush();
  }

  /** Tests an unsigned block on the tip without a change of the state. @returns the violation; undefined for a valid block */
  testBlock(block: Block): BlockInvalid | undefined {
    return testBlockValidity(block, { chain: this, ...this.#parts });
  }

  /**
   * Checks the last `count` blocks again (0: all) in slices, as thoroughly as `level` demands.
   * @see docs/protocol/rpc-chain.md 3.1.22
   */
  async verify(level: number, count: number, signal?: AbortSignal): Promise<boolean> {
    const { connector, db, log } = this.#parts;
    const snapshot = this.snapshot();
    try {
      const contextOf = (parent: BlockIndexEntry) => connector.contextAbove(parent);
      return await verifyChain(this, { level, count, tip: this.tip, snapshot, log, contextOf, undoFrom: db.mark('pruned') }, signal);
    } finally {
      snapshot.close();
    }
  }

  /** Deletes block files all of whose blocks are at or below `height`, but never the last 288 blocks. */
  pruneTo(height: number, onShare?: (share: number) => void): MaybePromise<void> {
    return this.#parts.pruner?.pruneTo(height, onShare);
  }

  /** Reason why block processing is halted; undefined while it is not. */
  get fault(): ChainFault | undefined {
    return this.#parts.guard.fault;
  }

  /** True once the height of `-stopatheight` is reached: no more blocks are connected. */
  get isStopped(): boolean {
    return this.#parts.activator.isStopped;
  }

  /** True if only a restart, a rebuild or the operator can resume block processing. */
  get isHalted(): boolean {
    return this.#parts.guard.isHalted;
  }

  /** Tries again to write pending changes after a storage fault. @returns true if blocks are processed */
  retry(): boolean {
    return this.#parts.guard.retry();
  }

  /** True if the disk has room for the next block, whether or not pending changes are written. */
  get hasRoom(): boolean {
    return this.#parts.guard.hasRoom;
  }

  /** Writes pending changes. */
  close(): void {
    this.#parts.pruner?.close();
    this.#parts.flusher.flush();
  }
}
