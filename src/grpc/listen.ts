import { lookup } from 'node:dns/promises';
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import type { Caller } from '../rpc/access.js';
import { ConnectionSlots } from '../util/connection-slots.js';
import type { Logger } from '../util/logger.js';
import { Lru } from '../util/lru.js';
import type { BegunCall, PlainPeer } from './plain/plain-calls.js';

export interface GrpcEndpoints {
  /** Port of the addresses that name none; 0 for any free port. */
  readonly port: number;
  /** `host`, `host:port`, `[v6]:port`, a bare IPv6 address or `unix:<path>`. */
  readonly bind: readonly string[];
}

/** Maximum numbers of open connections. */
export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { connections: 256, connectionsPerAddress: 64 };

/** No address could be bound. */
export class CannotListen extends Error {
  override name = 'CannotListen';

  constructor(readonly causes: readonly Error[]) {
    super(`Unable to bind any endpoint for gRPC: ${causes.map(({ message }) => message).join('; ')} (-grpcport)`, { cause: causes[0] });
  }
}

const PROOFS_PER_CONNECTION = 32;

/** An accepted connection. */
export class GrpcConnection implements PlainPeer {
  /**
   * Callers that have authenticated, by their credentials; the connection of a gateway has several. Later calls compare with them without
   * a constant time or a throttle, which reveals only what the client has sent itself.
   */
  readonly proofs = new Lru<string, Caller>(PROOFS_PER_CONNECTION);
  readonly begun = new Map<string, BegunCall>();

  constructor(
    readonly socket: Socket,
    /** Undefined for a Unix socket. */
    readonly remoteAddress: string | undefined,
  ) {}
}

export interface ListenerParts {
  /** Serves an accepted connection. */
  readonly serve: (connection: GrpcConnection) => void;
  /** Addresses that may connect; undefined for all. Clients of a Unix socket always may. */
  readonly allowList?: { allows(address: string | undefined): boolean } | undefined;
  readonly log: Logger;
  readonly metrics?: { rejected(reason: 'queue' | 'source'): void };
}

/** Accepts connections for the gRPC library, which does not limit their number. */
export class GrpcListener {
  readonly #parts: ListenerParts;
  readonly #slots: ConnectionSlots;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Connections by `address:port` of their peers, as the library reports them. */
  readonly #connections = new Map<string, GrpcConnection>();

  constructor({ connections, connectionsPerAddress }: ConnectionLimits, parts: ListenerParts) {
    this.#parts = parts;
    this.#slots = new ConnectionSlots(connections, connectionsPerAddress);
  }

  /**
   * Binds all addresses that can be bound. One is enough, since many machines have no IPv6.
   * @returns the port in use
   * @throws {CannotListen} if no address could be bound
   */
  async listen({ port, bind }: GrpcEndpoints): Promise<number> {
    const failures: Error[] = [];
    let bound: number | undefined;
    for (const address of bind) {
      try {
        for (const target of await targetsOf(address, port)) {
          // All addresses share the port that the system chose for the first one.
          const used = await this.#bind(target.port === 0 ? { ...target, port: bound ?? 0 } : target);
          bound ??= used;
        }
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error(String(error)));
        this.#parts.log.warn('cannot bind an address for gRPC', { address, reason: failures.at(-1)?.message });
      }
    }
    if (bound === undefined) throw new CannotListen(failures);
    return bound;
  }

  /** Stops accepting connections; open ones are kept. */
  close(): void {
    for (const server of this.#servers) server.close();
  }

  /** Closes all open connections immediately. */
  destroyConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The connection of a call. @param peer as the library reports it @returns undefined for a Unix socket that is served directly */
  connectionOf(peer: string): GrpcConnection | undefined {
    return this.#connections.get(peer);
  }

  /** Adds a peer by which a connection is known while it is open. */
  addPeer(peer: string, connection: GrpcConnection): void {
    if (connection.socket.destroyed) return;
    this.#connections.set(peer, connection);
    connection.socket.once('close', () => this.#connections.delete(peer));
  }

  #bind(target: ListenOptions): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(target, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#parts.log.warn('cannot accept a gRPC connection', { reason: error.message }));
        this.#servers.push(server);
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : 1);
      });
    });
  }

  #accept(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    const { allowList, metrics } = this.#parts;
    if (remoteAddress !== undefined && allowList?.allows(remoteAddress) === false) {
      metrics?.rejected('source');
      socket.destroy();
      return;
    }
    const free = this.#slots.take(remoteAddress);
    if (!free) {
      metrics?.rejected('queue');
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      free();
      this.#sockets.delete(socket);
    });
    const connection = new GrpcConnection(socket, remoteAddress);
    if (remotePort !== undefined) this.addPeer(`${remoteAddress}:${remotePort}`, connection);
    this.#parts.serve(connection);
  }
}

/** Addresses to bind for one value of the option: a host name may have several. */
async function targetsOf(address: string, port: number): Promise<ListenOptions[]> {
  if (address.startsWith('unix:')) return [{ path: address.slice('unix:'.length) }];
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(address);
  const host = match ? (match[1] ?? match[2] ?? '') : address;
  const ownPort = match?.[3] === undefined ? port : Number(match[3]);
  const found = await lookup(host, { all: true });
  return found.map((each) => ({ host: each.address, port: ownPort }));
}
