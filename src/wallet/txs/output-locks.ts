import { type OutPoint, pointKey } from '../../primitives/outpoint.js';

/** Locked outputs, which coin selection skips. In memory only: unloading the wallet unlocks them. @see docs/protocol/wallet.md 2.14 */
export class OutputLocks {
  readonly #points = new Map<string, OutPoint>();

  /** @param onChange called after each change */
  constructor(private readonly onChange: () => void) {}

  add(point: OutPoint): void {
    this.#points.set(pointKey(point), point);
    this.onChange();
  }

  release(point: OutPoint): void {
    if (this.#points.delete(pointKey(point))) this.onChange();
  }

  releaseAll(): void {
    this.#points.clear();
    this.onChange();
  }

  get isEmpty(): boolean {
    return this.#points.size === 0;
  }

  has(point: OutPoint): boolean {
    return this.#points.has(pointKey(point));
  }

  /** By raw txid, then index. */
  list(): OutPoint[] {
    const sorted = [...this.#points].sort(([a, p], [b, q]) => {
      const [left, right] = [a.slice(0, 64), b.slice(0, 64)];
      return left === right ? p.vout - q.vout : left < right ? -1 : 1;
    });
    return sorted.map(([, point]) => point);
  }
}
