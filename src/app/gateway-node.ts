import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.js';
import { MetricsPort } from '../gateway/metrics-port.js';
import { StandaloneGateway } from '../gateway/standalone.js';
import { createRegistry } from '../metrics/registry.js';
import type { Logger } from '../util/logger.js';
import { programVersion } from '../version.js';
import { gatewayOptions, projectCatalogue } from './transports.js';

/** Process of -gateway: JSON-RPC, REST and a metrics port in front of an upstream node. */
export class GatewayNode {
  readonly stopped: Promise<void>;
  readonly #gateway: StandaloneGateway;
  readonly #metrics: MetricsPort | undefined;
  readonly #optionalMetrics: boolean;
  readonly #log: Logger;
  #resolveStopped: () => void = () => {};

  /** @throws {Error} if the file of -upstreamca cannot be read */
  constructor(config: Config, { log }: { readonly log: Logger }) {
    this.stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve;
    });
    const { metrics, gateway } = config;
    this.#log = log;
    const ca = gateway.tls?.caFile === undefined ? undefined : readFileSync(gateway.tls.caFile);
    const upstream = { address: gateway.upstream ?? '', tls: gateway.tls && { ca } };
    const catalogue = projectCatalogue(config.rpc.strict);
    this.#gateway = new StandaloneGateway(gatewayOptions(config, log), upstream, { catalogue, log: log.child('gateway') });
    this.#optionalMetrics = metrics?.optional ?? true;
    const registry = createRegistry({ version: programVersion(), nativeEcdsa: false });
    this.#metrics = metrics && new MetricsPort(metrics, { registry, health: () => this.#gateway.health(), log: log.child('metrics') });
  }

  async start(): Promise<void> {
    this.#log.info('HTTP server listening', { endpoints: await this.#gateway.start() });
    try {
      if (this.#metrics) this.#log.info('metrics server listening', { endpoints: await this.#metrics.start() });
    } catch (error) {
      if (!this.#optionalMetrics) throw error;
      this.#log.warn('metrics port is in use, running without metrics');
    }
  }

  async stop(): Promise<void> {
    await this.#gateway.stop();
    await this.#metrics?.stop();
    this.#resolveStopped();
  }
}
