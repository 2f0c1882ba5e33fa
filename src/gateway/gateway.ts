import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rejected, RpcMetrics } from '../metrics/rpc.js';
import type { AnswerCache } from '../rpc/answer-cache.js';
import type { CallRecorder } from '../rpc/call-stats.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { LoginThrottle } from '../rpc/login-throttle.js';
import type { Logger } from '../util/logger.js';
import { AllowList } from './allow-list.js';
import { AllowedSites, type SiteRefusal, siteRefusalText } from './allowed-sites.js';
import { AnswerEncoding } from './answer-encoding.js';
import type { AppParts } from './app.js';
import { Authenticator, type CredentialCheck } from './auth.js';
import { BodyBudget } from './body.js';
import { allowOrigin, type CorsHeaders, REST_HEADERS, WEB_HEADERS } from './cors.js';
import { DefidRest } from './defid-rest.js';
import { Documents } from './documents/documents.js';
import { defidLivez, defidReadyz, type NodeHealth } from './health.js';
import { HttpServer } from './http-server.js';
import { JsonRpc } from './jsonrpc.js';
import { type Endpoint, endpointsOf } from './listen.js';
import { type CallInvoker, OperationTable } from './operations.js';
import type { GatewayOptions } from './options.js';
import { PendingCalls } from './pending-calls.js';
import type { PlainRequests } from './plain/plain-connection.js';
import { refuseRequest, sendEmpty } from './reply.js';
import { RpcEndpoint } from './rpc-endpoint.js';
import { sendProbe } from './send-probe.js';
import type { StreamSocketParts, StreamSockets, Upgrade } from './stream-sockets.js';
import { MAX_STREAMS } from './streams.js';
import { walletOfPath } from './wallet-path.js';
import type { WebCalls } from './web/web-calls.js';

/** Modules that a gateway uses. */
export interface GatewayDeps {
  readonly catalogue: Catalogue;
  readonly invoker: CallInvoker;
  readonly credentials: CredentialCheck;
  /** Shared with other transports; absent if the gateway is the only one. */
  readonly throttle?: LoginThrottle | undefined;
  readonly log: Logger;
  /** Counts rejected requests. */
  readonly metrics?: Pick<RpcMetrics, 'rejected'> | undefined;
  /** Absent if no answers are cached. */
  readonly cache?: AnswerCache | undefined;
  /** Absent if no statistics are collected. */
  readonly callStats?: CallRecorder | undefined;
  /** State of the node for health checks; if absent, their paths are not served. */
  readonly health?: (() => NodeHealth) | undefined;
}

/** Verbs of the JSON-RPC port. DELETE is answered 405, all others 501. */
const KNOWN_VERBS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']);

/**
 * The HTTP side of the node: JSON-RPC compatible with `defid`, REST and API documents. It knows operations only through the catalogue.
 * JSON-RPC requests bypass the router, which costs more than most calls.
 */
export class Gateway {
  readonly #server: HttpServer;
  readonly #pending: PendingCalls;
  readonly #streams = new PendingCalls(MAX_STREAMS);
  readonly #rpc: RpcEndpoint;
  readonly #defidRest: DefidRest;
  readonly #sites: AllowedSites;
  readonly #appParts: AppParts;
  readonly #encoding = new AnswerEncoding();
  #sockets: StreamSockets | undefined;
  #web: WebCalls | undefined;
  #app: ((req: IncomingMessage, res: ServerResponse) => void) | undefined;

