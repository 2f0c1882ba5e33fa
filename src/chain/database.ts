import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import { encode } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import type { AnyColumn, RawChange, Snapshot, Store, UndoLog } from '../storage/view.js';
import { WritePreparation } from '../storage/write-preparation.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { Lru } from '../util/lru.js';
import type { Steps } from '../util/slicer.js';
import type { BlockCache } from './block-cache.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockFile, BlockPosition, BlockStore } from './block-store.js';
import { BlockTree } from './block-tree.js';
import { BlocklessHeaders } from './blockless-headers.js';
import { BranchIndex } from './branch-index.js';
import type { StoredActiveChain } from './buried-blocks.js';
import { coins } from './coins.js';
import { BlockFileIndex } from './file-index.js';
import {
  type ActiveBlock,
  activeBlockOf,
  activeBlocks,
  branches,
  fileSummaries,
  headers,
  type Mark,
  marks,
  recordOf,
  snapshotBases,
  type Task,
  TIP_KEY,
  tasks,
  tips,
  undoLogs,
} from './records.js';
import { StoredBlockReader } from './stored-block-reader.js';
import { storedRules } from './stored-rules.js';

/** Columns of the chain, for opening its store; those of the DeFi state are declared in `dfi`. */
export const chainColumns: readonly AnyColumn[] = [
  coins,
  headers,
  activeBlocks,
  branches,
  fileSummaries,
  marks,
  undoLogs,
  tips,
  tasks,
  storedRules,
  snapshotBases,
];

/** Headers in the cache. */
const RECENT_HEADERS = 4_000;
/** Room on disk for a large block. */
const ROOM_BYTES = 16 * 2 ** 20;

/**
 * Data of the chain on disk: the header tree, blocks, undo records and the state at the tip. Changes are collected in an overlay until
 * `flush` writes them in one batch, so the disk always holds the state of one tip.
 */
export class ChainDatabase implements StoredActiveChain {
  readonly #headers = new Lru<string, BlockHeader>(RECENT_HEADERS);
  /** Stored blocks, compared with their headers. */
  readonly storedBlocks: StoredBlockReader;
  /** Headers without blocks, which are not stored. */
  readonly blockless = new BlocklessHeaders();
  readonly fileIndex: BlockFileIndex;
  readonly #branches = new BranchIndex();
  readonly #pending: Overlay;
  readonly #preparation: WritePreparation;
  #dirty = false;
  /** True if changes were written without a sync since the last one. */
  #unsynced = false;
  #entryChanges = 0;

  constructor(
    private readonly params: NetworkParams,
    private readonly store: Store,
    private readonly blocks: BlockStore,
    private readonly recentBlocks?: number,
  ) {
    this.storedBlocks = new StoredBlockReader(params, blocks);
    // Operations read it too. Between two blocks, what they read would add up.
    this.#pending = new Overlay(store, { cachesReads: false });
    this.#preparation = new WritePreparation(this.#pending, store);
    this.fileIndex = new BlockFileIndex(store.entries(fileSummaries));
  }

  /** State at the tip, including changes that are not yet flushed. */
  get view(): Overlay {
    return this.#pending;
  }

  /** Size of the stored blocks, bytes. */
  get sizeOnDisk(): number {
    return this.blocks.sizeOnDisk;
  }

  /** Number of rows that were changed, or read to connect blocks, since the last flush; all are in memory. */
  get pendingRows(): number {
    return this.#pending.size;
  }

  /** True if there are changes that are not written yet. */
  get isDirty(): boolean {
    return this.#dirty;
  }

  /** Number of changes of stored blocks and of their entries so far. */
  get entryChanges(): number {
    return this.#entryChanges;
  }

  get blockFiles(): readonly BlockFile[] {
    return this.blocks.files();
  }

  /** Block files and database may be on different disks. @throws {DiskFull} if one has no room for the next block */
  requireRoom(bytes = ROOM_BYTES): void {
    this.blocks.requireRoom(bytes);
    this.store.requireRoom?.(bytes);
  }

