import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { equalBytes } from '../util/bytes.js';
import { parseLaxDer } from './der.js';
import { hasPublicKeySize, verifyCompact } from './ecdsa.js';
import { JobRing, type RingMemory, ringMemory, type SignatureJob } from './job-ring.js';

/** Batch verification of the signatures of a block or transaction. */
export interface SignatureBatch {
  /** Adds a signature for later verification. @returns false if it is malformed and cannot be valid */
  add(publicKey: Uint8Array, derSignature: Uint8Array, hash: Uint8Array): boolean;
  /** Waits for the results and ends the batch. @returns true if all added signatures are valid */
  finish(): boolean;
}

export interface VerifyPoolOptions {
  /** Program of a thread: `verify-worker`, as JavaScript. */
  readonly program: URL;
  /** Called if a thread cannot start. */
  readonly onError: (error: Error) => void;
}

const CAPACITY = 4096;
const MAX_THREADS = 16;
/** Jobs of the first batch that is worth the start of the threads, each of which takes 5 MB. */
const JOBS_TO_START = 32;

/**
 * Threads that verify signatures in parallel with the one that runs scripts, which verifies too once it has no more scripts. They start
 * with the first batch that is large enough.
 */
export class VerifyPool implements SignatureBatch {
  readonly #ring: JobRing;
  readonly #workers: Worker[] = [];
  readonly #memory: RingMemory;
  /** True if a signature was invalid before the ring was emptied for more. */
  #failedEarly = false;
  #isStopped = false;
  /** The signature added last, as scripts often check the same one several times. */
  #last: Signed | undefined;

  /** @param threads number of verifying threads, including the calling one; 1 starts none */
  constructor(
    readonly threads: number,
    private readonly options: VerifyPoolOptions,
  ) {
    this.#memory = ringMemory(CAPACITY);
    this.#ring = new JobRing(this.#memory);
  }

  #start(): void {
    while (!this.#isStopped && this.#workers.length < this.threads - 1) {
      const worker = new Worker(this.options.program, { workerData: this.#memory, name: 'verify' });
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

  add(publicKey: Uint8Array, derSignature: Uint8Array, hash: Uint8Array): boolean {
    if (this.#last && isSame(this.#last, publicKey, derSignature, hash)) return true;
    if (!hasPublicKeySize(publicKey)) return false;
    const signature = parseLaxDer(derSignature);
    if (!signature) return false;
    if (this.#ring.isFull) this.#makeRoom();
    this.#ring.push({ publicKey, signature, hash });
    this.#last = { publicKey, derSignature, hash };
    return true;
  }

  #makeRoom(): void {
    if (!this.#drain()) this.#failedEarly = true;
  }

  #drain(): boolean {
    if (this.#ring.size >= JOBS_TO_START) this.#start();
    this.#ring.call();
    while (this.#ring.work(verifyJob)) {}
    return this.#ring.finish();
  }

  finish(): boolean {
    const good = this.#drain() && !this.#failedEarly;
    this.#failedEarly = false;
    this.#last = undefined;
    return good;
  }
}

interface Signed {
  readonly publicKey: Uint8Array;
  readonly derSignature: Uint8Array;
  readonly hash: Uint8Array;
}

function isSame(last: Signed, publicKey: Uint8Array, derSignature: Uint8Array, hash: Uint8Array): boolean {
  return equalBytes(last.hash, hash) && equalBytes(last.derSignature, derSignature) && equalBytes(last.publicKey, publicKey);
}

function verifyJob({ publicKey, signature, hash }: SignatureJob): boolean {
  return verifyCompact(publicKey, signature, hash);
}

/**
 * Number of threads for `-par`.
 * @param par 0 for the number of processors, negative to leave that many free
 */
export function threadsOf(par: number, processors = availableParallelism()): number {
  return Math.max(1, Math.min(par <= 0 ? processors + par : par, MAX_THREADS));
}
