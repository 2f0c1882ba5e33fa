/** Round-trip times of pings. Milliseconds of the monotonic clock. */
export class Latency {
  /** Undefined before the first pong. */
  last: number | undefined;
  lowest = Number.POSITIVE_INFINITY;
  #nonce: bigint | undefined;
  #sentMs = 0;

  /** Time when the pending ping was sent; undefined if none is pending. */
  get waitingSince(): number | undefined {
    return this.#nonce === undefined ? undefined : this.#sentMs;
  }

  /** Time of the last ping; 0 for never. */
  get sentMs(): number {
    return this.#sentMs;
  }

  sent(nonce: bigint, nowMs: number): void {
    this.#nonce = nonce;
    this.#sentMs = nowMs;
  }

  /** Processes a pong. One with a wrong nonce is ignored; one without nonce, or with zero, ends the pending ping without a time. */
  answered(nonce: bigint | undefined, nowMs: number): void {
    if (this.#nonce === undefined) return;
    if (nonce === this.#nonce) {
      this.last = nowMs - this.#sentMs;
      this.lowest = Math.min(this.lowest, this.last);
      this.#nonce = undefined;
    } else if (nonce === undefined || nonce === 0n) this.#nonce = undefined;
  }
}
