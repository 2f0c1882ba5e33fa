import type { CallSource } from '../call.js';
import type { PlainHead } from './plain-head.js';

/** The source of a plain call. If the call takes longer than its turn of the event loop, the call of the library takes over. */
export class PlainCall implements CallSource {
  readonly metadata: CallSource['metadata'];
  readonly #deadlineMs: number;
  #isCancelled = false;
  #onCancelled: (() => void) | undefined;

  constructor({ headers, timeoutMs }: PlainHead) {
    this.metadata = {
      get: (key) => {
        const value = headers.get(key);
        return value === undefined ? [] : [value];
      },
    };
    this.#deadlineMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  }

  get cancelled(): boolean {
    return this.#isCancelled;
  }

  getDeadline(): number {
    return this.#deadlineMs;
  }

  on(_event: 'cancelled', listener: () => void): void {
    this.#onCancelled = listener;
  }

  /** Follows the call of the library from now on. */
  follow(call: CallSource): void {
    if (call.cancelled) this.cancel();
    else call.on('cancelled', () => this.cancel());
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#onCancelled?.();
  }
}
