/** Most samples of peers; later ones are ignored. With the 200th, `defid` drops the sample of its own clock, and their number is even. */
const MAX_SAMPLES = 199;
const LEAST_SAMPLES = 5;
/** A peer whose clock differs by less, in seconds, confirms that ours is right. */
const NEAR_SEC = 300;

/**
 * Offset of network time from our clock: the median of the peers' offsets, updated when their number is odd. An offset beyond the limit is
 * set to zero: either our clock is wrong, for which the operator is warned, or the clocks of the peers are.
 */
export class TimeOffset {
  readonly #maxSec: number;
  readonly #onWrongClock: () => void;
  readonly #known = new Set<string>();
  /** Seconds; the first is that of our own clock. */
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

  /** @param address of the peer; only the first sample of each counts */
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
