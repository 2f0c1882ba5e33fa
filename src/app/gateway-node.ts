import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.js';
import { MetricsPort } from '../gateway/metrics-port.js';
import { StandaloneGateway } from '../gateway/standalone.js';
import { createRegistry } from '../metrics/registry.js';
import type { Logger } from '../util/logger.js';
import { programVersion } from '../version.js';
import { gatewayOptions, projectCatalogue } from './transports.js';

/** What runs with `-gateway`: JSON-RPC, REST and a metrics port in front of another node, started and stopped as a node is. */
export class GatewayNode {
  readonly stopped: Promise<void>;
  readonly #gateway: StandaloneGateway;
  readonly #metrics: MetricsPort | undefined;
  readonly #optionalMetrics: boolean;
  readonly #log: Logger;
  #settle: () => void = () => {};

  /** @throws {Error} if the upstream's certificate authority cannot be read */
  constructor(config: Config, { log }: { readonly log: Logger }) {
    this.stopped = new Promise((resolve) => {
      this.#settle = resolve;
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
    this.#log.info('JSON-RPC and REST', { endpoints: await this.#gateway.start() });
    try {
      if (this.#metrics) this.#log.info('metrics and probes', { endpoints: await this.#metrics.start() });
    } catch (error) {
      if (!this.#optionalMetrics) throw error;
      this.#log.warn('metrics port is taken, running without');
    }
  }

  async stop(): Promise<void> {
    await this.#gateway.stop();
    await this.#metrics?.stop();
    this.#settle();
  }
}
