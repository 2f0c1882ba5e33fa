import type { Steps } from '../util/slicer.js';
import type { Overlay } from './overlay.js';
import type { PreparedRows, Store } from './view.js';

/** Rows that are prepared at most: they are in memory twice until they are written. */
const MAX_ROWS = 50_000;

/**
 * Prepares the write of an overlay on a store in steps, so that the write itself takes half as long. It is outdated as soon as the overlay
 * changes.
 */
export class WritePreparation {
  /** Version of the overlay that is prepared; without rows until that is complete. */
  #state: { readonly version: number; readonly rows: PreparedRows | undefined } | undefined;

  constructor(
    private readonly pending: Overlay,
    private readonly store: Store,
  ) {}

  /** True from the begin until `take`. */
  get hasBegun(): boolean {
    return this.#state !== undefined;
  }

  /** True if the rows are prepared as they are now. */
  get isComplete(): boolean {
    return this.#state?.rows !== undefined && this.#state.version === this.pending.version;
  }

  *run(): Steps<void> {
    this.take()?.drop();
    if (this.pending.size > MAX_ROWS) return;
    const { version } = this.pending;
    this.#state = { version, rows: undefined };
    try {
      const rows = yield* this.store.prepareRows(this.pending.rowChanges());
      if (this.#state?.version === version) this.#state = { version, rows };
      else rows.drop();
    } catch {
      // The write meets the same error, and reports it.
      this.#state = undefined;
    }
  }

  /** Ends the preparation. @returns the rows; undefined if they are incomplete or outdated */
  take(): PreparedRows | undefined {
    const { version, rows } = this.#state ?? {};
    this.#state = undefined;
    if (version === this.pending.version) return rows;
    rows?.drop();
    return undefined;
  }
}
