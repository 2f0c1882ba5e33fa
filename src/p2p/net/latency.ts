/** Round trips of pings. Milliseconds, by the monotonic clock. */
export class Latency {
  /** Undefined until a pong came. */
  last: number | undefined;
  lowest = Number.POSITIVE_INFINITY;
  #nonce: bigint | undefined;
  #sentMs = 0;

  /** When the ping on the way was sent; undefined if none is. */
  get waitingSince(): number | undefined {
    return this.#nonce === undefined ? undefined : this.#sentMs;
  }

  /** When a ping was last sent; 0 for never. */
  get sentMs(): number {
    return this.#sentMs;
  }

  sent(nonce: bigint, nowMs: number): void {
    this.#nonce = nonce;
    this.#sentMs = nowMs;
  }

  /** A pong without the right nonce answers nothing; with none at all, or zero, it came from a node that cannot do better. */
  answered(nonce: bigint | undefined, nowMs: number): void {
    if (this.#nonce === undefined) return;
    if (nonce === this.#nonce) {
      this.last = nowMs - this.#sentMs;
      this.lowest = Math.min(this.lowest, this.last);
      this.#nonce = undefined;
    } else if (nonce === undefined || nonce === 0n) this.#nonce = undefined;
  }
}
