import type { OutPoint } from '../../primitives/outpoint.js';
import type { OutputLocks } from '../txs/output-locks.js';

/** Outputs that one call sets aside, so that it does not spend them twice. */
export class CoinReservation {
  readonly #points: OutPoint[] = [];

  constructor(private readonly locks: OutputLocks) {}

  /** What was set aside before stays so when the call ends. */
  add(point: OutPoint): void {
    if (this.locks.has(point)) return;
    this.locks.add(point);
    this.#points.push(point);
  }

  release(): void {
    for (const point of this.#points) this.locks.release(point);
  }
}
