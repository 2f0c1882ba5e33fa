import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionSlots } from '../util/connection-slots.js';
import type { Logger } from '../util/logger.js';
import type { AllowList } from './allow-list.js';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './connection-limits.js';
import { CannotListen, type Endpoint, listen } from './listen.js';
import { MAX_HEADER_BYTES } from './options.js';
import type { Rejected } from './rejected.js';
import { sendEmpty } from './reply.js';
import { SlowBodies } from './slow-bodies.js';

export interface HttpServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly idleTimeoutMs: number;
  /** Of all endpoints together. */
  readonly connections?: ConnectionLimits | undefined;
}

export interface HttpServerDeps {
  readonly allowList: Pick<AllowList, 'allows'>;
  /** True while an answer for the connection is being made. */
  readonly isBusy: (socket: Socket) => boolean;
  readonly onRequest: RequestListener;
  readonly rejected?: Rejected | undefined;
  readonly log: Logger;
}

/** How long replies already written may take to go out. */
const CLOSE_GRACE_MS = 2000;

/** Time between two looks for requests that arrive too slowly. */
const SWEEP_MS = 5000;

/** Longest a request may take to arrive: at the least rate that `SlowBodies` admits, the longest body takes this long. */
const REQUEST_TIMEOUT_MS = 2_100_000;

/** Time in which a client that may not connect can read that it is refused, and how many such clients there may be at a time. */
const REFUSED_MS = 1000;
const MAX_REFUSED = 32;

/** One HTTP service on several endpoints: who may connect, idle limits, and the end of service. docs/protocol/rpc-chain.md 1.1 */
export class HttpServer {
  readonly #refused = new Set<Socket>();
  readonly #slots: ConnectionSlots;
  readonly #slowBodies = new SlowBodies();
  #sweeping: NodeJS.Timeout | undefined;
  #servers: Server[] = [];
  #draining = false;
  #ended: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    readonly options: HttpServerOptions,
    readonly deps: HttpServerDeps,
  ) {
    const { total, perAddress } = options.connections ?? DEFAULT_CONNECTION_LIMITS;
    this.#slots = new ConnectionSlots(total, perAddress);
  }

  /** Binds what can be bound; one endpoint is enough. @throws {CannotListen} when none could be */
  async start(): Promise<Endpoint[]> {
    const bound: Endpoint[] = [];
    const failures: Error[] = [];
    for (const endpoint of this.options.endpoints) {
      const server = this.#create();
      try {
        // A port that the system chose for the first endpoint serves the others too.
        const port = await listen(server, { host: endpoint.host, port: endpoint.port || (bound[0]?.port ?? 0) });
        this.#servers.push(server);
        bound.push({ host: endpoint.host, port });
      } catch (error) {
        this.deps.log.warn('cannot bind', { host: endpoint.host, port: endpoint.port, error: String(error) });
        failures.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
    if (bound.length > 0) {
      this.#sweeping = setInterval(() => this.#slowBodies.sweep(), SWEEP_MS).unref();
      return bound;
    }
    this.deps.log.error('Unable to bind any endpoint for RPC server');
    throw new CannotListen(failures);
  }

  /** From here on replies close their connections. */
  drain(): void {
    this.#draining = true;
  }

  /** Takes no more connections; requests that still arrive on open ones get 503. */
  refuse(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended = Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  /** Waits for replies on their way to slow readers, but not for ever; then cuts what is left. */
  async close(): Promise<void> {
    this.refuse();
    const tooLong = new AbortController();
    const timeout = wait(CLOSE_GRACE_MS, undefined, { signal: tooLong.signal }).catch(() => undefined);
    for (const server of this.#servers) server.closeIdleConnections();
    await Promise.race([this.#ended, timeout]);
    tooLong.abort();
    for (const server of this.#servers) server.closeAllConnections();
    clearInterval(this.#sweeping);
    await this.#ended;
    this.#servers = [];
  }

  #create(): Server {
    const server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: this.options.idleTimeoutMs,
      headersTimeout: this.options.idleTimeoutMs,
      // Node refuses to wait longer for headers than for a whole request.
      requestTimeout: Math.max(REQUEST_TIMEOUT_MS, this.options.idleTimeoutMs),
      connectionsCheckingInterval: SWEEP_MS,
      noDelay: true,
    });
    server.timeout = this.options.idleTimeoutMs;
    server.on('timeout', (socket) => {
      if (!this.deps.isBusy(socket)) socket.destroy();
    });
    server.on('connection', (socket) => this.#onConnection(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.deps.rejected?.('malformed');
      answerBadRequest(error, socket);
    });
    server.on('request', (req, res) => this.#onRequest(req, res));
    return server;
  }

  #onConnection(socket: Socket): void {
    if (!this.deps.allowList.allows(socket.remoteAddress)) {
      this.#refuseSource(socket);
      return;
    }
    const free = this.#slots.take(socket.remoteAddress);
    if (!free) {
      this.deps.rejected?.('connections');
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      this.#slowBodies.forget(socket);
      free();
    });
  }

  /** Clients of `defid` expect 403 for their first request, so the connection lives long enough for that and no longer. */
  #refuseSource(socket: Socket): void {
    if (this.#refused.size >= MAX_REFUSED) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const tooLong = setTimeout(() => socket.destroy(), REFUSED_MS).unref();
    socket.once('close', () => {
      clearTimeout(tooLong);
      this.#refused.delete(socket);
    });
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    if (this.#draining) res.setHeader('Connection', 'close');
    if (this.#closed) sendEmpty(res, 503);
    else if (this.#refused.has(req.socket)) {
      this.deps.rejected?.('source');
      res.setHeader('Connection', 'close');
      sendEmpty(res, 403);
    } else {
      this.#slowBodies.begin(req);
      this.deps.onRequest(req, res);
    }
  }
}

/** What cannot be parsed as HTTP, or has too long a head. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // An unknown verb is told apart because clients may try one to see what is there.
  const status = error.code === 'HPE_INVALID_METHOD' ? '501 Not Implemented' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
