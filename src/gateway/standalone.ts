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

export interface StandaloneParts {
  readonly catalogue: Catalogue;
  readonly log: Logger;
}

/** The operation by which the other node is asked for credentials: it costs least. */
const PROBE = 'getaccess';

/**
 * A gateway without a node: it binds and prints, and another node runs the operations over gRPC. It keeps no state and no
 * secrets, so any number of them may stand before one node.
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

  /** For the metrics port. */
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
