import { createServer, type Server, type Socket } from 'node:net';
import { formatIp, type Ip, isOnion, parseEndpoint, parseIp } from '../addresses/ip.js';
import { type Grant, parseWhiteBind } from '../addresses/permissions.js';
import { isValidIp } from '../addresses/reachability.js';
import type { Endpoint } from '../wire/net-address.js';

export interface ListenerOptions {
  readonly port: number;
  /** `address[:port]`; none: every address. */
  readonly bind: readonly string[];
  /** `[permissions@]address:port` */
  readonly whiteBind: readonly string[];
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly grant: Grant | undefined;
  /** Whether the node can do without: a machine may have no IPv6. */
  readonly optional: boolean;
}

const NOT_HERE = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/** Where peers connect to. */
export class Listener {
  readonly #places: readonly Place[];
  readonly #onSocket: (socket: Socket, grant: Grant | undefined) => void;
  readonly #servers: Server[] = [];

  /** @throws {Error} in the reference's words for an address that is none */
  constructor(options: ListenerOptions, onSocket: (socket: Socket, grant: Grant | undefined) => void) {
    this.#places = placesOf(options);
    this.#onSocket = onSocket;
  }

  /** Address of the first listener; undefined if it listens on all of them. */
  get boundIp(): Ip | undefined {
    const ip = parseIp(this.#places[0]?.host ?? '');
    return ip && isValidIp(ip) ? ip : undefined;
  }

  /**
   * @returns ports, in the order of the addresses
   * @throws {Error} of node:net if an address cannot be listened on
   */
  async start(): Promise<readonly number[]> {
    const ports: number[] = [];
    try {
      for (const place of this.#places) {
        const port = await this.#listen(place);
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

  #listen({ host, port, grant, optional }: Place): Promise<number | undefined> {
    const server = createServer((socket) => this.#onSocket(socket, grant));
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (optional && NOT_HERE.has(error.code ?? '')) resolve(undefined);
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

function placesOf({ port, bind, whiteBind }: ListenerOptions): readonly Place[] {
  const place = ({ ip, port: own }: Endpoint, grant?: Grant): Place => ({ host: formatIp(ip), port: own, grant, optional: false });
  const places = bind.map((text) => {
    const endpoint = parseEndpoint(text, port);
    if (!endpoint || isOnion(endpoint.ip)) throw new Error(`Cannot resolve -bind address: '${text}'`);
    return place(endpoint);
  });
  places.push(...whiteBind.map(parseWhiteBind).map(({ endpoint, named }) => place(endpoint, { named })));
  if (places.length > 0) return places;
  // IPv4 first: a port that the system chooses for it is not forced on IPv6.
  return ['0.0.0.0', '::'].map((host) => ({ host, port, grant: undefined, optional: host === '::' }));
}
