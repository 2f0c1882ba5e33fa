import type { Frame } from '../wire/envelope.js';

/** What a message that waits takes beside its bytes. */
const FRAME_OVERHEAD = 256;
/** Handled messages that may lie before the waiting ones. */
const COMPACT_AFTER = 1000;
/** How long messages are handled before the loop gets its turn; the last of them comes on top. */
const SLICE_MS = 10;

/** Messages of one peer that wait to be handled. */
export class Inbox {
  readonly #frames: Frame[] = [];
  #first = 0;
  bytes = 0;

  get empty(): boolean {
    return this.#first === this.#frames.length;
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
    // In bulk: or each of many small messages would cost a move of all the others.
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
  /** Handles one message. @returns whether another is ready to be handled */
  step(): boolean;
}

/** Lets peers take turns: one message each, in slices, so that a busy peer delays neither the others nor the rest of the node. */
export class RoundRobin {
  #waiting: Reader[] = [];
  readonly #queued = new Set<Reader>();
  #scheduled: NodeJS.Immediate | undefined;

  /** Asks for a turn; once is enough. */
  queue(reader: Reader): void {
    if (this.#queued.has(reader)) return;
    this.#queued.add(reader);
    this.#waiting.push(reader);
    this.#scheduled ??= setImmediate(() => this.#run());
  }

  /** Nobody waits for a turn. */
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
