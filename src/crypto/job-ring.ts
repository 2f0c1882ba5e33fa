/** A job: a signature to verify. */
export interface SignatureJob {
  readonly publicKey: Uint8Array;
  /** r and s, 32 bytes big-endian each. */
  readonly signature: Uint8Array;
  readonly hash: Uint8Array;
}

const PUBLIC_KEY_BYTES = 65;
const SIGNATURE_AT = 66;
const HASH_AT = 130;
const JOB_BYTES = 164;
/** Jobs per wake-up of a thread, since waking one costs a tenth of a job, and often the processor. */
const JOBS_PER_CALL = 16;

/** Indexes of the shared counters in the control words. */
const HEAD = 0;
const NEXT = 1;
const DONE = 2;
const FAILED = 3;
/** Number of threads that wait for jobs. */
const IDLE = 4;
/** 1 while the producer waits for the results. */
const AWAITED = 5;
const WORDS = 6;

export interface RingMemory {
  readonly control: SharedArrayBuffer;
  readonly jobs: SharedArrayBuffer;
}

/** Shared memory of a ring that has room for `capacity` jobs. */
export function ringMemory(capacity: number): RingMemory {
  return { control: new SharedArrayBuffer(WORDS * 4), jobs: new SharedArrayBuffer(capacity * JOB_BYTES) };
}

/**
 * Ring of jobs in shared memory. One thread, the producer, adds jobs and waits at the end; all threads, including it, process jobs.
 * Layout of a job: length of the key (1), key (65), signature (64), hash (32), two bytes unused.
 */
export class JobRing {
  readonly #control: Int32Array;
  readonly #bytes: Uint8Array;
  /** Copy of the job in process, because libraries do not accept shared memory. */
  readonly #copy = Buffer.alloc(JOB_BYTES);
  readonly #keys = Array.from({ length: PUBLIC_KEY_BYTES + 1 }, (_, size) => this.#copy.subarray(1, 1 + size));
  readonly #signature = this.#copy.subarray(SIGNATURE_AT, HASH_AT);
  readonly #hash = this.#copy.subarray(HASH_AT, HASH_AT + 32);
  readonly capacity: number;

  constructor({ control, jobs }: RingMemory) {
    this.#control = new Int32Array(control);
    this.#bytes = new Uint8Array(jobs);
    this.capacity = Math.floor(jobs.byteLength / JOB_BYTES);
  }

  /** Number of jobs since the ring was emptied. */
  get size(): number {
    return Atomics.load(this.#control, HEAD);
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  /** Adds a job; only for the producer, and only while the ring is not full. */
  push({ publicKey, signature, hash }: SignatureJob): void {
    const head = Atomics.load(this.#control, HEAD);
    const at = head * JOB_BYTES;
    this.#bytes[at] = publicKey.length;
    this.#bytes.set(publicKey, at + 1);
    this.#bytes.set(signature, at + SIGNATURE_AT);
    this.#bytes.set(hash, at + HASH_AT);
    Atomics.store(this.#control, HEAD, head + 1);
    if ((head + 1) % JOBS_PER_CALL === 0 && Atomics.load(this.#control, IDLE) > 0) Atomics.notify(this.#control, HEAD, 1);
  }

  /** Wakes sleeping threads after the last jobs were added. */
  call(): void {
    Atomics.notify(this.#control, HEAD);
  }

  /** Claims and processes the next job, whose bytes `verify` must not keep. @returns false if there is none */
  work(verify: (job: SignatureJob) => boolean): boolean {
    const index = this.#claim();
    if (index === undefined) return false;
    if (!verify(this.#jobAt(index))) Atomics.store(this.#control, FAILED, 1);
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

  /** The job at an index, until the next one is asked for. */
  #jobAt(index: number): SignatureJob {
    const start = index * JOB_BYTES;
    for (let i = 0; i < JOB_BYTES; i++) this.#copy[i] = this.#bytes[start + i] as number;
    const publicKey = this.#keys[Math.min(this.#copy[0] as number, PUBLIC_KEY_BYTES)] as Uint8Array;
    return { publicKey, signature: this.#signature, hash: this.#hash };
  }

  /** Blocks until a job may be available; for worker threads only. */
  waitForWork(): void {
    const head = Atomics.load(this.#control, HEAD);
    if (Atomics.load(this.#control, NEXT) < head) return;
    // A job added from here on either changes the awaited value or finds this thread idle.
    Atomics.add(this.#control, IDLE, 1);
    Atomics.wait(this.#control, HEAD, head);
    Atomics.sub(this.#control, IDLE, 1);
  }

  /**
   * Waits for the jobs that other threads have claimed, and empties the ring.
   * @returns false if any signature was invalid
   */
  finish(): boolean {
    const head = Atomics.load(this.#control, HEAD);
    Atomics.store(this.#control, AWAITED, 1);
    for (let done = Atomics.load(this.#control, DONE); done < head; done = Atomics.load(this.#control, DONE)) {
      Atomics.wait(this.#control, DONE, done);
    }
    Atomics.store(this.#control, AWAITED, 0);
    const good = Atomics.load(this.#control, FAILED) === 0;
    // HEAD is reset first, so that a thread that reads in between finds no job.
    Atomics.store(this.#control, HEAD, 0);
    Atomics.store(this.#control, NEXT, 0);
    Atomics.store(this.#control, DONE, 0);
    Atomics.store(this.#control, FAILED, 0);
    return good;
  }
}
