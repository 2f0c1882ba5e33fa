import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Time without a minimum rate, ms. */
const GRACE_MS = 30_000;

/** Minimum rate after that, in bytes per millisecond: 16 kB/s. */
const RATE = 16;

interface Receiving {
  readonly req: IncomingMessage;
  /** Undefined until the first sweep; most requests are complete by then and never read the clock. */
  since?: { readonly ms: number; readonly bytes: number };
}

/** Closes connections whose request arrives too slowly, so that a client cannot occupy them by sending single bytes. */
export class SlowBodies {
  /** Last request of each connection; earlier requests of a connection are complete. */
  readonly #receiving = new Map<Socket, Receiving>();

  constructor(
    /** Monotonic clock, ms. */
    readonly now: () => number = () => performance.now(),
  ) {}

  begin(req: IncomingMessage): void {
    this.#receiving.set(req.socket, { req });
  }

  forget(socket: Socket): void {
    this.#receiving.delete(socket);
  }

  /** Closes slow connections; to be called every few seconds. */
  sweep(): void {
    const nowMs = this.now();
    for (const [socket, receiving] of this.#receiving) {
      if (receiving.req.complete) this.#receiving.delete(socket);
      else if (!receiving.since) receiving.since = { ms: nowMs, bytes: socket.bytesRead };
      else if (socket.bytesRead - receiving.since.bytes < (nowMs - receiving.since.ms - GRACE_MS) * RATE) socket.destroy();
    }
  }
}
