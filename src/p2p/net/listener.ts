import { createServer, type Server, type Socket } from 'node:net';
import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import { formatEndpoint, formatIp, isOnion, parseEndpoint, parseIp } from '../addresses/ip.js';
import { type Grant, parseWhiteBind } from '../addresses/permissions.js';
import type { Endpoint } from '../wire/net-address.js';

/** -port, -bind and -whitebind. */
export interface ListenerOptions {
  readonly port: number;
  /** `address[:port]`; empty for all addresses. */
  readonly bind: readonly string[];
  /** `[permissions@]address:port` */
  readonly whiteBind: readonly string[];
}

/** Address to listen on. The port is the chosen one once the node listens. */
export interface ListenAddress extends Endpoint {
  readonly grant: Grant | undefined;
}

export interface ListenerDeps {
  readonly log: Logger;
  onSocket(socket: Socket, grant: Grant | undefined): void;
}

/** Listening sockets for inbound connections. */
export class Listener {
  readonly #addresses: readonly ListenAddress[];
  readonly #deps: ListenerDeps;
  readonly #servers: Server[] = [];

  /** @throws {Error} with the text of defid if an address is invalid */
  constructor(options: ListenerOptions, deps: ListenerDeps) {
    this.#addresses = listenAddresses(options);
    this.#deps = deps;
  }

  /**
   * Listens on all addresses that are available. One is sufficient, as for `defid`: a machine may have no IPv6, or lack an address of -bind.
   * @returns those listened on, in the order of the options
   * @throws {Error} of node:net about the first address if none is available
   */
  async start(): Promise<readonly ListenAddress[]> {
    const bound: ListenAddress[] = [];
    const failures: unknown[] = [];
    for (const address of this.#addresses) {
      try {
        bound.push({ ...address, port: await this.#listen(address) });
      } catch (error) {
        failures.push(error);
        this.#deps.log.warn(`Unable to bind to ${formatEndpoint(address)} on this computer`, { reason: errorText(error) });
      }
    }
    if (bound.length === 0) throw failures[0];
    return bound;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  }

  /** @returns the port */
  #listen({ ip, port, grant }: ListenAddress): Promise<number> {
    const { log, onSocket } = this.#deps;
    const host = formatIp(ip);
    const server = createServer((socket) => onSocket(socket, grant));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, ipv6Only: host === '::' }, () => {
        server.off('error', reject);
        // Without a listener a failure to accept, for lack of descriptors or memory, would end the process.
        server.on('error', (error) => log.warn('cannot accept a connection of a peer', { reason: error.message }));
        this.#servers.push(server);
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }
}

/** Addresses of -bind and -whitebind, or all of this machine. @throws {Error} with the text of defid for a wrong one */
export function listenAddresses({ port, bind, whiteBind }: ListenerOptions): readonly ListenAddress[] {
  const addresses: ListenAddress[] = bind.map((text) => {
    const endpoint = parseEndpoint(text, port);
    if (!endpoint || isOnion(endpoint.ip)) throw new Error(`Cannot resolve -bind address: '${text}'`);
    return { ...endpoint, grant: undefined };
  });
  addresses.push(...whiteBind.map(parseWhiteBind).map(({ endpoint, named }) => ({ ...endpoint, grant: { named } })));
  if (addresses.length > 0) return addresses;
  // IPv4 first, because the first port is advertised; with port 0 the system chooses one for each.
  return ['0.0.0.0', '::'].flatMap((host) => {
    const ip = parseIp(host);
    return ip ? [{ ip, port, grant: undefined }] : [];
  });
}
