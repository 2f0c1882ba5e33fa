import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RpcMetrics } from '../metrics/rpc.js';
import type { CallRecorder } from '../rpc/call-stats.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { LoginThrottle } from '../rpc/login-throttle.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { AllowList } from './allow-list.js';
import { AllowedSites, type SiteRefusal, siteRefusalText } from './allowed-sites.js';
import { createApp } from './app.js';
import { Authenticator, type CredentialCheck } from './auth.js';
import { BodyBudget } from './body.js';
import { Documents } from './documents/documents.js';
import { type NodeHealth, referenceLivez, referenceReadyz } from './health.js';
import { HttpServer } from './http-server.js';
import { JsonRpc } from './jsonrpc.js';
import { type Endpoint, endpointsOf } from './listen.js';
import { type CallInvoker, OperationTable } from './operations.js';
import type { GatewayOptions } from './options.js';
import { PendingCalls } from './pending-calls.js';
import { ReferenceRest } from './reference-rest.js';
import type { Rejected } from './rejected.js';
import { refuseRequest, sendEmpty } from './reply.js';
import { RpcEndpoint } from './rpc-endpoint.js';
import { sendProbe } from './send-probe.js';
import { walletOfPath } from './wallet-path.js';

export interface GatewayDeps {
  readonly catalogue: Catalogue;
  readonly invoker: CallInvoker;
  readonly credentials: CredentialCheck;
  /** Shared with other transports; absent where this is the only one. */
  readonly throttle?: LoginThrottle | undefined;
  readonly log: Logger;
  /** Counts what is turned away. */
  readonly metrics?: Pick<RpcMetrics, 'rejected'> | undefined;
  /** Absent where no statistics are kept. */
  readonly callStats?: CallRecorder | undefined;
  /** Absent where there is no node to ask; the health paths are not served then. */
  readonly health?: (() => NodeHealth) | undefined;
}

/** Verbs that the JSON-RPC port knows; others that HTTP knows are answered 501. */
const KNOWN_VERBS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']);

/**
 * The HTTP side of the node: JSON-RPC as the reference speaks it, REST and documents. It knows operations only through the
 * catalogue. JSON-RPC is answered before any routing, because the router costs more than most calls do.
 */
export class Gateway {
  readonly #server: HttpServer;
  readonly #pending: PendingCalls;
  readonly #rpc: RpcEndpoint;
  readonly #reference: ReferenceRest;
  readonly #sites: AllowedSites;
  readonly #app: (req: IncomingMessage, res: ServerResponse) => void;

  /** @throws {Error} with the text the operator sees, if an option cannot be read */
  constructor(
    readonly options: GatewayOptions,
    readonly deps: GatewayDeps,
  ) {
    const { log, credentials } = deps;
    const rejected: Rejected = (reason) => deps.metrics?.rejected(reason);
    const documents = new Documents(deps.catalogue, options.version);
    const operations = new OperationTable(deps.catalogue, deps.invoker, documents, rejected);
    const { endpoints, warnings } = endpointsOf(options);
    for (const warning of warnings) log.warn(warning);
    this.#pending = new PendingCalls(options.maxPending);
    this.#sites = new AllowedSites(options.allowHosts, options.corsOrigin);
    const throttle = deps.throttle ?? new LoginThrottle({ log }, { delayMs: options.authDelayMs });
    const auth = new Authenticator(credentials, throttle, rejected);
    const bodies = new BodyBudget();
    this.#rpc = new RpcEndpoint(new JsonRpc(operations, log, deps.callStats), auth, this.#pending, bodies, options.corsOrigin, rejected);
    this.#reference = new ReferenceRest(operations, bodies, rejected, log, options.tokenIds);
    this.#app = createApp({ operations, documents, auth, pending: this.#pending, bodies, rejected, log });
    this.#server = new HttpServer(
      { endpoints, idleTimeoutMs: options.idleTimeoutMs, connections: options.connections },
      {
        allowList: new AllowList(options.allowIp),
        isBusy: (socket) => this.#pending.isBusy(socket) || this.#reference.pending.isBusy(socket),
        onRequest: (req, res) => this.#dispatch(req, res),
        rejected,
        log,
      },
    );
  }

  /** @returns where it listens @throws {CannotListen} if no endpoint could be bound */
  start(): Promise<Endpoint[]> {
    return this.#server.start();
  }

  /** Shutdown was asked for: replies from now on end their connections. */
  drain(): void {
    this.#server.drain();
  }

  /** Refuses new calls, tells running ones to stop, waits for them for a while, then closes what is left. */
  async stop(): Promise<void> {
    this.#server.drain();
    this.#server.refuse();
    const pending = [this.#pending, this.#reference.pending];
    for (const calls of pending) calls.abortAll(new NodeError('not-connected', 'Shutting down'));
    await Promise.all(pending.map((calls) => calls.drained(this.options.stopGraceMs)));
    await this.#server.close();
  }

  #dispatch(req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? '';
    const refusal = this.#sites.refusal(req.headers);
    if (refusal) {
      this.#refuseSite(refusal, url, res);
      return;
    }
    const wallet = url === '/' || !this.options.walletPaths ? undefined : walletOfPath(url);
    if (url.startsWith('/v1/') || url === '/openapi.json') this.#app(req, res);
    else if (!KNOWN_VERBS.has(req.method ?? '')) sendEmpty(res, req.method === 'DELETE' ? 405 : 501);
    else if (url === '/' || wallet !== undefined) this.#rpc.handle(req, res, wallet);
    else if (this.options.rest && url.startsWith('/rest/')) this.#reference.handle(req, res);
    else if (!this.#answerProbe(url, res)) this.#app(req, res);
  }

  /** Probes say nothing that a foreign page could use, and load balancers ask for them by any name. */
  #refuseSite(refusal: SiteRefusal, url: string, res: ServerResponse): void {
    if (this.#answerProbe(url, res)) return;
    this.deps.metrics?.rejected('site');
    refuseRequest(res, 403, siteRefusalText[refusal]);
  }

  #answerProbe(url: string, res: ServerResponse): boolean {
    const { health } = this.deps;
    if (!health || !this.options.healthEndpoints) return false;
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : undefined;
    if (url.startsWith('/livez')) sendProbe(res, referenceLivez(health()), query);
    else if (url.startsWith('/readyz')) sendProbe(res, referenceReadyz(health()), query);
    else return false;
    return true;
  }
}
