import type { NodeError } from '../util/errors.js';

/** A call that can be aborted. Its signal, which most calls never use, is created at first use. */
export class AbortableCall {
  #controller: AbortController | undefined;
  #reason: NodeError | undefined;
  #listeners: Set<() => void> | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Reason of the abort; undefined if the call has not been aborted. */
  get abortReason(): NodeError | undefined {
    return this.#reason;
  }

  abort(reason: NodeError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners ?? []) listener();
  }

  /** As `CallContext.onAbort`. */
  onAbort(listener: () => void): () => void {
    if (this.#reason) listener();
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(listener);
    return () => listeners.delete(listener);
  }
}
