/** Source of time for all modules. Tests and `setmocktime` replace the system clock. */
export interface Clock {
  /** Milliseconds since 1970, not affected by mock time; for durations and logs. */
  now(): number;
  /** Whole seconds since 1970, or mock time; for consensus and answers. */
  seconds(): number;
}

/** System clock, which `setmocktime` may override. */
export class SystemClock implements Clock {
  private mockSeconds = 0;
  private aheadSeconds = 0;

  now(): number {
    return Date.now();
  }

  seconds(): number {
    return this.mockSeconds !== 0 ? this.mockSeconds : Math.floor(Date.now() / 1000) + this.aheadSeconds;
  }

  /** @param seconds since 1970; 0 returns to the system clock */
  setMockTime(seconds: number): void {
    this.mockSeconds = seconds;
  }

  /** Lets the time run on from a moment; ends mock time. @param seconds since 1970 */
  runFrom(seconds: number): void {
    this.mockSeconds = 0;
    this.aheadSeconds = seconds - Math.floor(Date.now() / 1000);
  }

  /** Seconds set by `setMockTime`; 0 without mock time. */
  get mockTime(): number {
    return this.mockSeconds;
  }
}

/** A clock that changes only when it is set. */
export class FixedClock implements Clock {
  private current: number;

  constructor(seconds: number) {
    this.current = seconds;
  }

  now(): number {
    return this.current * 1000;
  }

  seconds(): number {
    return this.current;
  }

  set(seconds: number): void {
    this.current = seconds;
  }
}
