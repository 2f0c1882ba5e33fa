/** Rows per read of another thread. */
const ROWS_PER_READ = 16;
/**
 * Largest number of rows that other threads read at a time. Their data blocks of some 4 KB stay in memory until the next turn of the event
 * loop.
 */
const MAX_ROWS = 1_024;
/** Reads are slow, that is from disk, if a row took longer on average, in microseconds. From memory it takes 3 to 10. */
const SLOW_ROW_US = 15;
/** Largest time of a single row that enters the average, so that a garbage collection in between does not count as a slow disk. */
const MAX_ROW_US = 200;
/** Rows after which the average has forgotten most of the earlier ones. */
const MEMORY_ROWS = 512;

type Read<Family> = (keys: readonly Uint8Array[], family: Family) => Promise<unknown>;

/**
 * Reads by the threads of the engine's binding, ahead of those of the main thread. Their values are dropped: they only load data blocks of
 * files into the engine's cache. Loading a data block costs some 100 µs, most of it in the kernel. No effect while reads are fast, because
 * it would then only cost time.
 */
export class ReadAhead<Family> {
  readonly #read: Read<Family>;
  readonly #running = new Set<Promise<unknown>>();
  /** Rows that are being read. */
  #rows = 0;
  /** Moving average of the time of reading a row, microseconds. Nothing is in memory at the start. */
  #rowUs = MAX_ROW_US;

  constructor(read: Read<Family>) {
    this.#read = read;
  }

  get isUseful(): boolean {
    return this.#rowUs > SLOW_ROW_US;
  }

  /** Notes the time of a read of the main thread. */
  note(rows: number, ms: number): void {
    const rowUs = Math.min((ms * 1_000) / rows, MAX_ROW_US);
    this.#rowUs += (rowUs - this.#rowUs) * Math.min(rows / MEMORY_ROWS, 1);
  }

  /** Begins to read rows, as many as the bound permits. */
  begin(keys: readonly Uint8Array[], family: Family): void {
    for (let i = 0; i < keys.length && this.#rows < MAX_ROWS; i += ROWS_PER_READ) {
      const part = keys.slice(i, i + ROWS_PER_READ);
      this.#rows += part.length;
      // An error is reported by the read of the main thread.
      const reading = this.#read(part, family)
        .catch(() => undefined)
        .finally(() => {
          this.#rows -= part.length;
          this.#running.delete(reading);
        });
      this.#running.add(reading);
    }
  }

  /** Resolves when no read is running. */
  async end(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
