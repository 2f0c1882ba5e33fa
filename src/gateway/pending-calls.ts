import type { Socket } from 'node:net';
import { NodeError } from '../util/errors.js';
import type { AbortableCall } from './abortable-call.js';

/** A connection with unanswered calls. */
interface Connection {
  readonly calls: Set<AbortableCall>;
  /** Listener for the end of the connection. */
  readonly onClose: () => void;
}

/**
 * Requests that wait for asynchronous handlers. Synchronous handlers never appear here, because nothing else runs meanwhile. The number
 * is bounded like the work queue of `defid`.
 */
export class PendingCalls {
  readonly #calls = new Set<AbortableCall>();
  readonly #connections = new Map<Socket, Connection>();
  #idle: (() => void) | undefined;

  constructor(readonly limit: number) {}

  /** True if the limit is reached. */
  get full(): boolean {
    return this.#calls.size >= this.limit;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Tracks a call until `settled` resolves, and aborts it if its client disconnects before. */
  track(call: AbortableCall, socket: Socket, settled: Promise<unknown>): void {
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
    const calls = new Set<AbortableCall>();
    const onClose = (): void => {
      for (const call of calls) call.abort(new NodeError('cancelled', 'Client disconnected'));
    };
    socket.once('close', onClose);
    const connection = { calls, onClose };
    this.#connections.set(socket, connection);
    return connection;
  }

  /** True while a call of this connection is running; the connection is then silent but not idle. */
  isBusy(socket: Socket): boolean {
    return this.#connections.has(socket);
  }

  /** Aborts all tracked calls. */
  abortAll(reason: NodeError): void {
    for (const call of this.#calls) call.abort(reason);
  }

  /** Resolves when no call is pending, or after `timeoutMs`. */
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

  #forget(call: AbortableCall, socket: Socket): void {
    this.#calls.delete(call);
    const connection = this.#connections.get(socket);
    connection?.calls.delete(call);
    if (connection?.calls.size === 0) {
      socket.off('close', connection.onClose);
      this.#connections.delete(socket);
    }
    if (this.#calls.size === 0) this.#idle?.();
  }
}
