/** The time, as everything below `node.ts` sees it. Tests and `setmocktime` hold it still. */
export interface Clock {
  /** Milliseconds since 1970; for durations and logs, never moved by mock time. */
  now(): number;
  /** Whole seconds since 1970; honours mock time, so consensus and answers use this one. */
  seconds(): number;
}

/** The machine's clock, which `setmocktime` may override. */
export class SystemClock implements Clock {
  private mockSeconds = 0;

  now(): number {
    return Date.now();
  }

  seconds(): number {
    return this.mockSeconds !== 0 ? this.mockSeconds : Math.floor(Date.now() / 1000);
  }

  /** @param seconds since 1970; 0 returns to real time */
  setMockTime(seconds: number): void {
    this.mockSeconds = seconds;
  }

  /** Seconds set by `setMockTime`, 0 while time is real. */
  get mockTime(): number {
    return this.mockSeconds;
  }
}

/** A clock that stands until it is set. */
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
