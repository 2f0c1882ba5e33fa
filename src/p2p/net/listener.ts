import { createServer, type Server, type Socket } from 'node:net';
import { formatIp, type Ip, isOnion, parseEndpoint, parseIp } from '../addresses/ip.js';
import { type Grant, parseWhiteBind } from '../addresses/permissions.js';
import { isValidIp } from '../addresses/reachability.js';
import type { Endpoint } from '../wire/net-address.js';

/** -port, -bind and -whitebind. */
export interface ListenerOptions {
  readonly port: number;
  /** `address[:port]`; empty for all addresses. */
  readonly bind: readonly string[];
  /** `[permissions@]address:port` */
  readonly whiteBind: readonly string[];
}

/** Address to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly grant: Grant | undefined;
  /** Failure to listen is ignored, because a machine may have no IPv6. */
  readonly optional: boolean;
}

const UNSUPPORTED = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/** Listening sockets for inbound connections. */
export class Listener {
  readonly #addresses: readonly ListenAddress[];
  readonly #onSocket: (socket: Socket, grant: Grant | undefined) => void;
  readonly #servers: Server[] = [];

  /** @throws {Error} with the text of defid if an address is invalid */
  constructor(options: ListenerOptions, onSocket: (socket: Socket, grant: Grant | undefined) => void) {
    this.#addresses = listenAddresses(options);
    this.#onSocket = onSocket;
  }

  /** IP address of the first listener; undefined if it listens on all addresses. */
  get boundIp(): Ip | undefined {
    const ip = parseIp(this.#addresses[0]?.host ?? '');
    return ip && isValidIp(ip) ? ip : undefined;
  }

  /**
   * @returns ports, in the order of the addresses
   * @throws {Error} of node:net if an address cannot be listened on
   */
  async start(): Promise<readonly number[]> {
    const ports: number[] = [];
    try {
      for (const address of this.#addresses) {
        const port = await this.#listen(address);
        if (port !== undefined) ports.push(port);
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
    return ports;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  }

  #listen({ host, port, grant, optional }: ListenAddress): Promise<number | undefined> {
    const server = createServer((socket) => this.#onSocket(socket, grant));
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (optional && UNSUPPORTED.has(error.code ?? '')) resolve(undefined);
        else reject(error);
      });
      server.listen({ host, port, ipv6Only: host === '::' }, () => {
        this.#servers.push(server);
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : undefined);
      });
    });
  }
}

/** Addresses of -bind and -whitebind, or all of this machine. @throws {Error} with the text of defid for a wrong one */
export function listenAddresses({ port, bind, whiteBind }: ListenerOptions): readonly ListenAddress[] {
  const required = (endpoint: Endpoint, grant?: Grant) => ({ host: formatIp(endpoint.ip), port: endpoint.port, grant, optional: false });
  const addresses: ListenAddress[] = bind.map((text) => {
    const endpoint = parseEndpoint(text, port);
    if (!endpoint || isOnion(endpoint.ip)) throw new Error(`Cannot resolve -bind address: '${text}'`);
    return required(endpoint);
  });
  addresses.push(...whiteBind.map(parseWhiteBind).map(({ endpoint, named }) => required(endpoint, { named })));
  if (addresses.length > 0) return addresses;
  // IPv4 first, because the first port is advertised; with port 0 the system chooses one for each.
  return ['0.0.0.0', '::'].map((host) => ({ host, port, grant: undefined, optional: host === '::' }));
}
