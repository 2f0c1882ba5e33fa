const CYCLE_SEC = 86_400;
/** Largest block, and the interval in seconds for which one is reserved. */
const MAX_BLOCK_BYTES = 64_000_000;
const BLOCK_RESERVE_SEC = 600;

/** Bytes sent to and received from all peers, and the limit of -maxuploadtarget for a day. */
export class NetTotals {
  readonly maxUploadBytes: number;
  readonly cycleSec = CYCLE_SEC;
  received = 0;
  sent = 0;
  readonly #now: () => number;
  #cycleStart = 0;
  #sentInCycle = 0;

  /**
   * @param maxUploadBytes per day; 0 for no limit
   * @param now seconds since 1970; mock time counts
   */
  constructor(maxUploadBytes: number, now: () => number) {
    this.maxUploadBytes = maxUploadBytes;
    this.#now = now;
  }

  addReceived(bytes: number): void {
    this.received += bytes;
  }

  addSent(bytes: number): void {
    this.sent += bytes;
    const now = this.#now();
    if (this.#cycleStart + CYCLE_SEC < now) {
      this.#cycleStart = now;
      this.#sentInCycle = 0;
    }
    this.#sentInCycle += bytes;
  }

  /** True if the upload of the current day has reached -maxuploadtarget. */
  get targetReached(): boolean {
    return this.maxUploadBytes > 0 && this.#sentInCycle >= this.maxUploadBytes;
  }

  /** False if the rest of the upload limit is reserved for new blocks until the end of the day. */
  get servesHistoricalBlocks(): boolean {
    if (this.maxUploadBytes === 0) return true;
    const reserve = (this.secondsLeft / BLOCK_RESERVE_SEC) * MAX_BLOCK_BYTES;
    return reserve < this.maxUploadBytes && this.#sentInCycle < this.maxUploadBytes - reserve;
  }

  get bytesLeft(): number {
    return this.maxUploadBytes === 0 ? 0 : Math.max(0, this.maxUploadBytes - this.#sentInCycle);
  }

  get secondsLeft(): number {
    if (this.maxUploadBytes === 0) return 0;
    if (this.#cycleStart === 0) return CYCLE_SEC;
    return Math.max(0, this.#cycleStart + CYCLE_SEC - this.#now());
  }
}
