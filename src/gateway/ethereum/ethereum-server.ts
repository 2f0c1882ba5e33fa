import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Rejected } from '../../metrics/rpc.js';
import type { Logger } from '../../util/logger.js';
import type { MaybePromise } from '../../util/slicer.js';
import { AbortableCall } from '../abortable-call.js';
import { AllowList } from '../allow-list.js';
import { AllowedSites, siteRefusalText } from '../allowed-sites.js';
import { BodyBudget, bodyText, RequestBody, readBody } from '../body.js';
import { allowOrigin } from '../cors.js';
import { HttpServer } from '../http-server.js';
import { type Endpoint, endpointsOf } from '../listen.js';
import { PendingCalls } from '../pending-calls.js';
import { refuseRequest, refuseSocket, send, sendEmpty, TEXT_TYPE } from '../reply.js';
import type { EthereumService } from './calls.js';
import { answerBody, refusedForSize } from './envelope.js';
import { type EthereumServerOptions, MAX_REQUEST_BYTES } from './options.js';
import { WebSockets } from './web-sockets.js';

/** Modules that a server uses. */
export interface EthereumServerDeps {
  readonly service: EthereumService;
  readonly rejected: Rejected;
  readonly log: Logger;
}

/** First bytes of an object and of an array. */
const OPENING = new Set(Buffer.from('{['));
const WHITE_SPACE = new Set(Buffer.from(' \t\n\f\r'));
const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Origins of browser extensions such as wallets. A page of the web cannot have one. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\//;

/**
 * Ethereum's JSON-RPC over HTTP, and over WebSocket on the same port. There are no credentials, as in `defid`: only allowed addresses may
 * connect, and only pages of the allowed origin may call.
 * @see docs/protocol/evm-engine.md 10.1
 */
export class EthereumServer {
  readonly #server: HttpServer;
  readonly #sites: AllowedSites;
  readonly #pending: PendingCalls;
  readonly #bodies = new BodyBudget();
  readonly #sockets: WebSockets;

  /** @throws {Error} with the text for the operator, if an option is malformed */
  constructor(
    readonly options: EthereumServerOptions,
    readonly deps: EthereumServerDeps,
  ) {
    const { service, rejected, log } = deps;
    const { endpoints, warnings } = endpointsOf(options, options.bindOption);
    for (const warning of warnings) log.warn(warning);
    this.#sites = new AllowedSites(options.allowHosts, options.corsOrigin);
    this.#pending = new PendingCalls(options.maxPending);
    this.#sockets = new WebSockets(service, options.maxResponseBytes, this.#bodies, rejected, log);
    this.#server = new HttpServer(
      { endpoints, portOption: options.portOption, idleTimeoutMs: options.idleTimeoutMs, connections: options.connections },
      {
        allowList: new AllowList(options.allowIp),
        isBusy: (socket) => this.#pending.isBusy(socket),
        onRequest: (req, res) => this.#onRequest(req, res),
        onUpgrade: (req, socket, head) => this.#onUpgrade(req, socket, head),
        rejected,
        log,
      },
    );
  }

  /** @returns bound endpoints @throws {CannotListen} if none could be bound */
  start(): Promise<Endpoint[]> {
    return this.#server.start();
  }

  /** Rejects new calls, aborts running ones, waits for them, then closes all connections. */
  async stop(): Promise<void> {
    this.#server.refuse();
    this.#sockets.close();
    await this.#server.stop([this.#pending], this.options.stopGraceMs);
  }

  #refusal(req: IncomingMessage): string | undefined {
    const { host, origin } = req.headers;
    const isExtension = origin !== undefined && EXTENSION.test(origin);
    const refusal = this.#sites.refusal(isExtension ? { host } : { host, origin });
    if (!refusal) return undefined;
    this.deps.rejected('site');
    return siteRefusalText[refusal];
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    const { corsOrigin } = this.options;
    const refusal = this.#refusal(req);
    if (refusal !== undefined) {
      refuseRequest(res, 403, refusal);
      return;
    }
    if (corsOrigin !== '') allowOrigin(res, corsOrigin);
    // Status of `defid`, which is the same without an allowed origin; then no header permits a page to call.
    if (req.method === 'OPTIONS') sendEmpty(res, 200);
    else if (req.method !== 'POST') send(res, 405, TEXT_TYPE, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
    else if (this.#pending.full) {
      this.deps.rejected('queue');
      send(res, 503, TEXT_TYPE, 'Work queue depth exceeded');
    } else this.#post(req, res);
  }

  #post(req: IncomingMessage, res: ServerResponse): void {
    readBody(req, res, MAX_REQUEST_BYTES, this.#bodies, (body) => {
      if (!(body instanceof RequestBody)) {
        this.deps.rejected('size');
        res.setHeader('Connection', 'close');
        send(res, 413, CONTENT_TYPE, refusedForSize(body === 'too-large' ? `Exceeded max limit of ${MAX_REQUEST_BYTES}` : body.message));
        return;
      }
      const call = new AbortableCall();
      const { service } = this.deps;
      // Parsing a long body consumes it.
      const status = beginsLikeRequest(body) ? 200 : 400;
      this.#reply(
        answerBody(
          { parse: () => body.parse(), text: () => bodyText(body.bytes) ?? '' },
          { calls: service, call, maxBytes: this.options.maxResponseBytes },
        ),
        call,
        res,
        status,
      );
    });
  }

  #reply(answer: MaybePromise<string | undefined>, call: AbortableCall, res: ServerResponse, status: number): void {
    if (answer instanceof Promise) {
      this.#pending.track(call, res.req.socket, answer);
      void answer.then((late) => send(res, status, CONTENT_TYPE, late ?? ''));
    } else send(res, status, CONTENT_TYPE, answer ?? '');
  }

  #onUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#refusal(req) !== undefined) refuseSocket(socket, 403);
    else this.#sockets.accept(req, socket, head);
  }
}

/** False for a body that is neither an object nor an array: `defid` answers it with another status. */
function beginsLikeRequest({ chunks: [first] }: RequestBody): boolean {
  const begin = first?.find((byte) => !WHITE_SPACE.has(byte));
  return begin !== undefined && OPENING.has(begin);
}
