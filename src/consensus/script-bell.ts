/** Jobs per wake-up of a thread, since waking one costs a tenth of a job, and often the processor. */
const JOBS_PER_CALL = 16;

/** Indexes of the shared words. */
const ADDED = 0;
/** Number of threads that wait for jobs. */
const IDLE = 1;
/** Index of the ring whose jobs are processed first. */
const FIRST = 2;
const WORDS = 3;

export function bellMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(WORDS * 4);
}

/** Wakes the threads that process the jobs of some rings. Its `first` is the ring whose jobs come first. */
export class ScriptBell {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Number of jobs that were added to all rings, modulo 2^32. */
  get count(): number {
    return Atomics.load(this.#words, ADDED);
  }

  get first(): number {
    return Atomics.load(this.#words, FIRST);
  }

  set first(ring: number) {
    Atomics.store(this.#words, FIRST, ring);
  }

  /** Called after each job is added; wakes a thread from time to time. */
  added(): void {
    const count = Atomics.add(this.#words, ADDED, 1) + 1;
    if (count % JOBS_PER_CALL === 0 && Atomics.load(this.#words, IDLE) > 0) Atomics.notify(this.#words, ADDED, 1);
  }

  /** Wakes sleeping threads after the last jobs were added. */
  ring(): void {
    Atomics.notify(this.#words, ADDED);
  }

  /** Blocks until jobs may be available; for worker threads only. @param count before the caller looked for jobs */
  wait(count: number): void {
    // A job added from here on either has changed the count or finds this thread idle.
    Atomics.add(this.#words, IDLE, 1);
    Atomics.wait(this.#words, ADDED, count);
    Atomics.sub(this.#words, IDLE, 1);
  }
}
