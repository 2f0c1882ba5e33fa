import type { Clock } from '../../util/clock.js';

/** Seconds that mock time may differ from what passed without having been moved: whole seconds are not exact. */
const ROUNDING_MS = 1_500;

/**
 * Milliseconds that pass, from an arbitrary start: as the monotonic clock has them, and more when mock time is moved forward, so that
 * what waits for minutes can be tested. Mock time that stands still does not stop it.
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
