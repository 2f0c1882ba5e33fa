import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain, ChainEvent } from '../chain/chain.js';
import { list, varString } from '../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../primitives/hash.js';
import { isStorageFailure, StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import type { Column, StateView, Store } from '../storage/view.js';
import { WritePreparation } from '../storage/write-preparation.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { Progress, type ProgressOutput, type Terminal } from '../util/progress.js';
import { finish, Slicer, type Steps } from '../util/slicer.js';
import type { ReportWork } from '../util/work-report.js';

/** The part of the chain that a follower uses. */
export type FollowedChain = Pick<Chain, 'tip' | 'entry' | 'entryAt' | 'next' | 'forkPoint' | 'block' | 'spentCoins' | 'on'>;

export interface FollowerDeps {
  readonly store: Store;
  readonly chain: FollowedChain;
  readonly log: Logger;
  readonly terminal?: Terminal | undefined;
  readonly report?: ReportWork | undefined;
}

/** Index-specific part of a follower. */
export interface BlockIndexer {
  /** Key of its position in the database. */
  readonly name: string;
  /**
   * Writes the rows of a block, at once or by the steps that it returns. Without `reversal` it overwrites existing ones, since a block may
   * be indexed again after a restart or a reorganisation.
   */
  add(view: Overlay, event: ChainEvent): Steps<void> | undefined;
  /** Of an index of the active chain alone. Without it nothing is removed: the index also covers blocks off the active chain. */
  readonly reversal?: Reversal;
}

/** Takes blocks back that left the active chain. */
export interface Reversal {
  /** Takes back the block that was added last. @returns hash of the block below it; undefined if there is no record of its changes */
  remove(view: Overlay, block: Hash256): Hash256 | undefined;
  /** Deletes all rows, in batches. */
  clear(store: Store): Steps<void>;
}

/** A block cannot be taken back, so the index is built from genesis. */
class CannotTakeBack extends Error {
  constructor(block: Hash256) {
    super(`no record of the changes of block ${formatHash(block)}`);
  }
}

/** Step of catching up. */
interface Step {
  readonly height: number;
  run(batch: Overlay): Steps<void>;
}

/**
 * Position of each index: hashes of its last block and of those 1, 2, 4, ... below, down to genesis. After an unclean shutdown the chain
 * may have lost its last blocks but not the index, so that only an older hash is known.
 */
export const indexPositions: Column<string, readonly Hash256[]> = { name: 'index/position', key: varString, value: list(hash256) };

/** A block of no more transactions is indexed in the turn of the event loop that connected it. */
const SMALL_BLOCK = 100;
/** Connected blocks that may wait to be indexed: each is held in memory. */
const MAX_WAITING = 4;
/** Rows of new blocks that are written in one batch at the latest, because a batch for each small block takes longer than its rows. */
const MAX_PENDING_ROWS = 4_000;
/** Time after which they are written in any case. After an unclean shutdown their blocks are indexed again. */
const WRITE_AFTER_MS = 200;
/** Pause after a storage failure, such as a full disk, before the index catches up from what is stored. */
const RETRY_MS = 2_000;

/**
 * Keeps an index in sync with the active chain. Behind the tip it catches up in slices of 10 ms. Once in sync it indexes a small block when
 * it is connected and a large one in a later turn, but no later than the next read, so that a reported tip counts as indexed. Rows of
 * several blocks are written together; until then reads find them in memory.
 */
export class Follower {
  readonly #index: BlockIndexer;
  readonly #store: Store;
  readonly #chain: FollowedChain;
  readonly #log: Logger;
  readonly #output: ProgressOutput;
  #position: BlockIndexEntry | undefined;
  #synced = false;
  #running = false;
  /** True if all rows must be deleted before the first block is indexed. */
  #mustClear = false;
  /** Connected blocks that are not indexed yet, in order. */
  #waiting: ChainEvent[] = [];
  /** Steps that index the first of them; undefined if they have not begun. */
  #adding: Steps<void> | undefined;
  /** Rows of the last connected blocks, which are not written yet. */
  #pending: Overlay | undefined;
  #writeTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** Text of the last storage failure, so that the same one is logged once; undefined if rows were written since. */
  #failure: string | undefined;
  #unsubscribe: (() => void)[] = [];

  constructor(index: BlockIndexer, { store, chain, log, terminal, report }: FollowerDeps) {
    this.#index = index;
    this.#store = store;
    this.#chain = chain;
    this.#log = log;
    this.#output = { log, terminal, report };
  }

  /** True if in sync with the tip. False after a failure, which is logged: until it has caught up again if storage failed, else permanently. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Last indexed block of the active chain. */
  get position(): BlockIndexEntry | undefined {
    this.#indexWaiting();
    return this.#position;
  }

  /** Starts to catch up. If only a few blocks are missing, the index is in sync on return. */
  start(): void {
    this.#running = true;
    this.#position = this.#index.reversal ? this.#restoredPosition(this.#index.reversal) : this.#storedPosition();
    this.#retryTimer = undefined;
    this.#unsubscribe = [
      this.#chain.on('connected', (event) => this.#onConnected(event)),
      this.#chain.on('disconnected', ({ entry }) => this.#onDisconnected(entry)),
    ];
    void this.#catchUp();
  }

  stop(): void {
    this.#indexWaiting();
    this.#guard(() => this.#writePending());
    this.#halt();
  }

  /** Drops all that is not written: it is indexed again from the stored position. */
  #halt(): void {
    for (const timer of [this.#writeTimer, this.#retryTimer]) clearTimeout(timer);
    this.#writeTimer = undefined;
    this.#pending = undefined;
    this.#waiting = [];
    this.#adding = undefined;
    this.#running = false;
    this.#synced = false;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
  }

  #storedPosition(): BlockIndexEntry | undefined {
    for (const hash of this.#store.get(indexPositions, this.#index.name) ?? []) {
      const entry = this.#chain.entry(hash);
      if (entry) return this.#chain.forkPoint(entry);
    }
    return undefined;
  }

  /**
   * Stored position of an index of the active chain, after blocks were taken back that the chain does not know any more. Without one, rows
   * may be left of an index that was being deleted.
   */
  #restoredPosition(reversal: Reversal): BlockIndexEntry | undefined {
    const [newest] = this.#store.get(indexPositions, this.#index.name) ?? [];
    const batch = new Overlay(this.#store);
    let hash = this.#mustClear ? undefined : newest;
    while (hash) {
      const entry = this.#chain.entry(hash);
      if (entry) {
        this.#position = entry;
        this.#write(batch);
        return entry;
      }
      hash = reversal.remove(batch, hash);
    }
    this.#mustClear = true;
    return undefined;
  }

  #onConnected(event: ChainEvent): void {
    if (!this.#synced) return;
    this.#waiting.push(event);
    if (event.block.transactions.length <= SMALL_BLOCK || this.#waiting.length > MAX_WAITING) this.#indexWaiting();
    else void this.#indexLater();
  }

  /** Indexes the blocks that wait, in slices. What a read has indexed meanwhile is done. */
  async #indexLater(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const slicer = new Slicer();
    while (this.#waiting.length > 0) {
      const pause = slicer.pause();
      if (pause) await pause;
      this.#guard(() => {
        if (this.#steps()?.next().done) this.#noteAdded();
      });
    }
  }

  /** Steps that index the first block that waits; undefined if none does. */
  #steps(): Steps<void> | undefined {
    const [event] = this.#waiting;
    if (!event) return undefined;
    if (!this.#adding) {
      if (event.entry.parent !== this.#position) throw new Error('a block was connected out of order');
      this.#pending ??= new Overlay(this.#store);
      this.#adding = this.#add(this.#pending, event);
    }
    return this.#adding;
  }

  /** The first block that waited is indexed. */
  #noteAdded(): void {
    this.#waiting.shift();
    this.#adding = undefined;
    if ((this.#pending?.size ?? 0) >= MAX_PENDING_ROWS) this.#writePending();
    else this.#writeLater();
  }

  /** The index with all connected blocks. */
  protected get view(): StateView {
    this.#indexWaiting();
    return this.#pending ?? this.#store;
  }

  /** Indexes the connected blocks that wait for it. */
  #indexWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#guard(() => {
      for (let steps = this.#steps(); steps; steps = this.#steps()) {
        finish(steps);
        this.#noteAdded();
      }
    });
  }

  #writeLater(): void {
    this.#writeTimer ??= setTimeout(() => void this.#writeInSlices(), WRITE_AFTER_MS).unref();
  }

  /**
   * Prepares the write of the pending rows in slices. If rows are added meanwhile, all are written at once at the end. While a block is
   * being added, whose rows are not among them yet, they are written later.
   */
  async #writeInSlices(): Promise<void> {
    const pending = this.#pending;
    if (!pending) return;
    this.#putPosition(pending);
    const preparation = new WritePreparation(pending, this.#store);
    if (!this.#adding) await new Slicer().run(preparation.run());
    const rows = preparation.take();
    if (this.#pending !== pending) rows?.drop();
    else if (this.#adding) {
      rows?.drop();
      this.#writeTimer = undefined;
      this.#writeLater();
    } else if (!rows) this.#guard(() => this.#writePending());
    else {
      this.#writeTimer = undefined;
      this.#pending = undefined;
      this.#guard(() => rows.write());
    }
  }

  #writePending(): void {
    clearTimeout(this.#writeTimer);
    this.#writeTimer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) this.#write(pending);
  }

  #onDisconnected(entry: BlockIndexEntry): void {
    this.#indexWaiting();
    if (!this.#synced || this.#position !== entry) return;
    const { reversal } = this.#index;
    // Not written: a stored position off the active chain is resolved to its fork point on start.
    if (!reversal) this.#position = entry.parent;
    else {
      this.#guard(() => {
        this.#pending ??= new Overlay(this.#store);
        this.#takeBack(this.#pending, reversal);
        this.#writeLater();
      });
    }
  }

  async #catchUp(): Promise<void> {
    const slicer = new Slicer();
    const { reversal } = this.#index;
    if (this.#mustClear && reversal) await this.#clear(reversal, slicer);
    const progress = new Progress(`building index ${this.#index.name}`, this.#output);
    let batch = new Overlay(this.#store);
    let current: Steps<void> | undefined;
    // At least one step per turn, even if other work has used up its time, so that the index of a chain of one block starts in sync.
    let isFirst = true;
    while (this.#running) {
      const step = current ? undefined : this.#nextStep();
      const pause = (current ?? step) && !isFirst ? slicer.pause() : undefined;
      if (!current && (!step || pause)) {
        this.#guard(() => this.#write(batch));
        if (!this.#running) break;
        if (!step) {
          progress.end();
          this.#synced = true;
          this.#log.info('index in sync with the tip', { index: this.#index.name, height: this.#position?.height });
          return;
        }
        batch = new Overlay(this.#store);
      }
      if (pause) {
        await pause;
        isFirst = true;
        continue;
      }
      this.#guard(() => {
        current ??= step?.run(batch);
        if (current?.next().done) current = undefined;
      });
      if (step) progress.update({ share: step.height / this.#chain.tip.height, blocks: step.height, facts: { height: step.height } });
      isFirst = false;
    }
    progress.end();
  }

  /** Deletes all rows. The position goes first, so that an interrupted deletion is known at the next start. */
  async #clear(reversal: Reversal, slicer: Slicer): Promise<void> {
    try {
      const batch = new Overlay(this.#store);
      batch.delete(indexPositions, this.#index.name);
      this.#store.writeRows(batch.rowChanges());
      for (const _ of reversal.clear(this.#store)) {
        await slicer.pause();
        // Stopped: the store may be closed.
        if (!this.#running) return;
      }
      this.#mustClear = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Next step towards the tip: a block to take back, or one to add; undefined at the tip. */
  #nextStep(): Step | undefined {
    const { reversal } = this.#index;
    const at = this.#position;
    const fork = at && this.#chain.forkPoint(at);
    if (at && at !== fork && reversal) return { height: at.height, run: (batch) => this.#takingBack(batch, reversal) };
    this.#position = fork;
    const next = fork ? this.#chain.next(fork) : this.#chain.entryAt(0);
    return next && { height: next.height, run: (batch) => this.#add(batch, this.#eventOf(next)) };
  }

  *#takingBack(batch: Overlay, reversal: Reversal): Steps<void> {
    this.#takeBack(batch, reversal);
    yield;
  }

  /** Takes back the last indexed block. @throws {CannotTakeBack} */
  #takeBack(view: Overlay, reversal: Reversal): void {
    const at = this.#position;
    if (!at) return;
    if (!reversal.remove(view, at.hash)) throw new CannotTakeBack(at.hash);
    this.#position = at.parent;
  }

  #eventOf(entry: BlockIndexEntry): ChainEvent {
    const block = this.#chain.block(entry);
    if (!block) throw new Error(`block ${entry.height} is not stored any more`);
    const spent = this.#chain.spentCoins(entry, block) ?? [];
    return { block, entry, spent };
  }

  *#add(batch: Overlay, event: ChainEvent): Steps<void> {
    const steps = this.#index.add(batch, event);
    if (steps) yield* steps;
    this.#position = event.entry;
  }

  #write(batch: Overlay): void {
    if (batch.size === 0 || !this.#position) return;
    this.#putPosition(batch);
    this.#store.writeRows(batch.rowChanges());
    this.#failure = undefined;
  }

  #putPosition(batch: Overlay): void {
    if (this.#position) batch.put(indexPositions, this.#index.name, locatorOf(this.#position));
  }

  /** Stops the index on an error, which is logged; the chain continues. After a storage failure the index starts again later. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#halt();
    const facts = { index: this.#index.name, error: errorText(error) };
    if (error instanceof CannotTakeBack) {
      this.#log.warn('index is built from genesis again', facts);
      this.#mustClear = true;
      this.#startAfter(0);
    } else if (error instanceof StoreDamaged || !isStorageFailure(error)) this.#log.error('index stopped after an error', facts);
    else this.#retryLater(facts);
  }

  #retryLater(facts: { readonly index: string; readonly error: string }): void {
    if (facts.error !== this.#failure) this.#log.error('index halted after a storage failure; it is tried again', facts);
    this.#failure = facts.error;
    this.#startAfter(RETRY_MS);
  }

  #startAfter(ms: number): void {
    this.#retryTimer = setTimeout(() => this.#guard(() => this.start()), ms).unref();
  }
}

function locatorOf(entry: BlockIndexEntry): Hash256[] {
  const hashes = [entry.hash];
  for (let step = 1; step <= entry.height; step *= 2) {
    const below = entry.ancestor(entry.height - step);
    if (below) hashes.push(below.hash);
  }
  return hashes;
}
