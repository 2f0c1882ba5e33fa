import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { equalBytes } from '../util/bytes.js';
import { parseLaxDer } from './der.js';
import { hasPublicKeySize, verifyCompact } from './ecdsa.js';
import { JobRing, type RingMemory, ringMemory, type SignatureJob } from './job-ring.js';

/** Verifies signatures of one block or transaction together. */
export interface SignatureBatch {
  /** Takes a signature on trust. @returns false at once for one that cannot be right */
  add(publicKey: Uint8Array, derSignature: Uint8Array, hash: Uint8Array): boolean;
  /** True if all that were taken are right. Ends the batch. */
  settle(): boolean;
}

export interface VerifyPoolOptions {
  /** What a thread runs: `verify-worker`, as JavaScript. */
  readonly program: URL;
  /** A thread could not start. */
  readonly onError: (error: Error) => void;
}

const CAPACITY = 4096;
const MAX_THREADS = 16;

/**
 * Threads that verify signatures beside the one that runs scripts. That one does not sit idle: when it has no more scripts it helps.
 */
export class VerifyPool implements SignatureBatch {
  readonly #ring: JobRing;
  readonly #workers: Worker[] = [];
  readonly #memory: RingMemory;
  /** A signature was wrong before room was made for more. */
  #failedEarly = false;
  /** What was taken last: scripts like to check one signature several times over. */
  #last: Signed | undefined;

  /** @param threads how many verify, the calling one included: 1 starts none */
  constructor(
    readonly threads: number,
    private readonly options: VerifyPoolOptions,
  ) {
    this.#memory = ringMemory(CAPACITY);
    this.#ring = new JobRing(this.#memory);
  }

  start(): void {
    while (this.#workers.length < this.threads - 1) {
      const worker = new Worker(this.options.program, { workerData: this.#memory, name: 'verify' });
      // A thread that cannot start took no job, so its work is done here.
      worker.on('error', (error) => this.options.onError(error));
      worker.unref();
      this.#workers.push(worker);
    }
  }

  async stop(): Promise<void> {
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
    this.#ring.call();
    while (this.#ring.work(verifyJob)) {}
    return this.#ring.settle();
  }

  settle(): boolean {
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
 * Threads that `-par` asks for.
 * @param par 0 for as many as there are processors, negative to leave that many free
 */
export function threadsOf(par: number, processors = availableParallelism()): number {
  return Math.max(1, Math.min(par <= 0 ? processors + par : par, MAX_THREADS));
}
