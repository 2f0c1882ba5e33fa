import type { Frame } from '../wire/envelope.js';

/** Memory of a queued message besides its payload, bytes. */
const FRAME_OVERHEAD = 256;
/** Processed messages at the front of the array before it is compacted. */
const COMPACT_AFTER = 1000;
/** Time for messages per turn of the event loop; the last one may exceed it. */
const SLICE_MS = 10;

/** Queue of received messages of one peer. */
export class Inbox {
  readonly #frames: Frame[] = [];
  #first = 0;
  bytes = 0;

  get empty(): boolean {
    return this.#first === this.#frames.length;
  }

  /** Command of the next message; undefined if there is none, or it has none that is known. */
  get nextCommand(): string | undefined {
    const frame = this.#frames[this.#first];
    return frame?.kind === 'message' ? frame.command : undefined;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.bytes += sizeOf(frame);
  }

  shift(): Frame | undefined {
    const frame = this.#frames[this.#first];
    if (frame === undefined) return undefined;
    this.#first += 1;
    this.bytes -= sizeOf(frame);
    // In bulk, because a shift for each of many small messages would move all the others.
    if (this.empty || this.#first === COMPACT_AFTER) {
      this.#frames.splice(0, this.#first);
      this.#first = 0;
    }
    return frame;
  }

  clear(): void {
    this.#frames.length = 0;
    this.#first = 0;
    this.bytes = 0;
  }
}

function sizeOf(frame: Frame): number {
  return FRAME_OVERHEAD + (frame.kind === 'message' ? frame.payload.length : 0);
}

export interface Reader {
  /** Processes one message. @returns true if another one is ready */
  step(): boolean;
}

/** Round-robin over peers: one message each, in slices, so that a busy peer delays neither other peers nor the rest of the node. */
export class RoundRobin {
  #waiting: Reader[] = [];
  readonly #queued = new Set<Reader>();
  #scheduled: NodeJS.Immediate | undefined;

  /** Queues a reader for its turn; has no effect if it is queued already. */
  queue(reader: Reader): void {
    if (this.#queued.has(reader)) return;
    this.#queued.add(reader);
    this.#waiting.push(reader);
    this.#scheduled ??= setImmediate(() => this.#run());
  }

  /** True if no reader is queued. */
  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  drop(reader: Reader): void {
    if (this.#queued.delete(reader)) this.#waiting = this.#waiting.filter((each) => each !== reader);
  }

  stop(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#waiting = [];
    this.#queued.clear();
  }

  #run(): void {
    const until = performance.now() + SLICE_MS;
    do {
      const round = this.#waiting;
      this.#waiting = [];
      for (const reader of round) {
        if (!this.#queued.delete(reader)) continue;
        if (reader.step()) this.#requeue(reader);
      }
    } while (this.#waiting.length > 0 && performance.now() < until);
    this.#scheduled = this.#waiting.length > 0 ? setImmediate(() => this.#run()) : undefined;
  }

  #requeue(reader: Reader): void {
    if (this.#queued.has(reader)) return;
    this.#queued.add(reader);
    this.#waiting.push(reader);
  }
}
