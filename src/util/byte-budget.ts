/** Reserved part of a budget. */
export interface Lease {
  /** Reduces the reservation to `bytes`. */
  shrink(bytes: number): void;
  /** Ends the reservation, or the wait for it; further calls do nothing. */
  release(): void;
}

interface Waiting {
  readonly lease: Reserved;
  readonly granted: () => void;
}

/** Limits the bytes that many holders reserve at one time. Reservations that do not fit wait in order of arrival. */
export class ByteBudget {
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(
    readonly total: number,
    /** Maximum number of waiting reservations. */
    readonly maxWaiting: number,
  ) {
    this.#free = total;
  }

  get used(): number {
    return this.total - this.#free;
  }

  /**
   * Reserves bytes, now or later.
   * @param bytes at most the total
   * @param granted called once the bytes are reserved: before this method returns, if they are free
   * @returns undefined if too many reservations are waiting
   */
  reserve(bytes: number, granted: () => void): Lease | undefined {
    const isFree = this.#waiting.size === 0 && bytes <= this.#free;
    if (!isFree && this.#waiting.size >= this.maxWaiting) return undefined;
    const lease = new Reserved(bytes, (released) => this.#release(released));
    const waiting = { lease, granted };
    this.#waiting.add(waiting);
    lease.onCancel(() => {
      this.#waiting.delete(waiting);
      this.#grant();
    });
    this.#grant();
    return lease;
  }

  #release(bytes: number): void {
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
  #cancel: () => void = () => {};

  constructor(
    public bytes: number,
    readonly releaseBytes: (bytes: number) => void,
  ) {}

  onCancel(cancel: () => void): void {
    this.#cancel = cancel;
  }

  grant(): void {
    this.#granted = true;
  }

  shrink(bytes: number): void {
    if (!this.#granted || bytes >= this.bytes) return;
    const released = this.bytes - bytes;
    this.bytes = bytes;
    this.releaseBytes(released);
  }

  release(): void {
    if (this.#granted) this.shrink(0);
    else this.#cancel();
  }
}
