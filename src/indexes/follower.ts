import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain, ChainEvent } from '../chain/chain.js';
import { formatHash, type Hash256 } from '../primitives/hash.js';
import { isStorageFailure, StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import type { StateView, Store } from '../storage/view.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { Progress, type ProgressOutput, type Terminal } from '../util/progress.js';
import { finish, Slicer, type Steps } from '../util/slicer.js';
import type { ReportWork } from '../util/work-report.js';
import type { BlockIndexer, Reversal } from './indexer.js';
import { PendingRows } from './pending-rows.js';
import { indexPositions, locatorOf } from './position.js';

/** The part of the chain that a follower uses. */
export type FollowedChain = Pick<Chain, 'tip' | 'entry' | 'entryAt' | 'next' | 'forkPoint' | 'block' | 'spentCoins' | 'on'>;

export interface FollowerDeps {
  readonly store: Store;
  readonly chain: FollowedChain;
  readonly log: Logger;
  readonly terminal?: Terminal | undefined;
  readonly report?: ReportWork | undefined;
}

/** A block cannot be undone, so the index is built from genesis. */
class CannotUndo extends Error {
  constructor(block: Hash256) {
    super(`no record of the changes of block ${formatHash(block)}`);
  }
}

/** Step of catching up. */
interface Step {
  readonly height: number;
  run(batch: Overlay): Steps<void>;
}

/** A block of no more transactions is indexed in the turn of the event loop that connected it. */
const SMALL_BLOCK = 100;
/** Connected blocks that may wait to be indexed: each is held in memory. */
const MAX_WAITING = 4;
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
  readonly #pending: PendingRows;
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
    this.#pending = new PendingRows(store, {
      complete: (rows) => this.#putPosition(rows),
      isAdding: () => this.#adding !== undefined,
      written: () => {
        this.#failure = undefined;
      },
      guard: (write) => this.#guard(write),
    });
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
    this.#catchUp().catch((error: unknown) => this.#failed(error));
  }

  stop(): void {
    this.#indexWaiting();
    this.#guard(() => this.#pending.write());
    this.#halt();
  }

  /** Drops all that is not written: it is indexed again from the stored position. */
  #halt(): void {
    clearTimeout(this.#retryTimer);
    this.#pending.drop();
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
   * Stored position of an index of the active chain, after blocks that the chain no longer knows were undone. If there is none, rows of an
   * index whose deletion was interrupted may be left.
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
      this.#adding = this.#add(this.#pending.open(), event);
    }
    return this.#adding;
  }

  /** The first block that waited is indexed. */
  #noteAdded(): void {
    this.#waiting.shift();
    this.#adding = undefined;
    this.#pending.noteChange();
  }

  /** The index with all connected blocks. */
  protected get view(): StateView {
    this.#indexWaiting();
    return this.#pending.view;
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

  #onDisconnected(entry: BlockIndexEntry): void {
    this.#indexWaiting();
    if (!this.#synced || this.#position !== entry) return;
    const { reversal } = this.#index;
    // Not written: a stored position off the active chain is resolved to its fork point on start.
    if (!reversal) this.#position = entry.parent;
    else {
      this.#guard(() => {
        this.#undoLast(this.#pending.open(), reversal);
        this.#pending.noteChange();
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

  /** Next step towards the tip: a block to undo or to add; undefined at the tip. */
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
    this.#undoLast(batch, reversal);
    yield;
  }

  /** Undoes the last indexed block. @throws {CannotUndo} */
  #undoLast(view: Overlay, reversal: Reversal): void {
    const at = this.#position;
    if (!at) return;
    if (!reversal.remove(view, at.hash)) throw new CannotUndo(at.hash);
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
    if (error instanceof CannotUndo) {
      this.#log.warn('index is built from genesis again', facts);
      this.#mustClear = true;
      this.#startAfter(0);
    } else if (error instanceof StoreDamaged || !isStorageFailure(error)) this.#log.error('index stopped after an error', facts);
    else this.#retryLater(facts);
  }

  #retryLater(facts: { readonly index: string; readonly error: string }): void {
    if (facts.error !== this.#failure) this.#log.error('index halted after a storage failure, will retry', facts);
    this.#failure = facts.error;
    this.#startAfter(RETRY_MS);
  }

  #startAfter(ms: number): void {
    this.#retryTimer = setTimeout(() => this.#guard(() => this.start()), ms).unref();
  }
}
