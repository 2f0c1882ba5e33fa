import type { AccessListItem } from '../execute.js';
import type { Failure } from '../failure.js';
import type { Frame } from '../frame.js';
import { Op } from '../instructions/operands.js';
import { WordMap } from '../word-map.js';
import type { Tracer } from './tracer.js';

/** Slots that an execution reads or writes, also in frames that fail. */
export class AccessTracer implements Tracer {
  readonly #slots = new WordMap<WordMap<true>>();
  #slot = 0n;

  /** Accounts with at least one slot, in the order of their first access. */
  accessList(): readonly AccessListItem[] {
    return [...this.#slots].map(([address, slots]) => ({ address, keys: [...slots].map(([slot]) => slot) }));
  }

  start(): void {}

  step(frame: Frame, op: number): void {
    if ((op === Op.sload || op === Op.sstore) && frame.height > 0) this.#slot = frame.peek(0);
  }

  stepped({ context }: Frame, op: number, _: unknown, failure: Failure | undefined): void {
    if (failure || (op !== Op.sload && op !== Op.sstore)) return;
    const slots = this.#slots.get(context.address) ?? new WordMap<true>();
    slots.set(this.#slot, true);
    this.#slots.set(context.address, slots);
  }

  ranOff(): void {}
  enter(): void {}
  leave(): void {}
}