  removeBlockFile(file: number): void {
    this.#entryChanges += 1;
    this.blocks.remove(file);
  }

  /** An empty header tree. */
  newTree(): BlockTree {
    return new BlockTree(this.params, this, this.recentBlocks);
  }

  /**
   * Loads the header tree with its tip; undefined for an empty store.
   * @throws {StoreDamaged} if the index does not lead to the tip
   */
  loadTree(): BlockTree | undefined {
    const tipHash = this.store.get(tips, TIP_KEY);
    if (!tipHash) return undefined;
    const tree = this.newTree();
    const height = this.heightOf(tipHash);
    if (height !== undefined) tree.setActive(height, this);
    if (height === undefined || !equalBytes(tree.tip.hash, tipHash))
      throw new StoreDamaged(`the block index does not lead to the tip ${toHex(tipHash)}; start with -reindex to build the database again`);
    if (this.#branches.load(tree, this.store, this.view, this.params)) this.#dirty = true;
    tree.resetBestHeader();
    return tree;
  }

  heightOf(hash: Hash256): number | undefined {
    const record = this.view.get(headers, hash);
    // The header is often read next.
    if (record) this.#headers.set(toHex(hash), record.header);
    return record?.height;
  }

  *activeBlocks(from: number, to: number): Generator<ActiveBlock> {
    if (from === to) {
      const block = this.view.get(activeBlocks, from);
      if (block) yield block;
      return;
    }
    let next = from;
    for (const [height, block] of this.view.entries(activeBlocks, { from })) {
      if (height !== next || height > to) return;
      yield block;
      next += 1;
    }
  }

  header(entry: BlockIndexEntry): BlockHeader {
    const key = toHex(entry.hash);
    const known = this.blockless.header(entry) ?? this.#headers.get(key) ?? this.view.get(headers, entry.hash)?.header;
    if (!known) throw new Error(`no header ${key}`);
    this.#headers.set(key, known);
    return known;
  }

  /**
   * Stores an entry with all its ancestors. An entry without a block that is not invalid stays in memory.
   * @param options.blockless true to store the entry although its block is missing, without its ancestors
   */
  saveEntry(entry: BlockIndexEntry, header = this.header(entry), { blockless = false } = {}): void {
    this.#entryChanges += 1;
    if (!blockless && entry.nTx === 0 && !entry.invalid && this.blockless.has(entry)) return;
    this.#store(entry, header);
    for (let at = entry.parent; !blockless && at && this.blockless.has(at); at = at.parent) this.#store(at, this.header(at));
  }

  #store(entry: BlockIndexEntry, header: BlockHeader): void {
    this.blockless.delete(entry);
    this.#headers.set(toHex(entry.hash), header);
    this.view.put(headers, entry.hash, recordOf(entry, header));
    if (entry.isActive) this.view.put(activeBlocks, entry.height, activeBlockOf(entry));
    this.#branches.note(entry);
    this.fileIndex.note(entry);
    this.#dirty = true;
  }

  /** Removes a block from the stored active chain, after it was disconnected. */
  leaveActiveChain(entry: BlockIndexEntry): void {
    this.view.delete(activeBlocks, entry.height);
    this.#branches.note(entry);
    this.#dirty = true;
  }

  /** Counts a change that answers about blocks depend on. */
  noteChange(): void {
    this.#entryChanges += 1;
  }

  appendBlock(bytes: Uint8Array): BlockPosition {
    this.#entryChanges += 1;
    return this.blocks.append(bytes);
  }

  /** Position of the genesis block. It is the first stored block; an empty block store gets it appended. */
  genesisPosition(bytes: Uint8Array): BlockPosition {
    for (const position of this.blocks.records()) {
      if (equalBytes(this.blocks.read(position), bytes)) return position;
      break;
    }
    return this.blocks.append(bytes);
  }

  /** Positions of the stored blocks after `last`, in the order of arrival. */
  blocksAfter(last: BlockPosition | undefined): Iterable<BlockPosition> {
    return this.blocks.records(last);
  }

  readAt(position: BlockPosition): Uint8Array {
    return this.blocks.read(position);
  }

