import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Rejected } from '../metrics/rpc.js';
import { ConnectionSlots } from '../util/connection-slots.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import type { AllowList } from './allow-list.js';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './connection-limits.js';
import { type BindFailure, CannotListen, type Endpoint, listen } from './listen.js';
import { MAX_HEADER_BYTES } from './options.js';
import type { PendingCalls } from './pending-calls.js';
import { PlainConnection, type PlainRequests } from './plain/plain-connection.js';
import { sendEmpty } from './reply.js';
import { SlowBodies } from './slow-bodies.js';

/** Endpoints and limits of a server. */
export interface HttpServerOptions {
  readonly endpoints: readonly Endpoint[];
  /** The option that sets the port, for the error if no endpoint can be bound. */
  readonly portOption: string;
  readonly idleTimeoutMs: number;
  /** Limits for all endpoints together. */
  readonly connections?: ConnectionLimits | undefined;
}

/** Parts that decide about connections and answer requests. */
export interface HttpServerDeps {
  readonly allowList: Pick<AllowList, 'allows'>;
  /** True while a call of the connection is running. */
  readonly isBusy: (socket: Socket) => boolean;
  readonly onRequest: RequestListener;
  /** Continues a connection that asks for a WebSocket; if absent, its request is answered like any other. */
  readonly onUpgrade?: ((req: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /** Requests to answer without the parser of `node:http`; if absent, there are none. */
  readonly plain?: PlainRequests | undefined;
  readonly rejected?: Rejected | undefined;
  readonly log: Logger;
}

/** Time that written replies have to reach their clients when the server closes. */
const CLOSE_GRACE_MS = 2000;

/** Interval of the search for requests that arrive too slowly. */
const SWEEP_MS = 5000;

/** Maximum time of the arrival of a request: that of the longest body at the minimum rate of `SlowBodies`. */
const REQUEST_TIMEOUT_MS = 2_100_000;

/** Time in which a client that may not connect can read the refusal. */
const REFUSED_MS = 1000;
/** Maximum number of such clients at a time. */
const MAX_REFUSED = 32;

/** Option of Node.js 24 and newer, to treat other requests to change the protocol as if they had not asked. */
const UPGRADES = { shouldUpgradeCallback: asksForWebSocket };

/** One HTTP service on several endpoints: allowed addresses, connection and idle limits, shutdown. @see docs/protocol/rpc-chain.md 1.1 */
export class HttpServer {
  readonly #refused = new Set<Socket>();
  /** Connections that `node:http` does not serve. */
  readonly #plain = new Set<PlainConnection>();
  /** Connections of WebSockets. */
  readonly #upgraded = new Set<Duplex>();
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

  /** Binds all endpoints that are available. @returns bound endpoints @throws {CannotListen} if none could be bound */
  async start(): Promise<Endpoint[]> {
    const bound: Endpoint[] = [];
    const failures: BindFailure[] = [];
    for (const endpoint of this.options.endpoints) {
      const server = this.#create();
      try {
        // With port 0, the port that the system chooses for the first endpoint is used for the others too.
        const port = await listen(server, { host: endpoint.host, port: endpoint.port || (bound[0]?.port ?? 0) }, (error) =>
          this.deps.log.warn('cannot accept a connection', { ...endpoint, reason: error.message }),
        );
        this.#servers.push(server);
        bound.push({ host: endpoint.host, port });
      } catch (error) {
        this.deps.log.warn('cannot bind', { host: endpoint.host, port: endpoint.port, error: String(error) });
        failures.push({ ...endpoint, error: error instanceof Error ? error : new Error(String(error)) });
      }
    }
    if (bound.length > 0) {
      this.#sweeping = setInterval(() => this.#slowBodies.sweep(), SWEEP_MS).unref();
      return bound;
    }
    const { portOption } = this.options;
    // Tools search the log for the sentence of `defid`, which is about one of these servers only.
    const text = portOption === '-rpcport' ? 'Unable to bind any endpoint for RPC server' : 'Unable to bind any endpoint';
    this.deps.log.error(text, { option: portOption });
    throw new CannotListen(failures, portOption);
  }

  /** Makes replies from now on close their connections. */
  drain(): void {
    this.#draining = true;
  }

  /** Accepts no more connections; requests on open ones are answered 503. */
  refuse(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended = Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    for (const connection of this.#plain) connection.closeIdle();
  }

  /** Refuses new requests, aborts running calls, waits up to `graceMs` for them, then closes all connections. */
  async stop(pending: readonly PendingCalls[], graceMs: number): Promise<void> {
    this.drain();
    this.refuse();
    for (const calls of pending) calls.abortAll(new NodeError('not-connected', 'Shutting down'));
    await Promise.all(pending.map((calls) => calls.drained(graceMs)));
    await this.close();
  }

  /** Waits up to CLOSE_GRACE_MS for replies to slow readers, then closes all connections. */
  async close(): Promise<void> {
    this.refuse();
    const tooLong = new AbortController();
    const timeout = wait(CLOSE_GRACE_MS, undefined, { signal: tooLong.signal }).catch(() => undefined);
    for (const server of this.#servers) server.closeIdleConnections();
    for (const connection of this.#plain) connection.closeIdle();
    await Promise.race([this.#ended, timeout]);
    tooLong.abort();
    for (const server of this.#servers) server.closeAllConnections();
    for (const { socket } of this.#plain) socket.destroy();
    for (const socket of this.#upgraded) socket.destroy();
    clearInterval(this.#sweeping);
    await this.#ended;
    this.#servers = [];
  }

  #create(): Server {
    const server = createServer({
      ...UPGRADES,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: this.options.idleTimeoutMs,
      headersTimeout: this.options.idleTimeoutMs,
      // Node.js requires that this is not below `headersTimeout`.
      requestTimeout: Math.max(REQUEST_TIMEOUT_MS, this.options.idleTimeoutMs),
      connectionsCheckingInterval: SWEEP_MS,
      noDelay: true,
      // `defid` accepts requests without one, also in HTTP/1.1. Pages of browsers, which AllowedSites refuses by it, always send one.
      requireHostHeader: false,
    });
    server.timeout = this.options.idleTimeoutMs;
    server.on('timeout', (socket) => {
      if (!this.deps.isBusy(socket)) socket.destroy();
    });
    // Connections get to the listener of `node:http` by way of ours.
    const [parse] = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket) => this.#onConnection(socket, server, () => parse?.call(server, socket)));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.deps.rejected?.('malformed');
      answerBadRequest(error, socket);
    });
    server.on('request', (req, res) => this.#onRequest(req, res));
    const { onUpgrade } = this.deps;
    if (onUpgrade) {
      server.on('upgrade', (req, socket, head) => {
        if (!asksForWebSocket(req)) readWithoutUpgrade(req, head, () => parse?.call(server, req.socket));
        else if (this.#draining || this.#closed || this.#refused.has(req.socket)) socket.destroy();
        else {
          this.#upgraded.add(socket);
          socket.once('close', () => this.#upgraded.delete(socket));
          onUpgrade(req, socket, head);
        }
      });
    }
    return server;
  }

  /** @param parse serves the connection by `node:http` */
  #onConnection(socket: Socket, server: Server, parse: () => void): void {
    if (!this.deps.allowList.allows(socket.remoteAddress)) {
      parse();
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
    const requests = this.deps.plain;
    if (requests) this.#servePlain(socket, server, requests, parse);
    else parse();
  }

  #servePlain(socket: Socket, server: Server, requests: PlainRequests, parse: () => void): void {
    const connection = new PlainConnection(socket, {
      requests,
      idleTimeoutMs: this.options.idleTimeoutMs,
      isBusy: this.deps.isBusy,
      isServing: () => !this.#draining && !this.#closed,
      handOver: () => {
        this.#plain.delete(connection);
        parse();
      },
      refuse: () => void server.emit('clientError', new Error('The connection ended within a request'), socket),
    });
    this.#plain.add(connection);
    socket.once('close', () => this.#plain.delete(connection));
  }

  /** Answers the first request with 403, as clients of `defid` expect, then closes the connection. */
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

function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Answers a request that would like another protocol as if it had not asked, because a server may ignore an upgrade, whereas `node:http`
 * of Node.js 20 and 22 with a listener for upgrades stops to read such connections: puts the request back before the unread bytes.
 * @param head bytes that follow the head of the request
 * @param parse serves the connection by `node:http`
 */
function readWithoutUpgrade(req: IncomingMessage, head: Buffer, parse: () => void): void {
  const { method, url, httpVersion, rawHeaders, socket } = req;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  // Removes the listeners of the parser, which no longer reads this connection.
  socket.removeAllListeners('timeout');
  parse();
}

/** Answers a request that cannot be parsed as HTTP, or whose head is too long. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // Unknown verbs have a status of their own, because clients may send one to probe the server.
  const status = error.code === 'HPE_INVALID_METHOD' ? '501 Not Implemented' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
