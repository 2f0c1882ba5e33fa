import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rejected } from '../../metrics/rpc.js';
import { NodeError } from '../../util/errors.js';
import type { JsonValue } from '../../util/json.js';
import type { Logger } from '../../util/logger.js';
import { AbortableCall } from '../abortable-call.js';
import { BodyBudget, RequestBody, readBody } from '../body.js';
import type { ConnectionLimits } from '../connection-limits.js';
import { HttpServer } from '../http-server.js';
import { type Endpoint, endpointsOf } from '../listen.js';
import type { ListenerOptions } from '../listener-options.js';
import { PendingCalls } from '../pending-calls.js';
import { JSON_TYPE, send, sendEmpty } from '../reply.js';

/** Request for the API. */
export interface OceanHttpRequest {
  readonly method: string;
  readonly target: string;
  /** @throws {SyntaxError} if it is not JSON @throws {NodeError} if it takes too much memory */
  body(): Promise<JsonValue | undefined>;
}

/** Status and JSON text of an answer. */
export interface OceanHttpReply {
  readonly status: number;
  readonly body: string;
}

/** Answers requests. */
export interface OceanService {
  answer(request: OceanHttpRequest): Promise<OceanHttpReply>;
  /** Answer to a request whose body is too long, or that finds too many others running. */
  refuse(target: string, reason: 'size' | 'queue'): OceanHttpReply;
}

export interface OceanServerDeps {
  readonly service: OceanService;
  readonly rejected: Rejected;
  readonly log: Logger;
}

/** A public server is behind a proxy, so all connections may come from one address. */
const CONNECTIONS: ConnectionLimits = { total: 250, perAddress: 250 };

/** Largest body of a request, in bytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/**
 * Maximum size of the bodies of all running requests together. Most bodies are a transaction, and any client that reaches the port may send
 * one.
 */
const MAX_BODIES_BYTES = 2 * MAX_BODY_BYTES;

/** Pages of any origin may call: there are no credentials, and nothing but public data. */
const CORS_HEADERS: readonly (readonly [string, string])[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Methods', 'GET,POST,PUT,DELETE'],
  ['Access-Control-Allow-Headers', 'Content-Type'],
  ['Access-Control-Max-Age', '10080'],
];

/** The HTTP API of light wallets on a port of its own. @see docs/protocol/ocean.md 1 */
export class OceanServer {
  readonly #server: HttpServer;
  readonly #pending: PendingCalls;
  readonly #bodies = new BodyBudget(MAX_BODIES_BYTES);

  /** @param options `allowIp` decides about `bind` alone: all who reach an address may call */
  constructor(
    readonly options: ListenerOptions,
    readonly deps: OceanServerDeps,
  ) {
    const { endpoints, warnings } = endpointsOf(options, '-oceanarchivebind');
    for (const warning of warnings) deps.log.warn(warning);
    this.#pending = new PendingCalls(options.maxPending);
    const { idleTimeoutMs } = options;
    this.#server = new HttpServer(
      { endpoints, portOption: '-oceanarchiveport', idleTimeoutMs, connections: CONNECTIONS },
      {
        allowList: { allows: () => true },
        isBusy: (socket) => this.#pending.isBusy(socket),
        onRequest: (req, res) => this.#onRequest(req, res),
        rejected: deps.rejected,
        log: deps.log,
      },
    );
  }

  /** @returns bound endpoints @throws {CannotListen} if none could be bound */
  start(): Promise<Endpoint[]> {
    return this.#server.start();
  }

  /** Refuses new requests, waits for running ones, then closes all connections. */
  stop(): Promise<void> {
    return this.#server.stop([this.#pending], this.options.stopGraceMs);
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    for (const [name, value] of CORS_HEADERS) res.setHeader(name, value);
    if (req.method === 'OPTIONS') sendEmpty(res, 204);
    else if (this.#pending.full) this.#refuse(req, res, 'queue');
    else if (req.method === 'POST') this.#post(req, res);
    else this.#answer(req, res, () => Promise.resolve(undefined));
  }

  #post(req: IncomingMessage, res: ServerResponse): void {
    readBody(req, res, MAX_BODY_BYTES, this.#bodies, (body) => {
      if (body instanceof RequestBody) this.#answer(req, res, () => bodyOf(body));
      else this.#refuse(req, res, 'size');
    });
  }

  /** The rest of the request is not read. */
  #refuse(req: IncomingMessage, res: ServerResponse, reason: 'size' | 'queue'): void {
    this.deps.rejected(reason);
    res.setHeader('Connection', 'close');
    const { status, body } = this.deps.service.refuse(req.url ?? '', reason);
    send(res, status, JSON_TYPE, body);
  }

  #answer(req: IncomingMessage, res: ServerResponse, body: OceanHttpRequest['body']): void {
    // A HEAD gets the head of a GET; `node:http` leaves its body out.
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '');
    const answered = this.deps.service.answer({ method, target: req.url ?? '', body });
    this.#pending.track(new AbortableCall(), req.socket, answered);
    void answered.then((reply) => send(res, reply.status, JSON_TYPE, reply.body));
  }
}

/** Body as JSON; undefined if it is empty. @throws {SyntaxError} if it is not JSON @throws {NodeError} if it takes too much memory */
async function bodyOf(body: RequestBody): Promise<JsonValue | undefined> {
  if (body.isEmpty) return undefined;
  try {
    return await body.parse();
  } catch (error) {
    if (error instanceof NodeError && error.kind === 'parse-error') throw new SyntaxError('Unexpected token in JSON');
    throw error;
  }
}
