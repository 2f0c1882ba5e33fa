import type { Clock } from '../../util/clock.js';

/** Largest difference between mock time and the monotonic clock that is due to rounding to whole seconds. */
const ROUNDING_MS = 1_500;

/**
 * Elapsed milliseconds since an arbitrary start: those of the monotonic clock, or those of mock time when it is moved forward, so that
 * timeouts of minutes can be tested. The clock continues while mock time is constant.
 */
export class RelayClock {
  readonly #clock: Pick<Clock, 'seconds'>;
  readonly #nowMs: () => number;
  #elapsed = 0;
  #lastMs: number;
  #lastSeconds: number;

  constructor(clock: Pick<Clock, 'seconds'>, nowMs: () => number) {
    this.#clock = clock;
    this.#nowMs = nowMs;
    this.#lastMs = nowMs();
    this.#lastSeconds = clock.seconds();
  }

  now(): number {
    const nowMs = this.#nowMs();
    const seconds = this.#clock.seconds();
    const passed = nowMs - this.#lastMs;
    const moved = (seconds - this.#lastSeconds) * 1000;
    this.#elapsed += moved - passed > ROUNDING_MS ? moved : passed;
    this.#lastMs = nowMs;
    this.#lastSeconds = seconds;
    return this.#elapsed;
  }
}
