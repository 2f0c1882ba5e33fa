import type { Emitter } from '../util/events.js';
import type { ChainDatabase } from './database.js';
import { type ChainEvents, timed } from './events.js';
import type { FaultGuard } from './faults.js';
import type { FlushPace } from './flush-pace.js';
import type { ChainPruner } from './pruning.js';
import type { ChainQueries } from './reader.js';

export interface FlusherParts {
  readonly chain: Pick<ChainQueries, 'isInitialDownload'>;
  readonly db: Pick<ChainDatabase, 'flush' | 'pendingRows'>;
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

  constructor(parts: FlusherParts) {
    this.#parts = parts;
  }

  flushIfDue(): void {
    const { chain, db, pace } = this.#parts;
    const catchingUp = this.isImporting || chain.isInitialDownload();
    if (pace.isDue({ pendingRows: db.pendingRows, catchingUp })) this.flush();
  }

  /** Notes headers that were stored without their blocks. */
  noteHeaders(count: number): void {
    const { pace } = this.#parts;
    pace.noteHeaders(count);
    if (pace.isDueForHeaders) this.flush();
  }

  /** Writes pending changes. If that fails they stay in memory, and block processing is halted until they can be written. */
  flush(): void {
    const { db, pruner, guard, events, pace } = this.#parts;
    try {
      timed(events, 'write', () => db.flush({ sync: true }));
      pruner?.pruneIfDue();
    } catch (error) {
      guard.noteFlushFailure(error);
      return;
    }
    pace.reset();
  }
}
