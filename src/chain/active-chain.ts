import { checkBlock, checkBlockContext } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import { checkHeader } from '../consensus/header.js';
import type { ScriptHelpers } from '../consensus/scripts.js';
import type { Checkpoint } from '../params/checkpoints.js';
import type { Block } from '../primitives/block.js';
import { StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { errorText } from '../util/errors.js';
import { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import { isAssumedValid } from './assume-valid.js';
import type { BlockIndexEntry } from './block-index.js';
import { Candidates } from './candidates.js';
import { type BlockContext, connectBlock, spentCoinsOf } from './connect.js';
import { ChainDatabase } from './database.js';
import type { ChainDeps, ChainEvents, ChainOptions } from './events.js';
import { atBlock, type ChainFault, FaultGuard, InternalFault } from './faults.js';
import { FlushPace } from './flush-pace.js';
import { createGenesis } from './genesis.js';
import { HeaderAcceptance } from './headers.js';
import { clearInvalid, markInvalid } from './invalid.js';
import { MIN_BLOCKS_TO_KEEP, type PruneOptions, Pruner } from './pruning.js';
import { ChainReader } from './reader.js';
import { undoLogs } from './records.js';
import { blocksLackingWitness, CheckedBlocks, checkStoredBlocks } from './stored-blocks.js';
import { UnlinkedBlocks } from './unlinked-blocks.js';
import { verifyChain } from './verify.js';

/** The active chain: moves its tip to the best of the stored blocks, and keeps what it moved over written, within bounds and undoable. */
export abstract class ActiveChain extends ChainReader {
  protected readonly candidates: Candidates;
  protected readonly headers: HeaderAcceptance;
  protected readonly log: Logger;
  readonly #scripts: ScriptHelpers;
  protected readonly events = new Emitter<ChainEvents>();
  protected readonly pace: FlushPace;
  readonly #keepsHistory: boolean;
  readonly #keepsVaultHistory: boolean;
  readonly #stopAtHeight: number;
  protected readonly pruner: Pruner | undefined;
  /** What `-prune` asks for; undefined if all blocks stay. */
  readonly pruning: PruneOptions | undefined;
  protected readonly unlinked = new UnlinkedBlocks();
  /** Verdicts of the last activation, by block hash: who handed a block in wants to know. */
  protected readonly verdicts = new Map<string, BlockInvalid | undefined>();
  protected readonly checkedBlocks: CheckedBlocks;
  protected readonly guard: FaultGuard;
  protected recovering = false;
  /** Blocks were disconnected since the last news of the tip. */
  #disconnected = false;
  #preciousSequence = -1;
  readonly #damaged = new Map<BlockIndexEntry, string>();

  /** Opens the chain of a store, or begins one with the genesis block. */
  constructor(options: ChainOptions, { store, blocks, clock, log, scripts = {} }: ChainDeps) {
    const db = new ChainDatabase(options.params, store, blocks);
    super(options.params, db, db.loadTree() ?? createGenesis(options.params, db), clock);
    this.pace = new FlushPace(clock, options.flushIntervalSec);
    this.#keepsHistory = options.accountHistory ?? true;
    this.#keepsVaultHistory = options.vaultHistory ?? false;
    this.#stopAtHeight = options.stopAtHeight || Number.POSITIVE_INFINITY;
    this.pruning = options.prune;
    this.log = log;
    this.#scripts = scripts;
    if (!equalBytes(this.genesis.hash, this.params.genesis.hash)) throw new Error('the data belongs to another network');
    checkStoredBlocks(this.tree, this.db.blockFiles, options.prune !== undefined);
    this.pruner = options.prune && new Pruner(this.tree, this.db);
    this.guard = new FaultGuard(this.db, log, (fault) => this.events.emit('fault', fault));
    this.checkedBlocks = new CheckedBlocks(this);
    this.headers = new HeaderAcceptance(this.params, this.tree, this.db, clock);
    this.#dropLackingWitness();
    this.candidates = new Candidates(this.tree);
    this.candidates.reset();
    for (const entry of this.tree.all()) if (entry.hasData && entry.chainTx === 0) this.unlinked.waitForParent(entry);
    this.#begin();
  }

  /** Connects what is stored. A fault of this program halts block processing, but what is connected stays readable. */
  #begin(): void {
    try {
      this.guard.change(() => this.activate());
    } catch (error) {
      if (!(error instanceof InternalFault)) throw error;
    }
  }

  /** What was stored while segwit was not in force there is taken anew under its rules: from the disk if nothing lacks, or from peers. */
  #dropLackingWitness(): void {
    const dropped = blocksLackingWitness(this.tree, this.params);
    if (dropped.size === 0) return;
    this.log.info('blocks from before segwit was in force are taken anew', { blocks: dropped.size });
    while (dropped.has(this.tip)) this.#disconnectTip();
    for (const entry of dropped) {
      entry.nTx = 0;
      entry.chainTx = 0;
      entry.valid = false;
      entry.lacksWitness = false;
      this.db.forgetBlock(entry);
    }
  }

  /** Reason why block processing is halted; undefined while it is not. */
  get fault(): ChainFault | undefined {
    return this.guard.fault;
  }

  /** @throws {StoreDamaged} if what is stored is not that block; the operator is told */
  override rawBlock(entry: BlockIndexEntry): Uint8Array | undefined {
    return this.#noteDamage(entry, () => super.rawBlock(entry));
  }

  /** @throws {StoreDamaged} if what is stored is not that block; the operator is told */
  override block(entry: BlockIndexEntry): Block | undefined {
    return this.#noteDamage(entry, () => super.block(entry));
  }

  #noteDamage<T>(entry: BlockIndexEntry, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof StoreDamaged && !this.#damaged.has(entry)) {
        this.#damaged.set(entry, error.message);
        this.log.error('a stored block is damaged', { height: entry.height, error: error.message });
        this.events.emit('damaged', error.message);
      }
      throw error;
    }
  }

  /** First stored block that was found damaged since the start, and what to do about it. */
  get damage(): string | undefined {
    return this.#damaged.values().next().value;
  }

  /** Block processing is halted until a restart, a rebuild or an operator's request. */
  get isHalted(): boolean {
    return this.guard.isHalted;
  }

  /** Tries again to write what the disk had no room for. @returns true if the chain takes blocks */
  retry(): boolean {
    return this.guard.retry();
  }

  /** There is room for the next block, whether or not it could be written yet. */
  get hasRoom(): boolean {
    return this.guard.hasRoom;
  }

  protected timed<T>(stage: ChainEvents['timed']['stage'], work: () => T): T {
    const start = performance.now();
    const result = work();
    this.events.emit('timed', { stage, seconds: (performance.now() - start) / 1000 });
    return result;
  }

  on<Name extends keyof ChainEvents>(name: Name, listener: (event: ChainEvents[Name]) => void): () => void {
    return this.events.on(name, listener);
  }

  /**
   * Moves to the candidate with the most work, over and over until the tip is that one.
   * @param isTimeUp asked between blocks, but only when the tip has more work than at the start
   * @returns true if time was up before the end
   */
  protected activate(isTimeUp = () => false): boolean {
    const before = this.tip;
    let best = this.candidates.best();
    try {
      let stopped = this.#isHighEnough;
      while (best !== this.tip && !stopped) {
        this.#moveTo(best, isTimeUp);
        // What a reorganisation set free waits again before the next block comes.
        if (this.#disconnected && this.tip.chainWork > before.chainWork) this.#emitTip();
        best = this.candidates.best();
        stopped = this.#isHighEnough || (this.tip.chainWork > before.chainWork && isTimeUp());
      }
    } finally {
      // A reorganisation that failed and returned is news too: its blocks left and came back.
      if (this.tip !== before || this.#disconnected) this.#emitTip();
    }
    this.#flushIfDue();
    return best !== this.tip && !this.#isHighEnough;
  }

  #emitTip(): void {
    this.#disconnected = false;
    this.events.emit('tip', this.tip);
  }

  get #isHighEnough(): boolean {
    return this.tip.height >= this.#stopAtHeight;
  }

  #moveTo(target: BlockIndexEntry, isTimeUp: () => boolean): void {
    const { fork, path } = this.#pathTo(target);
    const before = this.tip;
    if (before !== fork && !this.#canBeRead(path, target)) return;
    try {
      while (this.tip !== fork) this.#disconnectTip();
      for (const entry of path) {
        if (!this.timed('connect', () => this.#connect(entry))) break;
        if (this.#isHighEnough) break;
        // Work that was lost by disconnecting is made up for: whether to go on is decided anew.
        if (this.tip.chainWork > before.chainWork && (before !== fork || isTimeUp())) break;
      }
    } catch (error) {
      if (error instanceof InternalFault && this.tip.chainWork < before.chainWork) this.#returnTo(before);
      throw error;
    }
  }

  /** Blocks from where the active chain and another branch part up to a block of that branch, rising. */
  #pathTo(target: BlockIndexEntry): { readonly fork: BlockIndexEntry; readonly path: readonly BlockIndexEntry[] } {
    const fork = this.tree.forkPoint(target);
    const path: BlockIndexEntry[] = [];
    for (let at = target; at !== fork; at = at.parent as BlockIndexEntry) path.push(at);
    return { fork, path: path.reverse() };
  }

  /** Goes back to the branch that a failed reorganisation left, as far as its blocks connect. */
  #returnTo(tip: BlockIndexEntry): void {
    const { fork, path } = this.#pathTo(tip);
    try {
      while (this.tip !== fork) this.#disconnectTip();
      for (const entry of path) if (!this.#connect(entry)) return;
    } catch (error) {
      this.log.error('the branch before the reorganisation could not be restored', { error: errorText(error) });
    }
  }

  /**
   * Looks at the blocks of another branch before the present one is left for it.
   * @returns false if one was pruned; the branch waits for it then
   * @throws {StoreDamaged} if one cannot be read
   */
  #canBeRead(path: readonly BlockIndexEntry[], target: BlockIndexEntry): boolean {
    for (const entry of path) {
      if (!entry.hasData) {
        this.candidates.drop(target);
        this.unlinked.waitFor(entry, target);
        return false;
      }
      this.checkedBlocks.require(entry);
    }
    return true;
  }

  /** @returns false if the block turned out to be invalid, which it is marked as */
  #connect(entry: BlockIndexEntry): boolean {
    return atBlock('connecting', entry, () => this.#connectOrReject(entry));
  }

  #connectOrReject(entry: BlockIndexEntry): boolean {
    const overlay = new Overlay(this.db.view);
    const key = toHex(entry.hash);
    try {
      const block = this.checkedBlocks.require(entry);
      const { spent } = connectBlock(block, this.#contextOf(entry.parent as BlockIndexEntry), overlay);
      overlay.put(undoLogs, entry.hash, overlay.undo());
      overlay.commit();
      entry.valid = true;
      this.tree.push(entry);
      this.db.saveEntry(entry, block.header);
      this.db.setTip(entry);
      this.pace.noteBlock();
      this.verdicts.set(key, undefined);
      this.log.debug('connected a block', { height: entry.height, hash: key });
      this.events.emit('checked', { hash: entry.hash, error: undefined });
      this.events.emit('connected', { block, entry, spent });
      return true;
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      this.log.warn('block is invalid', { height: entry.height, hash: key, reason: error.reason, debug: error.debug });
      this.verdicts.set(key, error);
      markInvalid(this.tree, this.db, entry);
      this.events.emit('checked', { hash: entry.hash, error });
      return false;
    }
  }

  #contextOf(parent: BlockIndexEntry): BlockContext {
    return {
      height: parent.height + 1,
      parent,
      parentModifier: this.header(parent).stakeModifier,
      params: this.params,
      blockTime: (height) => parent.ancestor(height)?.time,
      blockHash: (height) => parent.ancestor(height)?.hash,
      checkScripts: !isAssumedValid(parent, this),
      keepsHistory: this.#keepsHistory,
      keepsVaultHistory: this.#keepsVaultHistory,
      scripts: this.#scripts,
    };
  }

  #disconnectTip(): void {
    atBlock('disconnecting', this.tip, () => this.#undoTip());
  }

  #undoTip(): void {
    const entry = this.tip;
    const block = this.block(entry);
    const undo = this.db.undo(entry);
    if (!block || !undo || !entry.parent) {
      const what = `block ${toHex(entry.hash)} at height ${entry.height} cannot be disconnected: its ${block ? 'undo data' : 'bytes'}`;
      throw new StoreDamaged(`${what} are missing; start with -reindex to build the database again`);
    }
    const overlay = new Overlay(this.db.view);
    overlay.restore(undo);
    overlay.delete(undoLogs, entry.hash);
    overlay.commit();
    this.tree.pop();
    this.db.setTip(entry.parent);
    this.#disconnected = true;
    this.events.emit('disconnected', { block, entry, spent: spentCoinsOf(block, entry.height, undo) });
  }

  /** Adds a checkpoint until the end of the process. It binds only who has its block. */
  addCheckpoint(checkpoint: Checkpoint): void {
    this.headers.addCheckpoint(checkpoint);
  }

  /** Treats a block and all above it as invalid. @throws {BlockInvalid} with an empty reason at or below the last checkpoint */
  invalidate(entry: BlockIndexEntry): void {
    if (entry.height <= Math.max(this.headers.lastCheckpoint(), 0))
      throw new BlockInvalid('', 'checkpoint', 'Cannot invalidate checkpointed block');
    this.guard.change(() => {
      while (this.isActive(entry)) this.#disconnectTip();
      markInvalid(this.tree, this.db, entry);
      this.candidates.reset();
      this.activate();
    });
    this.flush();
  }

  /** Forgets that a block, what is below it and what is above it was found invalid, and resumes processing after an internal fault. */
  reconsider(entry: BlockIndexEntry): void {
    this.guard.resume();
    clearInvalid(this.tree, this.db, entry);
    this.candidates.reset();
    this.guard.change(() => this.activate());
    this.flush();
  }

  /** Lets a block win over others with the same work, as if it had come first. */
  precious(entry: BlockIndexEntry): void {
    if (entry.chainWork < this.tip.chainWork) return;
    entry.sequence = this.#preciousSequence--;
    this.candidates.consider(entry);
    this.guard.change(() => this.activate());
  }

  /**
   * Whether a block on the tip would be valid; nothing is kept. The signature and the proof of stake are not looked at, so a block
   * that is still to be signed can be tested.
   * @returns the reject reason, or undefined
   */
  testBlock(block: Block): string | undefined {
    const unsigned = { ...this.params, pos: { ...this.params.pos, dummy: true } };
    try {
      const context = { ...this.#contextOf(this.tip), params: unsigned };
      const checked = checkBlock(block, context.height, this.params);
      const now = this.clock.seconds();
      checkHeader(block.header, {
        ...context,
        lastCheckpoint: this.headers.lastCheckpoint(),
        ascendingTimes: this.headers.ascendingTimes(),
        systemTime: now,
        adjustedTime: now,
      });
      checkBlockContext(checked, this.tip, this.params);
      connectBlock(checked, context, new Overlay(this.db.view));
      return undefined;
    } catch (error) {
      if (error instanceof BlockInvalid) return error.reason;
      throw error;
    }
  }

  /**
   * Checks the last `count` blocks again (0: all), as thoroughly as `level` says, in slices.
   * @see docs/protocol/rpc-chain.md 3.1.22
   */
  async verify(level: number, count: number, signal?: AbortSignal): Promise<boolean> {
    const snapshot = this.snapshot();
    try {
      return await verifyChain(
        this,
        { level, count, tip: this.tip, snapshot, log: this.log, contextOf: (parent) => this.#contextOf(parent) },
        signal,
      );
    } finally {
      snapshot.close();
    }
  }

  /** Deletes block files all of whose blocks are at or below `height`, but never the last 288 blocks. */
  pruneTo(height: number): void {
    const files = this.pruner?.pruneTo(Math.min(height, this.tip.height - MIN_BLOCKS_TO_KEEP)) ?? 0;
    if (files > 0) this.log.info('deleted block files', { files, lowest: this.lowestStored().height });
  }

  #pruneIfDue(): void {
    if (!this.pruning?.targetBytes || this.tip.height <= this.params.pruneAfterHeight) return;
    const height = this.tip.height - MIN_BLOCKS_TO_KEEP;
    const files = this.pruner?.pruneToTarget(this.pruning.targetBytes, { height, catchingUp: this.isInitialDownload() }) ?? 0;
    if (files > 0) this.log.info('deleted block files', { files, lowest: this.lowestStored().height });
  }

  #flushIfDue(): void {
    const catchingUp = this.recovering || this.isInitialDownload();
    if (this.pace.isDue({ pendingRows: this.db.pendingRows, catchingUp })) this.flush();
  }

  /** What cannot be written stays pending: it is in order in memory, and no more blocks are taken until it is written. */
  protected flush(): void {
    try {
      this.timed('write', () => this.db.flush({ sync: true }));
      this.#pruneIfDue();
    } catch (error) {
      this.guard.noteFlushFailure(error);
      return;
    }
    this.pace.reset();
  }

  /** Writes all that is pending. */
  close(): void {
    this.flush();
  }
}
