import { Worker } from 'node:worker_threads';
import { Failure } from './failure.js';
import type { LongWork, Offload, WorkResult } from './interpreter.js';
import type { WorkReply, WorkRequest } from './long-work-worker.js';

const PAIRING = 8n;
const LAST_STANDARD = 9n;
/** Gas of the cheapest contract that is worth a thread; it pays for half a millisecond or more. */
const WORTH_A_THREAD = 150_000;

interface Waiting {
  resolve(result: WorkResult): void;
  reject(error: Error): void;
}

/**
 * A thread for what takes milliseconds in one step: pairings, long inputs of precompiled contracts and of hashes. Calls of clients wait for it
 * without blocking the event loop. It starts with the first work.
 */
export class LongWorkThread {
  #worker: Worker | undefined;
  #last = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @param program `long-work-worker`, as JavaScript */
  constructor(private readonly program: URL) {}

  readonly offload: Offload = (work, cost) => {
    const isLong = work.name === 'keccak' || work.name === PAIRING || (work.name <= LAST_STANDARD && cost >= WORTH_A_THREAD);
    return isLong ? this.#compute(work) : undefined;
  };

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#fail(new Error('the node is stopping'));
    await worker?.terminate();
  }

  #compute({ name, data }: LongWork): Promise<WorkResult> {
    const worker = this.#worker ?? this.#start();
    this.#last += 1;
    const request: WorkRequest = { id: this.#last, name, data: Uint8Array.from(data) };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.program, { name: 'long-work' });
    worker.on('message', (reply: WorkReply) => this.#receive(worker, reply));
    worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker = worker;
    return worker;
  }

  #receive(worker: Worker, reply: WorkReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    // An idle thread does not keep the process.
    if (this.#waiting.size === 0) worker.unref();
    if ('output' in reply) waiting?.resolve(reply.output);
    else if ('failure' in reply) waiting?.resolve(new Failure(reply.failure));
    else waiting?.reject(new Error(reply.fault));
  }

  /** The next work starts another thread. */
  #fail(error: Error): void {
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
