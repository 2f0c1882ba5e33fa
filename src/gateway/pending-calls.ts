import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NodeError } from '../util/errors.js';
import type { HttpCall } from './http-call.js';

/** A connection with calls that are not answered yet. */
interface Connection {
  readonly calls: Set<HttpCall>;
  /** What is done when it closes. */
  readonly left: () => void;
}

/**
 * Requests whose handlers have not answered yet. A handler that answers at once never appears here: it holds the only thread, so
 * nothing could count it. Their number is bounded as the reference bounds its work queue.
 */
export class PendingCalls {
  readonly #calls = new Set<HttpCall>();
  readonly #connections = new Map<Socket, Connection>();
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
    // Not the answer's own, which it has none of while one before it on the same connection is still on its way.
    const { socket } = res.req;
    if (socket.destroyed) {
      call.abort(new NodeError('cancelled', 'Client disconnected'));
      return;
    }
    this.#calls.add(call);
    this.#connectionOf(socket).calls.add(call);
    const done = (): void => this.#forget(call, socket);
    settled.then(done, done);
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const calls = new Set<HttpCall>();
    const left = (): void => {
      for (const call of calls) call.abort(new NodeError('cancelled', 'Client disconnected'));
    };
    socket.once('close', left);
    const connection = { calls, left };
    this.#connections.set(socket, connection);
    return connection;
  }

  /** True while an answer is being made for this connection: quiet then means waiting, not idle. */
  isBusy(socket: Socket): boolean {
    return this.#connections.has(socket);
  }

  abortAll(reason: NodeError): void {
    for (const call of this.#calls) call.abort(reason);
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
    const connection = this.#connections.get(socket);
    connection?.calls.delete(call);
    if (connection?.calls.size === 0) {
      socket.off('close', connection.left);
      this.#connections.delete(socket);
    }
    if (this.#calls.size === 0) this.#idle?.();
  }
}
