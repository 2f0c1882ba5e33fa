/** Samples kept: one per address, the first ones to come. */
const MAX_SAMPLES = 200;
const LEAST_SAMPLES = 5;
/** A peer this near to our clock shows that ours is right, seconds. */
const NEAR_SEC = 300;

/**
 * What to add to our clock to have the network's: the median of what peers said, looked at when their number is odd. Beyond the largest
 * correction it stays at nothing: either the clock is badly wrong, which the operator is told, or the peers are.
 */
export class TimeOffset {
  readonly #maxSec: number;
  readonly #onWrongClock: () => void;
  readonly #known = new Set<string>();
  /** Ours, which is no offset at all, counts too. */
  readonly #samples: number[] = [0];
  #offset = 0;
  #warned = false;

  constructor(maxSec: number, onWrongClock: () => void) {
    this.#maxSec = maxSec;
    this.#onWrongClock = onWrongClock;
  }

  /** Seconds. */
  get seconds(): number {
    return this.#offset;
  }

  /** @param address so that nobody counts twice */
  add(address: string, offsetSec: number): void {
    if (this.#known.size >= MAX_SAMPLES || this.#known.has(address)) return;
    this.#known.add(address);
    this.#samples.push(offsetSec);
    if (this.#samples.length < LEAST_SAMPLES || this.#samples.length % 2 === 0) return;
    const sorted = [...this.#samples].sort((a, b) => a - b);
    const median = sorted[(sorted.length - 1) / 2] ?? 0;
    if (Math.abs(median) <= this.#maxSec) {
      this.#offset = median;
      return;
    }
    this.#offset = 0;
    if (this.#warned || sorted.some((sample) => sample !== 0 && Math.abs(sample) < NEAR_SEC)) return;
    this.#warned = true;
    this.#onWrongClock();
  }
}
