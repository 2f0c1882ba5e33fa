const CYCLE_SEC = 86_400;
/** What a block may take at most, and seconds in which one may be wanted. */
const MAX_BLOCK_BYTES = 64_000_000;
const BLOCK_RESERVE_SEC = 600;

/** Bytes exchanged with all peers, and the share of them that -maxuploadtarget allows in a day. */
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

  /** Nothing more should be sent that is not needed now. */
  get targetReached(): boolean {
    return this.maxUploadBytes > 0 && this.#sentInCycle >= this.maxUploadBytes;
  }

  /** False once old blocks would take what new blocks need until the end of the day. */
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
