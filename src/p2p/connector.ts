import type { Socket } from 'node:net';
import type { Logger } from '../util/logger.js';
import type { AddressBook } from './address-book.js';
import type { Bans } from './bans.js';
import { dial } from './dial.js';
import { type Resolve, resolveNode } from './dns.js';
import { formatEndpoint } from './ip.js';
import type { Peer, PeerKind } from './peer.js';
import type { PeerTable } from './peer-table.js';
import type { Endpoint } from './wire/net-address.js';

/** With fewer connections of our own than this, a failure may well be ours. */
const COUNT_FAILURES_FROM = 2;

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Port of nodes that are named without one. */
  readonly defaultPort: number;
}

export interface ConnectorDeps {
  readonly table: PeerTable;
  readonly book: AddressBook;
  readonly bans: Bans;
  readonly log: Logger;
  readonly resolve: Resolve;
  readonly random: () => number;
  readonly active: () => boolean;
  readonly stopping: AbortSignal;
  adopt(socket: Socket, kind: PeerKind, endpoint: Endpoint, name: string): Peer;
}

/** Makes connections, one at a time to each node. */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #deps: ConnectorDeps;
  /** Endpoints being connected to. */
  readonly #opening = new Set<string>();

  constructor(options: ConnectorOptions, deps: ConnectorDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** A node by name: the operator's wish, so bans do not count. @returns undefined if that failed or there is a connection already */
  async toNode(node: string, kind: PeerKind): Promise<Peer | undefined> {
    const { active, table, random, resolve } = this.#deps;
    if (!active() || table.byName(node)) return undefined;
    const endpoints = await resolveNode(node, this.#options.defaultPort, resolve);
    const endpoint = endpoints[Math.floor(random() * endpoints.length)];
    if (!endpoint || table.byEndpoint(endpoint)) return undefined;
    return this.#open(endpoint, kind, node);
  }

  /** An address of the book. */
  async toAddress(endpoint: Endpoint, kind: PeerKind): Promise<void> {
    const { active, table, bans } = this.#deps;
    if (!active() || bans.isBanned(endpoint.ip) || table.byIp(endpoint.ip)) return;
    await this.#open(endpoint, kind, formatEndpoint(endpoint));
  }

  async #open(endpoint: Endpoint, kind: PeerKind, name: string): Promise<Peer | undefined> {
    const { active, table, book, log, stopping, adopt } = this.#deps;
    const key = formatEndpoint(endpoint);
    if (this.#opening.has(key)) return undefined;
    this.#opening.add(key);
    book.markAttempt(endpoint, kind === 'outbound' && table.count((each) => each !== 'inbound') >= COUNT_FAILURES_FROM);
    try {
      const socket = await dial(endpoint, this.#options.timeoutMs, stopping);
      if (active()) return adopt(socket, kind, endpoint, name);
      socket.destroy();
    } catch (error) {
      log.debug('connection failed', { name, error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#opening.delete(key);
    }
    return undefined;
  }
}
