import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Time that any body may take, ms. */
const GRACE_MS = 30_000;

/** Rate that a body has to keep after that, in bytes per millisecond: 16 kB/s. */
const RATE = 16;

interface Receiving {
  readonly req: IncomingMessage;
  /** Undefined until the first sweep: most requests are complete by then and cost no look at the clock. */
  since?: { readonly ms: number; readonly bytes: number };
}

/** Ends connections whose request arrives too slowly, so that nobody occupies them by sending a byte now and then. */
export class SlowBodies {
  /** The request that each connection sent last. Earlier ones of the same connection are complete. */
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

  /** Called every few seconds. */
  sweep(): void {
    const nowMs = this.now();
    for (const [socket, receiving] of this.#receiving) {
      if (receiving.req.complete) this.#receiving.delete(socket);
      else if (!receiving.since) receiving.since = { ms: nowMs, bytes: socket.bytesRead };
      else if (socket.bytesRead - receiving.since.bytes < (nowMs - receiving.since.ms - GRACE_MS) * RATE) socket.destroy();
    }
  }
}
