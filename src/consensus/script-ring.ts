import type { ScriptBell } from './script-bell.js';

/** A range of inputs of a transaction, whose bytes are in the ring. */
export interface RangeJob {
  /** Number of the transaction, the same for all of its ranges. */
  readonly id: number;
  /** Position of the bytes. */
  readonly at: number;
  readonly size: number;
  readonly from: number;
  readonly to: number;
}

const JOB_WORDS = 5;

/** Indexes of the shared counters in the control words. */
const HEAD = 0;
const NEXT = 1;
const DONE = 2;
const FAILED = 3;
/** 1 while the producer waits for the results. */
const AWAITED = 4;
const WORDS = 5;

/** Result of the jobs of a ring; `stalled` if a thread did not complete one that it had claimed. */
export type RingResult = 'valid' | 'invalid' | 'stalled';

export interface RingMemory {
  readonly control: SharedArrayBuffer;
  readonly jobs: SharedArrayBuffer;
  readonly bytes: SharedArrayBuffer;
}

/** Shared memory of a ring that has room for `capacity` jobs with `size` bytes. The system provides pages when they are written. */
export function ringMemory(capacity: number, size: number): RingMemory {
  return {
    control: new SharedArrayBuffer(WORDS * 4),
    jobs: new SharedArrayBuffer(capacity * JOB_WORDS * 4),
    bytes: new SharedArrayBuffer(size),
  };
}

/**
 * Ring of jobs in shared memory. One thread, the producer, adds jobs and waits at the end; all threads, including it, process jobs.
 * Layout of a job: number of the transaction, position and size of its bytes, first input, end of the inputs.
 */
export class ScriptRing {
  readonly #control: Int32Array;
  readonly #jobs: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #capacity: number;
  /** End of the bytes that were added since the ring was emptied. */
  #end = 0;

  constructor(
    { control, jobs, bytes }: RingMemory,
    private readonly bell: ScriptBell,
  ) {
    this.#control = new Int32Array(control);
    this.#jobs = new Int32Array(jobs);
    this.#bytes = new Uint8Array(bytes);
    this.#capacity = Math.floor(this.#jobs.length / JOB_WORDS);
  }

  /** Number of jobs since the ring was emptied. */
  get size(): number {
    return Atomics.load(this.#control, HEAD);
  }

  /** True if this many jobs with this many bytes fit into the empty ring. */
  couldHold(jobs: number, bytes: number): boolean {
    return jobs <= this.#capacity && bytes <= this.#bytes.length;
  }

  /** True if this many jobs with this many bytes fit now. */
  hasRoom(jobs: number, bytes: number): boolean {
    return this.size + jobs <= this.#capacity && this.#end + bytes <= this.#bytes.length;
  }

  /** Copies the bytes of jobs that follow; only for the producer, and only if there is room. @returns their position */
  addBytes(bytes: Uint8Array): number {
    const at = this.#end;
    this.#bytes.set(bytes, at);
    this.#end += bytes.length;
    return at;
  }

  /** Adds a job; only for the producer, and only if there is room. */
  push({ id, at, size, from, to }: RangeJob): void {
    const head = this.size;
    const word = head * JOB_WORDS;
    this.#jobs[word] = id;
    this.#jobs[word + 1] = at;
    this.#jobs[word + 2] = size;
    this.#jobs[word + 3] = from;
    this.#jobs[word + 4] = to;
    Atomics.store(this.#control, HEAD, head + 1);
    this.bell.added();
  }

  /** Claims and processes the next job, by its index. @returns false if there is none */
  work(verify: (index: number) => boolean): boolean {
    const index = this.#claim();
    if (index === undefined) return false;
    if (!verify(index)) Atomics.store(this.#control, FAILED, 1);
    Atomics.add(this.#control, DONE, 1);
    if (Atomics.load(this.#control, AWAITED) !== 0) Atomics.notify(this.#control, DONE);
    return true;
  }

  #claim(): number | undefined {
    for (;;) {
      const next = Atomics.load(this.#control, NEXT);
      if (next >= Atomics.load(this.#control, HEAD)) return undefined;
      if (Atomics.compareExchange(this.#control, NEXT, next, next + 1) === next) return next;
    }
  }

  jobAt(index: number): RangeJob {
    const word = index * JOB_WORDS;
    const field = (n: number) => this.#jobs[word + n] as number;
    return { id: field(0), at: field(1), size: field(2), from: field(3), to: field(4) };
  }

  /** Copy of the bytes of a job, because libraries do not accept shared memory. */
  bytesOf({ at, size }: RangeJob): Uint8Array {
    const copy = Buffer.allocUnsafe(size);
    copy.set(this.#bytes.subarray(at, at + size));
    return copy;
  }

  /**
   * Waits for the jobs that other threads have claimed, and empties the ring. A ring that has stalled must not be used again, because the
   * thread might still complete its job.
   * @param stallMs maximum time without a completed job
   */
  finish(stallMs: number): RingResult {
    const head = Atomics.load(this.#control, HEAD);
    Atomics.store(this.#control, AWAITED, 1);
    for (let done = Atomics.load(this.#control, DONE); done < head; done = Atomics.load(this.#control, DONE)) {
      if (Atomics.wait(this.#control, DONE, done, stallMs) === 'timed-out') return 'stalled';
    }
    Atomics.store(this.#control, AWAITED, 0);
    const good = Atomics.load(this.#control, FAILED) === 0;
    // HEAD is reset first, so that a thread that reads in between finds no job.
    Atomics.store(this.#control, HEAD, 0);
    Atomics.store(this.#control, NEXT, 0);
    Atomics.store(this.#control, DONE, 0);
    Atomics.store(this.#control, FAILED, 0);
    this.#end = 0;
    return good ? 'valid' : 'invalid';
  }
}
