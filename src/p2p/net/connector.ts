import type { Socket } from 'node:net';
import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from '../addresses/address-book.js';
import type { Bans } from '../addresses/bans.js';
import { type Resolve, resolveNode } from '../addresses/dns.js';
import { formatEndpoint, isOnionName, parseIp, splitHostPort } from '../addresses/ip.js';
import type { NamedTarget, Networks } from '../addresses/networks.js';
import { dial } from '../dial/dial.js';
import { ProxyFailure } from '../dial/socks5.js';
import { type Endpoint, NO_ENDPOINT } from '../wire/net-address.js';
import { automaticGroups } from './outbound.js';
import type { Peer, PeerKind } from './peer.js';
import type { PeerTable } from './peer-table.js';

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Port of nodes that are given without one. */
  readonly defaultPort: number;
  /** Number of network groups from which on failed attempts are counted. With connections to fewer groups our own network may be down. */
  readonly countFailuresFrom: number;
}

/** Parts of the node that `Connector` uses. */
export interface ConnectorDeps {
  readonly table: PeerTable;
  readonly book: AddressBook;
  readonly bans: Bans;
  readonly networks: Pick<Networks, 'routeTo' | 'resolvesByProxy'>;
  readonly log: Logger;
  readonly resolve: Resolve;
  readonly random: () => number;
  readonly active: () => boolean;
  readonly stopping: AbortSignal;
  adopt(socket: Socket, kind: PeerKind, endpoint: Endpoint, name: string): Peer;
}

/** Opens connections, one at a time to each node. */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #deps: ConnectorDeps;
  /** Destinations of the attempts in progress. */
  readonly #opening = new Set<string>();
  #proxyFailed = false;

  constructor(options: ConnectorOptions, deps: ConnectorDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Connects to a node named by the operator, even if it is banned. @returns undefined on failure or if it is already connected */
  async toNode(node: string, kind: PeerKind): Promise<Peer | undefined> {
    const { active, table, random, resolve } = this.#deps;
    if (!active() || table.byName(node)) return undefined;
    const named = this.#targetForProxy(node);
    if (named) return this.#open(named, kind, node);
    const endpoints = await resolveNode(node, this.#options.defaultPort, resolve);
    const endpoint = endpoints[Math.floor(random() * endpoints.length)];
    if (!endpoint || table.byEndpoint(endpoint)) return undefined;
    return this.#open(endpoint, kind, node);
  }

  /** Connects to an address of the address book. */
  async toAddress(endpoint: Endpoint, kind: PeerKind): Promise<void> {
    const { active, table, bans } = this.#deps;
    if (!active() || bans.isBanned(endpoint.ip) || table.byIp(endpoint.ip)) return;
    await this.#open(endpoint, kind, formatEndpoint(endpoint));
  }

  /** Target for a host name that the proxy resolves; undefined if this node resolves it. */
  #targetForProxy(node: string): NamedTarget | undefined {
    const { host, port = this.#options.defaultPort } = splitHostPort(node);
    const byProxy = isOnionName(host) || this.#deps.networks.resolvesByProxy;
    return byProxy && !parseIp(host) ? { host, port } : undefined;
  }

  async #open(target: Endpoint | NamedTarget, kind: PeerKind, name: string): Promise<Peer | undefined> {
    const { active, networks, log, stopping, adopt } = this.#deps;
    const known = 'host' in target ? undefined : target;
    const key = 'host' in target ? `${target.host}:${target.port}` : formatEndpoint(target);
    if (this.#opening.has(key)) return undefined;
    this.#opening.add(key);
    try {
      const socket = await dial(target, { networks, timeoutMs: this.#options.timeoutMs, signal: stopping });
      this.#markAttempt(known, kind);
      this.#proxyFailed = false;
      if (active()) return adopt(socket, kind, known ?? NO_ENDPOINT, name);
      socket.destroy();
    } catch (error) {
      const reason = errorText(error);
      log.debug('connection failed', { name, error: reason });
      if (error instanceof ProxyFailure) this.#noteProxyFailure(reason);
      const isTried = !(error instanceof ProxyFailure) || error.isReached;
      if (isTried && !stopping.aborted) this.#markAttempt(known, kind);
    } finally {
      this.#opening.delete(key);
    }
    return undefined;
  }

  /** Warns once until the next successful connection, because attempts are made twice a second. */
  #noteProxyFailure(reason: string): void {
    if (!this.#proxyFailed) this.#deps.log.warn('proxy connection failed', { error: reason });
    this.#proxyFailed = true;
  }

  #markAttempt(endpoint: Endpoint | undefined, kind: PeerKind): void {
    const { table, book } = this.#deps;
    const counts = kind !== 'manual' && kind !== 'seed' && automaticGroups(table.all()).size >= this.#options.countFailuresFrom;
    if (endpoint) book.markAttempt(endpoint, counts);
  }
}
