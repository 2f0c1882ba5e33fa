import type { OutPoint } from '../../primitives/outpoint.js';
import type { OutputLocks } from '../txs/output-locks.js';

/** Outputs that a call has selected. They are locked until the call ends, so that it does not select them twice. */
export class CoinReservation {
  readonly #points: OutPoint[] = [];

  constructor(private readonly locks: OutputLocks) {}

  /** An output that was locked before the call stays locked when it ends. */
  add(point: OutPoint): void {
    if (this.locks.has(point)) return;
    this.locks.add(point);
    this.#points.push(point);
  }

  /** Unlocks the outputs that this reservation locked. */
  release(): void {
    for (const point of this.#points) this.locks.release(point);
  }
}