  /** Caches a block that was just checked and stored, and will soon be connected. */
  cacheBlock(block: Block, entry: BlockIndexEntry): void {
    this.storedBlocks.hold(block, entry);
  }

  get blockCache(): BlockCache {
    return this.storedBlocks.cache;
  }

  undo(entry: BlockIndexEntry): UndoLog | undefined {
    return this.view.get(undoLogs, entry.hash);
  }

  /** Removes the position and the undo record of a block whose bytes are dropped; its header stays. */
  forgetBlock(entry: BlockIndexEntry): void {
    entry.position = undefined;
    if (entry.isPruned) this.setMark('pruned', Math.max(this.mark('pruned') ?? 0, entry.isActive ? entry.height + 1 : 0));
    this.storedBlocks.forget(entry);
    this.view.delete(undoLogs, entry.hash);
    this.saveEntry(entry);
  }

  mark(mark: Mark): number | undefined {
    return this.view.get(marks, mark);
  }

  setMark(mark: Mark, height: number): void {
    this.view.put(marks, mark, height);
    this.#dirty = true;
  }

  clearMark(mark: Mark): void {
    this.view.delete(marks, mark);
    this.#dirty = true;
  }

  isUnderWay(task: Task): boolean {
    return this.view.has(tasks, task);
  }

  /** Records the start or the end of a task that is to be continued after an unclean shutdown. */
  setUnderWay(task: Task, underWay: boolean): void {
    if (underWay) this.view.put(tasks, task, true);
    else this.view.delete(tasks, task);
    this.#dirty = true;
  }

  setTip(entry: BlockIndexEntry): void {
    this.view.put(tips, TIP_KEY, entry.hash);
    this.#dirty = true;
  }

  /**
   * Writes pending changes in one batch, after the blocks that it refers to. With `sync` this batch and all before it survive a power
   * failure; otherwise the last ones may be lost, but not the blocks.
   */
  flush({ sync }: { readonly sync: boolean }): void {
    if (!this.#dirty && !(sync && this.#unsynced)) return;
    this.blocks.sync();
    if (this.#dirty) {
      this.#writeLists();
      const prepared = this.#preparation.take();
      if (prepared) prepared.write({ sync });
      else this.store.writeRows(this.#pending.rowChanges(), { sync });
      // A block that is being connected stays on top of the same view, in which nothing has changed.
      this.#pending.discard();
      this.#dirty = false;
    } else this.store.write(this.#unchangedTip(), { sync });
    this.#unsynced = !sync;
  }

  /** Syncs the stored blocks on another thread, so that the next `flush` need not. That one reports a failure. */
  syncBlocksAhead(): Promise<void> {
    return this.blocks.syncAhead();
  }

  /** Makes the stored blocks survive a power failure. No effect if `syncBlocksAhead` did. */
  syncBlocks(): void {
    this.blocks.sync();
  }

  /** True if `flush` would write what was prepared. */
  get isPrepared(): boolean {
    return this.#preparation.isComplete;
  }

  /**
   * Prepares the pending changes for the `flush` that follows soon. Snapshots copy them meanwhile instead of writing them. No effect if
   * there is another change before it.
   */
  *prepareFlush(): Steps<void> {
    if (!this.#dirty) return;
    this.#writeLists();
    yield* this.#preparation.run();
  }

  #writeLists(): void {
    this.#branches.save(this.view);
    this.fileIndex.save(this.view);
  }

  /** A batch that changes nothing, to sync the batches before it. An empty one would not. */
  #unchangedTip(): RawChange[] {
    const tip = this.store.get(tips, TIP_KEY);
    return tip ? [{ column: tips.name, key: encode(tips.key, TIP_KEY), value: encode(tips.value, tip) }] : [];
  }

  /** Consistent snapshot of the state at the tip; the caller must close it. */
  snapshot(): Snapshot {
    if (this.#preparation.hasBegun) return this.#pending.frozenOn(this.store.snapshot());
    this.flush({ sync: false });
    return this.store.snapshot();
  }
}
