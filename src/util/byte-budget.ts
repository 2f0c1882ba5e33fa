/** Part of a budget that is in use. */
export interface Lease {
  /** Returns what exceeds `bytes` to the budget. */
  shrink(bytes: number): void;
  /** Returns all of it, and gives up waiting; further calls do nothing. */
  release(): void;
}

interface Waiting {
  readonly lease: Reserved;
  readonly granted: () => void;
}

/** Bounds the bytes that many holders have at one time. Reservations that do not fit wait in order of arrival, up to a number. */
export class ByteBudget {
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(
    readonly total: number,
    readonly maxWaiting: number,
  ) {
    this.#free = total;
  }

  get used(): number {
    return this.total - this.#free;
  }

  /**
   * @param bytes at most the total
   * @param granted called once the bytes are reserved: before this method returns, if they are free
   * @returns undefined if too many wait already
   */
  reserve(bytes: number, granted: () => void): Lease | undefined {
    const isFree = this.#waiting.size === 0 && bytes <= this.#free;
    if (!isFree && this.#waiting.size >= this.maxWaiting) return undefined;
    const lease = new Reserved(bytes, (returned) => this.#return(returned));
    const waiting = { lease, granted };
    this.#waiting.add(waiting);
    lease.onGiveUp(() => {
      this.#waiting.delete(waiting);
      this.#grant();
    });
    this.#grant();
    return lease;
  }

  #return(bytes: number): void {
    this.#free += bytes;
    this.#grant();
  }

  #grant(): void {
    for (const waiting of this.#waiting) {
      if (waiting.lease.bytes > this.#free) return;
      this.#waiting.delete(waiting);
      this.#free -= waiting.lease.bytes;
      waiting.lease.grant();
      waiting.granted();
    }
  }
}

class Reserved implements Lease {
  #granted = false;
  #giveUp: () => void = () => {};

  constructor(
    public bytes: number,
    readonly returnDestination: (bytes: number) => void,
  ) {}

  onGiveUp(giveUp: () => void): void {
    this.#giveUp = giveUp;
  }

  grant(): void {
    this.#granted = true;
  }

  shrink(bytes: number): void {
    if (!this.#granted || bytes >= this.bytes) return;
    const returned = this.bytes - bytes;
    this.bytes = bytes;
    this.returnDestination(returned);
  }

  release(): void {
    if (this.#granted) this.shrink(0);
    else this.#giveUp();
  }
}