  /** @throws {Error} with the text for the operator, if an option is malformed */
  constructor(
    readonly options: GatewayOptions,
    readonly deps: GatewayDeps,
  ) {
    const { log, credentials } = deps;
    const rejected: Rejected = (reason) => deps.metrics?.rejected(reason);
    const documents = new Documents(deps.catalogue, options.version);
    const operations = new OperationTable(deps.catalogue, deps.invoker, documents, rejected, deps.cache);
    const { endpoints, warnings } = endpointsOf(options);
    for (const warning of warnings) log.warn(warning);
    this.#pending = new PendingCalls(options.maxPending);
    this.#sites = new AllowedSites(options.allowHosts, options.corsOrigin);
    const throttle = deps.throttle ?? new LoginThrottle({ log }, { delayMs: options.authDelayMs });
    const auth = new Authenticator(credentials, throttle, rejected);
    const bodies = new BodyBudget();
    this.#rpc = new RpcEndpoint(
      new JsonRpc(operations, log, deps.callStats, deps.cache),
      auth,
      this.#pending,
      bodies,
      this.#encoding,
      options.corsOrigin,
      rejected,
    );
    this.#defidRest = new DefidRest(operations, bodies, rejected, log, options.tokenIds);
    this.#appParts = {
      operations,
      openApiFile: options.openApiFile,
      explorerFolder: options.explorerFolder,
      auth,
      pending: this.#pending,
      streams: this.#streams,
      stallMs: options.stallMs,
      bodies,
      encoding: this.#encoding,
      rejected,
      log,
    };
    this.#server = new HttpServer(
      { endpoints, portOption: '-rpcport', idleTimeoutMs: options.idleTimeoutMs, connections: options.connections },
      {
        allowList: new AllowList(options.allowIp),
        isBusy: (socket) => this.#allPending().some((calls) => calls.isBusy(socket)),
        onRequest: (req, res) => this.#dispatch(req, res),
        onUpgrade: (req, socket, head) => {
          if (this.#sites.refusal(req.headers)) socket.destroy();
          else
            void this.#acceptSocket(
              { operations, auth, streams: this.#streams, stallMs: options.stallMs, pingMs: options.pingMs },
              { req, socket, head },
            );
        },
        // Replies with cross-origin headers are rare and have more of a head.
        plain: options.plainRequests && options.corsOrigin === '' ? this.#plainRequests(auth) : undefined,
        rejected,
        log,
      },
    );
  }

  /** @returns bound endpoints @throws {CannotListen} if none could be bound */
  start(): Promise<Endpoint[]> {
    return this.#server.start();
  }

  /** Begins the shutdown: replies from now on close their connections. */
  drain(): void {
    this.#server.drain();
  }

  /** Rejects new calls, aborts running ones, waits up to `stopGraceMs` for them, then closes all connections. */
  stop(): Promise<void> {
    return this.#server.stop(this.#allPending(), this.options.stopGraceMs);
  }

  #allPending(): readonly PendingCalls[] {
    return [this.#pending, this.#streams, this.#defidRest.pending, this.#encoding.pending];
  }

  #dispatch(req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? '';
    const refusal = this.#sites.refusal(req.headers);
    if (refusal) {
      this.#refuseSite(refusal, url, res);
      return;
    }
    const wallet = url === '/' || !this.options.walletPaths ? undefined : walletOfPath(url);
    if (url.startsWith('/v1/') || url === '/openapi.json') this.#answerRest(req, res);
    else if (url.startsWith('/dfi.')) this.#answerWeb(req, res);
    else if (!KNOWN_VERBS.has(req.method ?? '')) sendEmpty(res, req.method === 'DELETE' ? 405 : 501);
    else if (url === '/' || wallet !== undefined) this.#rpc.handle(req, res, wallet);
    else if (this.options.rest && url.startsWith('/rest/')) this.#defidRest.handle(req, res);
    else if (!this.#answerProbe(url, res)) this.#route(req, res);
  }

  /** Passes a request to the router, which is loaded and made with the first one: a node for JSON-RPC alone never needs it. */
  #route(req: IncomingMessage, res: ServerResponse): void {
    if (this.#app) this.#app(req, res);
    else void this.#makeApp().then(() => this.#app?.(req, res));
  }

  #answerRest(req: IncomingMessage, res: ServerResponse): void {
    if (!this.#isPreflight(req, res, REST_HEADERS)) this.#route(req, res);
  }

  /** Lets pages of the allowed origin read the answer, if there is one. @returns true for a preflight request, which it answers */
  #isPreflight(req: IncomingMessage, res: ServerResponse, headers: CorsHeaders): boolean {
    const { corsOrigin } = this.options;
    if (corsOrigin === '') return false;
    allowOrigin(res, corsOrigin, headers);
    if (req.method !== 'OPTIONS') return false;
    sendEmpty(res, 204);
    return true;
  }

  /** gRPC as browsers speak it is loaded with the first request for it. */
  #answerWeb(req: IncomingMessage, res: ServerResponse): void {
    if (this.#isPreflight(req, res, WEB_HEADERS)) return;
    if (this.#web) this.#web.handle(req, res);
    else void this.#makeWeb().then((web) => web.handle(req, res));
  }

  async #makeWeb(): Promise<WebCalls> {
    const { WebCalls } = await import('./web/web-calls.js');
    this.#web ??= new WebCalls(this.#appParts);
    return this.#web;
  }

  /** The server of WebSockets is loaded with the first one. */
  async #acceptSocket(parts: StreamSocketParts, { req, socket, head }: Upgrade): Promise<void> {
    const { StreamSockets } = await import('./stream-sockets.js');
    this.#sockets ??= new StreamSockets(parts);
    this.#sockets.accept(req, socket, head);
  }

  async #makeApp(): Promise<void> {
    const { createApp } = await import('./app.js');
    this.#app ??= createApp(this.#appParts);
  }

  /** JSON-RPC requests that pass all checks of `#dispatch`. */
  #plainRequests(auth: Authenticator): PlainRequests {
    const hasPath = (path: string): boolean => path === '/' || this.options.walletPaths;
    return {
      accepts: ({ path, headers }, socket) =>
        hasPath(path) && !this.#sites.refusal(headers) && auth.decidesAtOnce(headers.authorization, socket),
      answer: ({ path, headers }, body, socket, reply) => {
        const request = { headers, socket, wallet: walletOfPath(path) };
        if (typeof body === 'string') this.#rpc.answer(request, body, reply);
        else this.#rpc.answerLong(request, body, reply);
      },
    };
  }

  /** Health checks are answered for any host: they contain nothing of use to a foreign page, and load balancers use various names. */
  #refuseSite(refusal: SiteRefusal, url: string, res: ServerResponse): void {
    if (this.#answerProbe(url, res)) return;
    this.deps.metrics?.rejected('site');
    refuseRequest(res, 403, siteRefusalText[refusal]);
  }

  #answerProbe(url: string, res: ServerResponse): boolean {
    const { health } = this.deps;
    if (!health || !this.options.healthEndpoints) return false;
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : undefined;
    if (url.startsWith('/livez')) sendProbe(res, defidLivez(health()), query);
    else if (url.startsWith('/readyz')) sendProbe(res, defidReadyz(health()), query);
    else return false;
    return true;
  }
}
