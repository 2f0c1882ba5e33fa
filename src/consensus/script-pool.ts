import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { WitnessHashes } from '../script/sighash.js';
import { encodeScriptJob, type ScriptJob } from './script-jobs.js';
import { type RingMemory, ringMemory, ScriptRing } from './script-ring.js';
import { areScriptsValid, type ScriptBatch, type ScriptThreads } from './scripts.js';

export interface ScriptPoolOptions {
  /** Program of a thread: `script-worker`, as JavaScript. */
  readonly program: URL;
  /** Called if a thread cannot start. */
  readonly onError: (error: Error) => void;
}

const CAPACITY = 8_192;
/** Room for the transactions of a large block. */
const RING_BYTES = 4 * 2 ** 20;
const MAX_THREADS = 16;
/** Inputs of a job: a transaction with more is verified by several threads. */
const INPUTS_PER_JOB = 32;
/** Jobs of the first batch that is worth the start of the threads, each of which takes 10 MB. */
const JOBS_TO_START = 32;

/**
 * Threads that verify scripts in parallel with the one that connects a block, which helps once it has nothing else to do for the block.
 * They start with the first batch that is large enough. One batch is processed at a time; opening another one does not end it,
 * but adding to another one does.
 */
export class ScriptPool implements ScriptThreads {
  readonly #ring: ScriptRing;
  readonly #workers: Worker[] = [];
  readonly #memory: RingMemory;
  /** Transactions in the ring, by index of their jobs. */
  #jobs: ScriptJob[] = [];
  #hashes: WitnessHashes | undefined;
  #lastId = 0;
  #current: Batch | undefined;
  #isStopped = false;

  /** @param threads number of verifying threads, including the calling one; 1 starts none */
  constructor(
    readonly threads: number,
    private readonly options: ScriptPoolOptions,
  ) {
    this.#memory = ringMemory(CAPACITY, RING_BYTES);
    this.#ring = new ScriptRing(this.#memory);
  }

  open(): ScriptBatch {
    return new Batch(this);
  }

  #start(): void {
    while (!this.#isStopped && this.#workers.length < this.threads - 1) {
      const worker = new Worker(this.options.program, { workerData: this.#memory, name: 'scripts' });
      // A thread that could not start has claimed no job, so the other threads process all.
      worker.on('error', (error) => this.options.onError(error));
      worker.unref();
      this.#workers.push(worker);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  /** Adds a transaction to a batch. @param waits true to make room if there is none @returns false if it is too large */
  add(batch: Batch, job: ScriptJob, waits: boolean): boolean {
    if (this.#current !== batch) this.#settle();
    this.#current = batch;
    const bytes = encodeScriptJob(job);
    const inputs = job.tx.vin.length;
    const count = Math.ceil(inputs / INPUTS_PER_JOB);
    if (!this.#ring.couldHold(count, bytes.length)) return false;
    if (!this.#ring.hasRoom(count, bytes.length)) {
      if (!waits) return false;
      this.#drain(batch);
    }
    this.#lastId = (this.#lastId + 1) | 0;
    const id = this.#lastId;
    const size = bytes.length;
    const at = this.#ring.addBytes(bytes);
    for (let from = 0; from < inputs; from += INPUTS_PER_JOB) {
      this.#jobs.push(job);
      this.#ring.push({ id, at, size, from, to: Math.min(from + INPUTS_PER_JOB, inputs) });
    }
    if (this.#ring.size >= JOBS_TO_START) this.#start();
    return true;
  }

  /** Processes a job of a batch, if it is the current one. @returns false if none waits */
  help(batch: Batch): boolean {
    return this.#current === batch && this.#ring.work(this.#verify);
  }

  /** Ends a batch, if it is the current one. */
  finish(batch: Batch): void {
    if (this.#current === batch) this.#settle();
  }

  /** Ends a batch whose jobs need not be processed. */
  discard(batch: Batch): void {
    if (this.#current !== batch) return;
    while (this.#ring.work(() => true)) {}
    this.#settle();
  }

  /** Ends the current batch. */
  #settle(): void {
    if (this.#current) this.#drain(this.#current);
    this.#current = undefined;
  }

  /** Processes all jobs of a batch. */
  #drain(batch: Batch): void {
    if (this.#ring.size === 0) return;
    this.#ring.call();
    while (this.#ring.work(this.#verify)) {}
    if (!this.#ring.finish()) batch.isGood = false;
    this.#jobs = [];
    this.#hashes = undefined;
  }

  readonly #verify = (index: number): boolean => {
    const job = this.#jobs[index] as ScriptJob;
    if (this.#hashes?.tx !== job.tx) this.#hashes = new WitnessHashes(job.tx, job.format);
    return areScriptsValid(job, this.#ring.jobAt(index), this.#hashes);
  };
}

class Batch implements ScriptBatch {
  isGood = true;

  constructor(private readonly pool: ScriptPool) {}

  add(job: ScriptJob): boolean {
    return this.pool.add(this, job, true);
  }

  addIfRoom(job: ScriptJob): boolean {
    return this.pool.add(this, job, false);
  }

  help(): boolean {
    return this.pool.help(this);
  }

  discard(): void {
    this.pool.discard(this);
  }

  finish(): boolean {
    this.pool.finish(this);
    return this.isGood;
  }
}

/**
 * Number of threads for `-par`.
 * @param par 0 for the number of processors, negative to leave that many free
 */
export function threadsOf(par: number, processors = availableParallelism()): number {
  return Math.max(1, Math.min(par <= 0 ? processors + par : par, MAX_THREADS));
}
