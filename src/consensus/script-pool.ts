import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { WitnessHashes } from '../script/sighash.js';
import { bellMemory, ScriptBell } from './script-bell.js';
import { encodeScriptJob, type ScriptJob } from './script-jobs.js';
import { type RingMemory, ringMemory, ScriptRing } from './script-ring.js';
import { areScriptsValid, type ScriptBatch, type ScriptThreads } from './scripts.js';

export interface ScriptPoolOptions {
  /** Program of a thread: `script-worker`, as JavaScript. */
  readonly program: URL;
  /** Called if a thread cannot start or ends early. */
  readonly onError: (error: Error) => void;
  /** Maximum time in which no thread completes a job while one is awaited, ms. */
  readonly stallMs?: number;
}

/** Far above the time of a job, and of what else the processor does meanwhile. */
const STALL_MS = 10_000;

const CAPACITY = 8_192;
/** Room for the transactions of a large block. */
const RING_BYTES = 4 * 2 ** 20;
const MAX_THREADS = 16;
/** Inputs of a job: a transaction with more is verified by several threads. */
const INPUTS_PER_JOB = 32;
/** Jobs of the first batch that is worth the start of the threads, each of which takes 10 MB. */
const JOBS_TO_START = 32;

/** Batches that are processed at a time: the scripts of a block, and those of the next one. */
const LANES = 2;

/** Memory that the threads share. */
export interface PoolMemory {
  readonly bell: SharedArrayBuffer;
  readonly rings: readonly RingMemory[];
}

/** A ring and the batch whose jobs are in it. */
class Lane {
  readonly ring: ScriptRing;
  batch: Batch | undefined;
  /** Transactions in the ring, by index of their jobs. */
  jobs: ScriptJob[] = [];
  #hashes: WitnessHashes | undefined;

  constructor(
    /** Index of the ring. */
    readonly index: number,
    memory: RingMemory,
    private readonly bell: ScriptBell,
    private readonly stallMs: number,
  ) {
    this.ring = new ScriptRing(memory, bell);
  }

  /** Processes a job. @returns false if none waits */
  work(): boolean {
    return this.ring.work(this.#verify);
  }

  /**
   * Processes all jobs, and notes the result in the batch.
   * @returns false if a thread has stalled, and the lane cannot be used again
   */
  drain(): boolean {
    if (this.ring.size === 0) return true;
    this.bell.ring();
    while (this.work()) {}
    const result = this.ring.finish(this.stallMs);
    if (result !== 'valid' && this.batch) this.batch.isGood = false;
    this.jobs = [];
    this.#hashes = undefined;
    return result !== 'stalled';
  }

  /** Drops the jobs that no thread has begun. */
  skip(): void {
    while (this.ring.work(() => true)) {}
  }

  readonly #verify = (index: number): boolean => {
    const job = this.jobs[index] as ScriptJob;
    if (this.#hashes?.tx !== job.tx) this.#hashes = new WitnessHashes(job.tx, job.format);
    return areScriptsValid(job, this.ring.jobAt(index), this.#hashes);
  };
}

/**
 * Threads that verify scripts in parallel with the one that connects a block, which helps once it has nothing else to do for the block.
 * They start with the first batch that is large enough. Two batches are processed at a time, the older one first; opening a third one
 * does not end them, but adding to it ends the older one.
 */
export class ScriptPool implements ScriptThreads {
  readonly #workers: Worker[] = [];
  readonly #stallMs: number;
  #memory: PoolMemory;
  #bell: ScriptBell;
  #free: Lane[];
  /** Lanes with a batch, the oldest first. */
  readonly #busy: Lane[] = [];
  #lastId = 0;
  #isStopped = false;

  /** @param threads number of verifying threads, including the calling one; 1 starts none */
  constructor(
    readonly threads: number,
    private readonly options: ScriptPoolOptions,
  ) {
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#memory = poolMemory();
    this.#bell = new ScriptBell(this.#memory.bell);
    this.#free = this.#lanes();
  }

  #lanes(): Lane[] {
    return this.#memory.rings.map((memory, index) => new Lane(index, memory, this.#bell, this.#stallMs));
  }

  open(): ScriptBatch {
    return new Batch(this);
  }

  #start(): void {
    while (!this.#isStopped && this.#workers.length < this.threads - 1) {
      const worker = new Worker(this.options.program, {
        workerData: this.#memory,
        name: 'scripts',
        // Its objects die with each job, so more room for them would only take memory.
        resourceLimits: { maxYoungGenerationSizeMb: 2 },
      });
      // A thread that could not start has claimed no job, so the other threads process all.
      worker.on('error', (error) => this.options.onError(error));
      worker.unref();
      this.#workers.push(worker);
    }
  }

