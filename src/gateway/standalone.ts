import type { Client } from '@grpc/grpc-js';
import type { Catalogue } from '../rpc/catalogue.js';
import type { Logger } from '../util/logger.js';
import { Gateway } from './gateway.js';
import type { NodeHealth } from './health.js';
import type { Endpoint } from './listen.js';
import type { GatewayOptions } from './options.js';
import { connectUpstream, RemoteInvoker, type Upstream } from './upstream/remote-invoker.js';
import { UpstreamCredentials } from './upstream/upstream-credentials.js';
import { UpstreamHealth } from './upstream/upstream-health.js';

/** Modules that a standalone gateway uses. */
export interface StandaloneParts {
  readonly catalogue: Catalogue;
  readonly log: Logger;
}

/** Operation that checks credentials at the upstream node; it is the cheapest one. */
const PROBE = 'getaccess';

/**
 * A gateway without a node: it parses arguments and formats answers, while an upstream node runs the operations over gRPC. It has no
 * state and no secrets, so any number of gateways can serve one node.
 */
export class StandaloneGateway {
  readonly #client: Client;
  readonly #health: UpstreamHealth;
  readonly #gateway: Gateway;

  constructor(options: GatewayOptions, upstream: Upstream, { catalogue, log }: StandaloneParts) {
    this.#client = connectUpstream(upstream);
    this.#health = new UpstreamHealth(this.#client);
    const invoker = new RemoteInvoker(this.#client);
    const probe = catalogue.byName(PROBE);
    if (!probe) throw new Error(`no operation ${PROBE}`);
    this.#gateway = new Gateway(options, {
      catalogue,
      invoker,
      credentials: new UpstreamCredentials((call) => invoker.invoke(probe, {}, call)),
      health: () => this.health(),
      log,
    });
  }

  /** Health for the metrics port. */
  health(): NodeHealth {
    return this.#health.current();
  }

  start(): Promise<Endpoint[]> {
    this.#health.start();
    return this.#gateway.start();
  }

  async stop(): Promise<void> {
    this.#health.stop();
    await this.#gateway.stop();
    this.#client.close();
  }
}
