import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Emitter } from '../util/events.js';
import { inSlices, NOT_ABORTED, type Steps } from '../util/slicer.js';
import type { ChainDatabase } from './database.js';
import { type ChainEvents, timed } from './events.js';
import type { FaultGuard } from './faults.js';
import type { FlushPace } from './flush-pace.js';
import type { ChainPruner } from './pruning.js';
import type { ChainQueries } from './reader.js';

/** Rows whose write takes several milliseconds. */
const LONG_ROWS = 1_000;
/** Blocks that may change the rows while they are prepared, before they are written unprepared. */
const MAX_PREPARATIONS = 3;
/** Time for which the changes of blocks are collected before they are written, unless they become so many rows. */
const COLLECTING_MS = 100;
const MANY_ROWS = 2_000;

export interface FlusherParts {
  readonly chain: Pick<ChainQueries, 'isInitialDownload'>;
  readonly db: Pick<ChainDatabase, 'flush' | 'prepareFlush' | 'isPrepared' | 'pendingRows' | 'isDirty' | 'syncBlocks' | 'syncBlocksAhead'>;
  readonly pace: FlushPace;
  readonly guard: Pick<FaultGuard, 'noteFlushFailure' | 'fault'>;
  readonly pruner: Pick<ChainPruner, 'pruneIfDue'> | undefined;
  readonly events: Emitter<ChainEvents>;
}

/** Writes pending changes when they are due, and prunes afterwards. */
export class Flusher {
  readonly #parts: FlusherParts;
  /** True while stored blocks are imported, which are then written in large batches. */
  isImporting = false;
  #isPostponed = false;
  /** Sync of stored blocks on another thread, while it runs. */
  #syncing: Promise<void> | undefined;
  /** Runs while changes are collected. */
  #collecting: NodeJS.Timeout | undefined;
  #isWriting = false;

  constructor(parts: FlusherParts) {
    this.#parts = parts;
  }

  /**
   * Near the tip of the network the stored blocks are synced and the changes written without a sync: the engine keeps the order of
   * writes, so after a power failure the state is that of an earlier tip, and the blocks above it are connected again.
   */
  flushIfDue(): void {
    if (this.#isSyncDue) this.flush();
    else if (this.writesSoon) this.#write({ sync: false });
  }

  /** Begins to sync the stored blocks on another thread, so that `persist` waits less. */
  syncAhead(): void {
    this.#syncing ??= this.#parts.db.syncBlocksAhead().finally(() => (this.#syncing = undefined));
  }

  /**
   * Waits until the stored blocks survive a power failure. Their changes are written soon afterwards: an unclean shutdown before that leaves the
   * state before them, and the next start connects the stored blocks again.
   * @throws {Error} of the system if they cannot be synced, which halts block processing
   */
  async persist(): Promise<void> {
    const { db, guard } = this.#parts;
    if (this.writesSoon) this.#writeSoon();
    await this.#syncing;
    try {
      db.syncBlocks();
    } catch (error) {
      guard.noteFlushFailure(error);
      throw error;
    }
    // A snapshot or the shutdown may have written the changes meanwhile.
    if (db.isDirty && this.#isSyncDue) this.flush();
  }

  /** As `flushIfDue`, but near the tip the stored blocks are synced on another thread, and the changes are written afterwards. */
  flushLater(): void {
    if (this.#isSyncDue || !this.writesSoon) this.flushIfDue();
    else {
      this.syncAhead();
      // The failure is noted, and no caller waits for these blocks.
      this.persist().catch(() => {});
    }
  }

  /** Writes the changes in turns of their own, together with those of blocks that follow soon. */
  #writeSoon(): void {
    if (this.#parts.db.pendingRows < MANY_ROWS) {
      this.#collecting ??= setTimeout(() => void this.#writeCollected(), COLLECTING_MS).unref();
      return;
    }
    void this.#writeCollected();
  }

  async #writeCollected(): Promise<void> {
    clearTimeout(this.#collecting);
    this.#collecting = undefined;
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      await nextTurn();
      await this.#prepare();
      await this.#syncing;
      // After a fault the next change of the chain writes them.
      if (this.#parts.db.isDirty && !this.#parts.guard.fault) this.flushIfDue();
    } finally {
      this.#isWriting = false;
    }
  }

  /** Prepares the write of many rows in slices, again if blocks change them meanwhile. */
  async #prepare(): Promise<void> {
    const { db } = this.#parts;
    for (let i = 0; i < MAX_PREPARATIONS && this.isLong && !db.isPrepared; i++) await inSlices(db.prepareFlush(), NOT_ABORTED);
  }

  /** True if the write of the pending changes needs a turn of its own. */
  get isLong(): boolean {
    return this.#parts.db.pendingRows >= LONG_ROWS;
  }

  /** Prepares the write of a `flushIfDue` that follows soon. */
  *prepareIfDue(): Steps<void> {
    if (this.#isSyncDue) yield* this.#parts.db.prepareFlush();
  }

  get #isSyncDue(): boolean {
    const { db, pace } = this.#parts;
    return pace.isDue({ pendingRows: db.pendingRows });
  }

  /** True near the tip of the network, where the changes of blocks are written soon after them. */
  get writesSoon(): boolean {
    return !this.#isPostponed && !this.isImporting && !this.#parts.chain.isInitialDownload();
  }

  /** Runs work whose changes are written by a later `flushIfDue`, unless they are due at its end. */
  postponing<T>(work: () => T): T {
    this.#isPostponed = true;
    try {
      return work();
    } finally {
      this.#isPostponed = false;
    }
  }

  /** Notes headers that were stored without their blocks. */
  noteHeaders(count: number): void {
    const { pace } = this.#parts;
    pace.noteHeaders(count);
    if (pace.isDueForHeaders) this.flush();
  }

  /** Writes pending changes. If that fails they stay in memory, and block processing is halted until they can be written. */
  flush(): void {
    if (this.#write({ sync: true })) this.#parts.pace.reset();
  }

  #write({ sync }: { readonly sync: boolean }): boolean {
    const { db, pruner, guard, events } = this.#parts;
    try {
      timed(events, 'write', () => db.flush({ sync }));
      void pruner?.pruneIfDue()?.catch((error: unknown) => guard.noteFlushFailure(error));
      return true;
    } catch (error) {
      guard.noteFlushFailure(error);
      return false;
    }
  }
}