  /**
   * Replaces the threads, one of which has died while it processed a job, and the memory that they share. Batches that were begun fail, so
   * that their scripts are verified again.
   */
  #replaceThreads(): void {
    this.options.onError(new Error(`no script was verified within ${this.#stallMs} ms`));
    for (const { batch } of this.#busy.splice(0)) if (batch) batch.isGood = false;
    for (const worker of this.#workers.splice(0)) void worker.terminate();
    this.#memory = poolMemory();
    this.#bell = new ScriptBell(this.#memory.bell);
    this.#free = this.#lanes();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  /** Adds a transaction to a batch. @param waits true to make room if there is none @returns false if it is too large */
  add(batch: Batch, job: ScriptJob, waits: boolean): boolean {
    let lane = this.#laneOf(batch) ?? this.#newLaneOf(batch);
    const bytes = encodeScriptJob(job);
    const inputs = job.tx.vin.length;
    const count = Math.ceil(inputs / INPUTS_PER_JOB);
    if (!lane.ring.couldHold(count, bytes.length)) return false;
    if (!lane.ring.hasRoom(count, bytes.length)) {
      if (!waits) return false;
      lane = this.#emptied(lane, batch);
    }
    const { ring } = lane;
    this.#lastId = (this.#lastId + 1) | 0;
    const id = this.#lastId;
    const size = bytes.length;
    const at = ring.addBytes(bytes);
    for (let from = 0; from < inputs; from += INPUTS_PER_JOB) {
      lane.jobs.push(job);
      ring.push({ id, at, size, from, to: Math.min(from + INPUTS_PER_JOB, inputs) });
    }
    if (ring.size >= JOBS_TO_START) this.#start();
    return true;
  }

  /** Processes a job of a batch. @returns false if none waits */
  help(batch: Batch): boolean {
    return this.#laneOf(batch)?.work() ?? false;
  }

  /** Ends a batch, unless it has ended. */
  finish(batch: Batch): void {
    const lane = this.#laneOf(batch);
    if (lane) this.#release(lane);
  }

  /** Ends a batch whose jobs need not be processed. */
  discard(batch: Batch): void {
    this.#laneOf(batch)?.skip();
    this.finish(batch);
  }

  /** @returns a lane of the batch without jobs */
  #emptied(lane: Lane, batch: Batch): Lane {
    if (lane.drain()) return lane;
    this.#replaceThreads();
    return this.#newLaneOf(batch);
  }

  #laneOf(batch: Batch): Lane | undefined {
    return this.#busy.find((lane) => lane.batch === batch);
  }

  #newLaneOf(batch: Batch): Lane {
    if (this.#free.length === 0) this.#release(this.#busy[0] as Lane);
    const lane = this.#free.pop() as Lane;
    lane.batch = batch;
    this.#busy.push(lane);
    this.#order();
    return lane;
  }

  #release(lane: Lane): void {
    if (!lane.drain()) {
      this.#replaceThreads();
      return;
    }
    lane.batch = undefined;
    this.#busy.splice(this.#busy.indexOf(lane), 1);
    this.#free.push(lane);
    this.#order();
  }

  #order(): void {
    this.#bell.first = this.#busy[0]?.index ?? 0;
  }
}

function poolMemory(): PoolMemory {
  return { bell: bellMemory(), rings: Array.from({ length: LANES }, () => ringMemory(CAPACITY, RING_BYTES)) };
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
