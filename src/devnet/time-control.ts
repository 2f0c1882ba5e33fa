import type { Chain } from '../chain/chain.js';
import type { SystemClock } from '../util/clock.js';
import { invalidParameter } from '../util/errors.js';

/** Largest time of a block header, seconds since 1970. */
const MAX_TIME = 0xffff_ffff;

/** State of a clock: stopped, or running. */
export interface ClockState {
  readonly seconds: number;
  readonly isStopped: boolean;
}

/** Sets the clock of the node. */
export class TimeControl {
  /** Time of the next block, if it is fixed. */
  #next: number | undefined;

  constructor(
    private readonly clock: SystemClock,
    private readonly chain: Pick<Chain, 'tip' | 'on'>,
  ) {
    chain.on('connected', () => this.#release());
  }

  now(): number {
    return this.clock.seconds();
  }

  /** Seconds that the clock is ahead of that of the system. */
  get offset(): number {
    return this.now() - Math.floor(this.clock.now() / 1000);
  }

  /** Starts the clock at a moment. @param seconds since 1970 */
  set(seconds: number): void {
    if (seconds < 1 || seconds > MAX_TIME) throw invalidParameter(`time ${seconds} is out of range`);
    this.#next = undefined;
    this.clock.runFrom(seconds);
  }

  /** Moves the time ahead. A clock that was stopped by `setmocktime` stays so. */
  advance(seconds: number): void {
    const to = this.now() + seconds;
    if (to > MAX_TIME) throw invalidParameter(`time ${to} is out of range`);
    const { isStopped } = this.state();
    this.restore({ seconds: to, isStopped });
  }

  /** Fixes the time of the next block. @param seconds since 1970 */
  setNext(seconds: number): void {
    const { time } = this.chain.tip;
    if (seconds <= time) throw invalidParameter(`time ${seconds} is not after that of the tip, ${time}`);
    if (seconds > MAX_TIME) throw invalidParameter(`time ${seconds} is out of range`);
    this.clock.setMockTime(seconds);
    this.#next = seconds;
  }

  /**
   * Runs work that makes one block, while the clock is stopped at the fixed time of the next block, otherwise at `seconds`. Afterwards the
   * clock continues from there.
   */
  async at<T>(seconds: number, work: () => Promise<T>): Promise<T> {
    const { isStopped } = this.state();
    const time = this.#next ?? seconds;
    this.clock.setMockTime(time);
    try {
      return await work();
    } finally {
      this.#next = undefined;
      if (!isStopped) this.clock.runFrom(time);
    }
  }

  /** State of the clock, without a fixed time of the next block. */
  state(): ClockState {
    return { seconds: this.now(), isStopped: this.clock.mockTime !== 0 && this.#next === undefined };
  }

  restore({ seconds, isStopped }: ClockState): void {
    this.#next = undefined;
    if (isStopped) this.clock.setMockTime(seconds);
    else this.clock.runFrom(seconds);
  }

  #release(): void {
    if (this.#next !== undefined) this.set(this.#next);
  }
}
