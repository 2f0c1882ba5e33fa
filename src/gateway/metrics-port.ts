import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../util/logger.js';
import { AllowList } from './allow-list.js';
import { AllowedSites, siteRefusalText } from './allowed-sites.js';
import type { ConnectionLimits } from './connection-limits.js';
import { livez, type NodeHealth, type Probe, readyz, startupz } from './health.js';
import { HttpServer } from './http-server.js';
import type { Endpoint } from './listen.js';
import { parseEndpoint } from './listen.js';
import { refuseRequest, send, sendEmpty } from './reply.js';
import { sendProbe } from './send-probe.js';

/** Options of the operator. */
export interface MetricsPortOptions {
  /** -metricsbind: `host`, `host:port` or `[v6]:port`; loopback if empty. */
  readonly bind: readonly string[];
  readonly port: number;
  /** -metricsallowip: addresses and networks that may connect besides loopback; empty for all. */
  readonly allowIp: readonly string[];
  /** -rpcallowhost: host names of requests to accept, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
}

/** Sources of metrics and health checks. */
export interface MetricsPortDeps {
  /** A registry of prom-client. */
  readonly registry: { readonly contentType: string; metrics(): Promise<string> };
  readonly health: () => NodeHealth;
  readonly log: Logger;
}

/** Connection limits; scrapers and probes need few. */
export const METRICS_CONNECTIONS: ConnectionLimits = { total: 64, perAddress: 16 };

const IDLE_TIMEOUT_MS = 30_000;

const PROBES: Readonly<Record<string, (health: NodeHealth) => Probe>> = { '/livez': livez, '/readyz': readyz, '/startupz': startupz };

/** Metrics and health checks on a port of their own, without credentials. They contain no names of wallets or callers. */
export class MetricsPort {
  readonly #server: HttpServer;
  readonly #sites: AllowedSites;

  constructor(
    options: MetricsPortOptions,
    readonly deps: MetricsPortDeps,
  ) {
    const bind = options.bind.length > 0 ? options.bind : ['127.0.0.1'];
    this.#sites = new AllowedSites(options.allowHosts, '');
    this.#server = new HttpServer(
      {
        endpoints: bind.map((text) => parseEndpoint(text, options.port)),
        portOption: '-metricsport',
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        connections: METRICS_CONNECTIONS,
      },
      {
        allowList: options.allowIp.length > 0 ? new AllowList(options.allowIp) : { allows: () => true },
        isBusy: () => false,
        onRequest: (req, res) => this.#onRequest(req, res),
        log: deps.log,
      },
    );
  }

  start(): Promise<Endpoint[]> {
    return this.#server.start();
  }

  /** Stops the port. To be called last, so that probes see the node as not ready during its shutdown. */
  async stop(): Promise<void> {
    this.#server.drain();
    this.#server.refuse();
    await this.#server.close();
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    const [path = '', query] = (req.url ?? '').split('?');
    const probe = PROBES[path];
    if (req.method !== 'GET' && req.method !== 'HEAD') sendEmpty(res, 405);
    else if (path === '/metrics') this.#sendMetrics(req, res);
    else if (probe) sendProbe(res, probe(this.deps.health()), query);
    else sendEmpty(res, 404);
  }

  /** Sends the metrics, but not to pages of other sites: they reveal the number of peers and the activity of wallets. */
  #sendMetrics(req: IncomingMessage, res: ServerResponse): void {
    const refusal = this.#sites.refusal(req.headers);
    if (refusal) {
      refuseRequest(res, 403, siteRefusalText[refusal]);
      return;
    }
    const { registry, log } = this.deps;
    registry.metrics().then(
      (text) => send(res, 200, registry.contentType, text),
      (error) => {
        log.error('cannot collect metrics', { error: String(error) });
        sendEmpty(res, 500);
      },
    );
  }
}
