import type { Emitter } from '../util/events.js';
import type { Steps } from '../util/slicer.js';
import type { ChainDatabase } from './database.js';
import { type ChainEvents, timed } from './events.js';
import type { FaultGuard } from './faults.js';
import type { FlushPace } from './flush-pace.js';
import type { ChainPruner } from './pruning.js';
import type { ChainQueries } from './reader.js';

/** Rows whose write takes several milliseconds. */
const LONG_ROWS = 1_000;

export interface FlusherParts {
  readonly chain: Pick<ChainQueries, 'isInitialDownload'>;
  readonly db: Pick<ChainDatabase, 'flush' | 'prepareFlush' | 'pendingRows' | 'isDirty' | 'syncBlocksAhead'>;
  readonly pace: FlushPace;
  readonly guard: Pick<FaultGuard, 'noteFlushFailure'>;
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

  constructor(parts: FlusherParts) {
    this.#parts = parts;
  }

  /**
   * Near the tip of the network the stored blocks are synced and the changes written without a sync: the engine keeps the order of
   * writes, so after a power failure the state is that of an earlier tip, and the blocks above it are connected again.
   */
  flushIfDue(): void {
    if (this.#isSyncDue) this.flush();
    else if (this.writesEachBlock) this.#write({ sync: false });
  }

  /** Begins to sync the stored blocks on another thread, so that `persist` waits less. */
  syncAhead(): void {
    this.#syncing ??= this.#parts.db.syncBlocksAhead().finally(() => (this.#syncing = undefined));
  }

  /** Flushes what is due once the sync that runs has ended, unless a snapshot or the shutdown has written it meanwhile. */
  async persist(): Promise<void> {
    await this.#syncing;
    if (this.#parts.db.isDirty) this.flushIfDue();
  }

  /**
   * As `flushIfDue`, but near the tip the stored blocks are synced on another thread, and the changes are written afterwards. An
   * unclean shutdown before that leaves the state before them, and the next start connects the stored blocks again.
   */
  flushLater(): void {
    if (this.#isSyncDue || !this.writesEachBlock) this.flushIfDue();
    else {
      this.syncAhead();
      void this.persist();
    }
  }

  /** True if the write of the pending changes needs a turn of its own. */
  get isLong(): boolean {
    return this.#parts.db.pendingRows >= LONG_ROWS;
  }

  /** Prepares the write of a `flushIfDue` that follows soon. */
  *prepareIfDue(): Steps<void> {
    if (this.#isSyncDue || this.writesEachBlock) yield* this.#parts.db.prepareFlush();
  }

  get #isSyncDue(): boolean {
    const { db, pace } = this.#parts;
    return pace.isDue({ pendingRows: db.pendingRows });
  }

  /** True near the tip of the network, where the changes of each block are written. */
  get writesEachBlock(): boolean {
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
      pruner?.pruneIfDue();
      return true;
    } catch (error) {
      guard.noteFlushFailure(error);
      return false;
    }
  }
}
