import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NodeError } from '../util/errors.js';
import type { HttpCall } from './http-call.js';

/**
 * Requests whose handlers have not answered yet. A handler that answers at once never appears here: it holds the only thread, so
 * nothing could count it. Their number is bounded as the reference bounds its work queue.
 */
export class PendingCalls {
  readonly #calls = new Map<HttpCall, Socket>();
  readonly #sockets = new Map<Socket, number>();
  #idle: (() => void) | undefined;

  constructor(readonly limit: number) {}

  get full(): boolean {
    return this.#calls.size >= this.limit;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Notes a call until `settled`, and aborts it when its client leaves first. */
  track(call: HttpCall, res: ServerResponse, settled: Promise<unknown>): void {
    const socket = res.socket;
    if (!socket) {
      call.abort(new NodeError('cancelled', 'Client disconnected'));
      return;
    }
    this.#calls.set(call, socket);
    this.#sockets.set(socket, (this.#sockets.get(socket) ?? 0) + 1);
    const left = (): void => {
      if (!res.writableFinished) call.abort(new NodeError('cancelled', 'Client disconnected'));
    };
    res.once('close', left);
    const done = (): void => {
      res.off('close', left);
      this.#forget(call, socket);
    };
    settled.then(done, done);
  }

  /** True while an answer is being made for this connection: quiet then means waiting, not idle. */
  isBusy(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  abortAll(reason: NodeError): void {
    for (const call of this.#calls.keys()) call.abort(reason);
  }

  /** Resolves once nothing is pending, or after `timeoutMs`. */
  drained(timeoutMs: number): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #forget(call: HttpCall, socket: Socket): void {
    this.#calls.delete(call);
    const left = (this.#sockets.get(socket) ?? 1) - 1;
    if (left > 0) this.#sockets.set(socket, left);
    else this.#sockets.delete(socket);
    if (this.#calls.size === 0) this.#idle?.();
  }
}
