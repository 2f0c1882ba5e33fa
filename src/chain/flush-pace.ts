import type { Clock } from '../util/clock.js';

const INTERVAL_SEC = 60;
/** Blocks after which changes are synced: the most that are connected again after a power failure. */
const MAX_BLOCKS = 1_000;
/** Rows after which pending changes are written during initial download: about a hundred megabytes. */
const MAX_ROWS = 400_000;
/** Headers after which pending changes are written. */
const MAX_HEADERS = 10_000;

/** Schedule of synced flushes. Near the tip of the network the changes of blocks are also written soon after them, without a sync. */
export class FlushPace {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #last: number;
  #blocks = 0;
  #headers = 0;

  constructor(clock: Clock, intervalSec = INTERVAL_SEC) {
    this.#clock = clock;
    this.#intervalMs = intervalSec * 1000;
    this.#last = clock.now();
  }

  noteBlock(): void {
    this.#blocks += 1;
  }

  noteHeaders(count: number): void {
    this.#headers += count;
  }

  get isDueForHeaders(): boolean {
    return this.#headers >= MAX_HEADERS;
  }

  isDue({ pendingRows }: { readonly pendingRows: number }): boolean {
    const overdue = this.#clock.now() - this.#last >= this.#intervalMs;
    return overdue || this.#blocks >= MAX_BLOCKS || pendingRows >= MAX_ROWS;
  }

  /** Restarts the counters after a flush. */
  reset(): void {
    this.#last = this.#clock.now();
    this.#blocks = 0;
    this.#headers = 0;
  }
}
