const MAX_PENDING = 100;
const TIMEOUT_MS = 60_000;

/** Anchor messages that were requested from one peer and have not arrived. */
export class AnchorRequests {
  readonly #sentMs = new Map<string, number>();

  /** Forgets requests that were not answered in time. */
  expire(nowMs: number): void {
    for (const [key, sentMs] of this.#sentMs) if (sentMs < nowMs - TIMEOUT_MS) this.#sentMs.delete(key);
  }

  /** @returns false if the message is already requested, or too many are */
  add(key: string, nowMs: number): boolean {
    if (this.#sentMs.has(key) || this.#sentMs.size >= MAX_PENDING) return false;
    this.#sentMs.set(key, nowMs);
    return true;
  }

  /** @returns false if the message was not requested */
  delete(key: string): boolean {
    return this.#sentMs.delete(key);
  }
}
