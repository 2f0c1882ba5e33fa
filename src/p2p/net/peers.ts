import { randomBytes } from 'node:crypto';
import type { NetworkParams } from '../../params/network.js';
import { userAgent } from '../../params/protocol.js';
import type { Clock } from '../../util/clock.js';
import { Emitter } from '../../util/events.js';
import type { Logger } from '../../util/logger.js';
import { systemRandom } from '../../util/random.js';
import { AddressBook } from '../addresses/address-book.js';
import { Bans } from '../addresses/bans.js';
import { numericResolve, type Resolve, systemResolve } from '../addresses/dns.js';
import { externalEndpoint, LOCAL_SCORE, LocalAddresses } from '../addresses/local-addresses.js';
import { Networks } from '../addresses/networks.js';
import { NO_PERMISSIONS } from '../addresses/permissions.js';
import { isValidIp } from '../addresses/reachability.js';
import { findFirstAddresses } from '../addresses/seeds.js';
import type { Subnet } from '../addresses/subnet.js';
import { KeyFiles } from '../tor/key-file.js';
import { OnionService } from '../tor/onion-service.js';
import type { Endpoint } from '../wire/net-address.js';
import { AddedNodes } from './added-nodes.js';
import { AddressExchange } from './address-exchange.js';
import { Admission } from './admission.js';
import { Connector } from './connector.js';
import type { PeersEvents } from './events.js';
import { RoundRobin } from './inbox.js';
import { sendPing } from './keepalive.js';
import { Links } from './links.js';
import { Listener } from './listener.js';
import { Maintenance } from './maintenance.js';
import { NetTotals } from './net-totals.js';
import { MAX_FEELERS, MAX_OUTBOUND, type PeersOptions } from './options.js';
import { Outbound } from './outbound.js';
import type { Peer, PeerKind } from './peer.js';
import { PeerTable } from './peer-table.js';
import { Router } from './router.js';
import { restoreAddresses, StateFiles } from './state-files.js';
import { TimeOffset } from './time-offset.js';

/** Network groups of outbound connections from which on failed attempts are counted. */
const MAX_UNCOUNTED = 2;
/** Address rate on regtest, where tests send addresses in bulk: in effect no limit. */
const UNLIMITED = 1e9;

export interface PeersDeps {
  readonly params: Pick<NetworkParams, 'p2pMagic' | 'p2pPort' | 'txFormat' | 'dnsSeeds' | 'fixedSeeds' | 'isRegtest'>;
  readonly chain: { readonly tip: { readonly height: number }; isInitialDownload(): boolean };
  readonly clock: Pick<Clock, 'seconds' | 'now'>;
  readonly log: Logger;
  /** Called once if the clocks of many peers differ from ours by too much. */
  readonly onWrongClock?: () => void;
  /** From 0 up to 1. This and the members below are for tests. */
  readonly random?: () => number;
  readonly resolve?: Resolve;
  /** Monotonic clock, ms. */
  readonly monotonic?: () => number;
}

/**
 * The peers of this node: accepts and opens connections, performs handshakes, keeps connections alive and within their limits, and emits
 * the messages of peers whose handshake is complete.
 */
export class Peers {
  readonly totals: NetTotals;
  readonly bans: Bans;
  readonly book: AddressBook;
  readonly added: AddedNodes;
  readonly networks: Networks;
  readonly local: LocalAddresses;
  /** User agent of this node's `version` messages. */
  readonly userAgent: string;
  readonly options: PeersOptions;
  readonly #deps: PeersDeps;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #monotonic: () => number;
  readonly #resolve: Resolve;
  /** Resolver of names that the operator gave to this node itself, which no proxy resolves. */
  readonly #resolveOwn: Resolve;
  readonly #events = new Emitter<PeersEvents>();
  readonly #table = new PeerTable();
  readonly #turns = new RoundRobin();
  readonly #router: Router;
  readonly #exchange: AddressExchange;
  readonly #outbound: Outbound;
  readonly #listener: Listener;
  readonly #connector: Connector;
  readonly #maintenance: Maintenance;
  readonly #time: TimeOffset;
  readonly #stopping = new AbortController();
  readonly #maxOutbound: number;
  #onionService: OnionService | undefined;
  #active = true;

  /** @throws {Error} with the text of defid if an option is invalid */
  constructor(options: PeersOptions, deps: PeersDeps) {
    this.options = options;
    this.#deps = deps;
    this.#log = deps.log;
    this.#random = deps.random ?? systemRandom;
    this.#monotonic = deps.monotonic ?? (() => performance.now());
    this.networks = new Networks(options);
    this.local = new LocalAddresses((ip) => this.networks.isReachable(ip));
    this.#resolveOwn = options.dns ? (deps.resolve ?? systemResolve) : numericResolve;
    this.#resolve = this.networks.resolvesByProxy ? numericResolve : this.#resolveOwn;
    this.#maxOutbound = Math.min(MAX_OUTBOUND, options.maxConnections);
    this.userAgent = userAgent(options.userAgentComments);
    const mockable = () => deps.clock.seconds();
    this.totals = new NetTotals(options.maxUploadBytes, mockable);
    this.bans = new Bans(options.banTimeSec, mockable);
    this.#time = new TimeOffset(options.maxTimeAdjustmentSec, () => deps.onWrongClock?.());
    const files = options.directory === undefined ? undefined : new StateFiles(options.directory, deps.log);
    this.book = this.#openBook(files);
    files?.readBans(this.bans);
    this.added = new AddedNodes(options.addNodes, deps.params.p2pPort, () => this.#table.all());
    this.#exchange = this.#makeExchange();
    this.#router = this.#makeRouter();
    this.#outbound = this.#makeOutbound();
    const { book, bans, networks, totals } = this;
    const table = this.#table;
    const active = () => this.#active && !this.#stopping.signal.aborted;
    const admission = new Admission(options, { table, bans, key: book.key, active });
    const linked = { params: deps.params, table, bans, totals, turns: this.#turns, admission, router: this.#router };
    const links = new Links(options, { ...linked, log: deps.log, monotonic: this.#monotonic });
    this.#listener = new Listener(options, { log: deps.log, onSocket: (socket, grant) => links.accept(socket, grant) });
    this.#connector = new Connector(
      {
        timeoutMs: options.connectTimeoutMs,
        defaultPort: deps.params.p2pPort,
        countFailuresFrom: Math.min(MAX_UNCOUNTED, options.maxConnections - 1),
      },
      {
        table,
        book,
        bans,
        networks,
        active,
        log: deps.log,
        resolve: this.#resolve,
        random: this.#random,
        stopping: this.#stopping.signal,
        adopt: (socket, kind, endpoint, name) => links.adopt(socket, kind, endpoint, name, NO_PERMISSIONS),
      },
    );
    const maintained = { table, exchange: this.#exchange, book, bans, files, log: deps.log, monotonic: this.#monotonic };
    this.#maintenance = new Maintenance(options.peerTimeoutSec, maintained);
  }

  /** @returns a function that ends the subscription */
  on<Name extends keyof PeersEvents>(name: Name, listener: (event: PeersEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Starts to listen and to connect.
   * @returns the ports listened on
   * @throws {Error} of node:net if no address can be listened on, or with the text of defid for an invalid -externalip
   */
  async start(): Promise<readonly number[]> {
    const { listen, externalIps, discover } = this.options;
    const externals = await Promise.all(externalIps.map((text) => externalEndpoint(text, this.options.port, this.#resolveOwn)));
    const bound = listen ? await this.#listener.start() : [];
    // The port of -port, as with defid, whichever ports -bind names.
    const port = this.options.port || (bound[0]?.port ?? 0);
    for (const external of externals) this.local.add({ ip: external.ip, port: external.port || port }, LOCAL_SCORE.manual);
    if (discover) this.local.discover(port, bound);
    this.#onionService = this.#makeOnionService(bound[0]);
    this.#onionService?.start();
    this.#maintenance.start();
    this.#outbound.start();
    void this.#findFirstAddresses();
    return bound.map((address) => address.port);
  }

  /** Closes all connections and saves addresses and bans. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const peer of this.#table.all()) peer.disconnect('shutdown');
    await Promise.all([this.#outbound.stop(), this.#listener.stop(), this.#onionService?.stop()]);
    this.#turns.stop();
    this.#maintenance.stop();
  }

  /** All peers, including those whose handshake is incomplete; ascending by id. */
  all(): readonly Peer[] {
    return this.#table.all();
  }

  /** Peers for which `ready` was emitted. */
  ready(): readonly Peer[] {
    return [...this.#router.ready];
  }

  get(id: number): Peer | undefined {
    return this.#table.get(id);
  }

  get count(): number {
    return this.#table.size;
  }

  countInbound(): number {
    return this.#table.count((kind) => kind === 'inbound');
  }

  /** Offset of network time from our clock, seconds. */
  timeOffset(): number {
    return this.#time.seconds;
  }

  /** Network time: our clock plus the median offset of the peers, seconds since 1970. */
  adjustedTime(): number {
    return this.#deps.clock.seconds() + this.#time.seconds;
  }

  /** Monotonic clock, ms: the clock of the times in `Peer`. */
  monotonic(): number {
    return this.#monotonic();
  }

  /** Converts a time in `Peer` to seconds since 1970, independent of mock time; 0 stays 0, which means never. */
  secondsOf(ms: number): number {
    return ms === 0 ? 0 : Math.floor((this.#deps.clock.now() - (this.#monotonic() - ms)) / 1000);
  }

  /** True if no received message can be processed now: all are done, or wait for work on an earlier message. */
  get idle(): boolean {
    return this.#turns.idle;
  }

  get active(): boolean {
    return this.#active;
  }

  /** Enables or disables all network activity (`setnetworkactive`). Disabling closes all connections. */
  setActive(active: boolean): void {
    this.#active = active;
    if (active) return;
    for (const peer of this.#table.all()) peer.disconnect('network activity disabled');
  }

  /** Permits one outbound connection above the limit, while the tip is stale. */
  tryExtraOutbound(on: boolean): void {
    this.#outbound.extra = on;
  }

  /** Connects to a node. @returns its peer, before the handshake; undefined if the connection failed or already exists */
  connect(node: string, kind: PeerKind = 'manual'): Promise<Peer | undefined> {
    return this.#connector.toNode(node, kind);
  }

  /** Sends a ping to every peer. */
  pingAll(): void {
    for (const peer of this.#router.ready) sendPing(peer, this.#monotonic());
  }

  /** Disconnects a peer, named by id or as `getpeerinfo` names it. @returns false if there is no such peer */
  disconnect(which: string | number): boolean {
    const peer = typeof which === 'string' ? this.#table.byName(which) : this.#table.get(which);
    peer?.disconnect('requested by the operator');
    return peer !== undefined;
  }

  /** Disconnects all peers in a subnet, after a ban. */
  disconnectSubnet(subnet: Subnet): void {
    for (const peer of this.#table.inSubnet(subnet)) peer.disconnect('banned');
  }

  /** Saves bans that the operator has changed: they outlast a crash after the answer, as those of defid do. */
  saveBans(): void {
    this.#maintenance.saveBans();
  }

  #openBook(files: StateFiles | undefined): AddressBook {
    const { key, addresses } = files?.readAddresses() ?? { key: randomBytes(32), addresses: [] };
    const book = new AddressBook({ key, now: () => this.adjustedTime(), random: this.#random });
    restoreAddresses(book, addresses);
    return book;
  }

  #makeRouter(): Router {
    const { chain, clock, log } = this.#deps;
    const { options } = this;
    const { book, local } = this;
    return new Router({
      handshake: {
        userAgent: this.userAgent,
        get services() {
          return options.services;
        },
        relay: !options.blocksOnly,
        height: () => chain.tip.height,
        syncing: () => chain.isInitialDownload(),
        now: () => clock.seconds(),
        adjustedNow: () => this.adjustedTime(),
        isProxy: (ip) => this.networks.isProxy(ip),
        isOwnNonce: (nonce) => this.#table.all().some((peer) => !peer.inbound && !peer.ready && peer.nonce === nonce),
      },
      exchange: this.#exchange,
      book,
      local,
      time: this.#time,
      events: this.#events,
      log,
      monotonic: this.#monotonic,
    });
  }

  #makeExchange(): AddressExchange {
    const { options } = this;
    const { listen, discover, advertiseLoopback, addressRate, addressBurst, port } = options;
    const { params, chain } = this.#deps;
    const rate = addressRate ?? (params.isRegtest ? UNLIMITED : 0.1);
    const burst = addressBurst ?? (params.isRegtest ? UNLIMITED : 1000);
    return new AddressExchange(
      {
        listening: listen,
        port,
        get services() {
          return options.services;
        },
        discover,
        advertiseLoopback,
        rate,
        burst,
      },
      {
        book: this.book,
        local: this.local,
        isReachable: (ip) => this.networks.isReachable(ip),
        isBanned: (ip) => this.bans.isBanned(ip),
        hasProxy: (ip) => this.networks.hasProxy(ip),
        peers: () => this.#router.ready,
        now: () => this.adjustedTime(),
        monotonic: this.#monotonic,
        random: this.#random,
        syncing: () => chain.isInitialDownload(),
      },
    );
  }

  #makeOutbound(): Outbound {
    const { connect, seedNodes, maxConnections } = this.options;
    const slots = Math.min(this.#maxOutbound + MAX_FEELERS, maxConnections);
    return new Outbound(
      { connect, seedNodes, maxOutbound: this.#maxOutbound, slots, usualPort: this.#deps.params.p2pPort },
      {
        book: this.book,
        log: this.#log,
        active: () => this.#active,
        syncing: () => this.#deps.chain.isInitialDownload(),
        peers: () => this.#table.all(),
        missingAdded: () => this.added.missing(),
        isOurs: (endpoint) => this.local.isOurs(endpoint),
        isReachable: (ip) => this.networks.isReachable(ip),
        connectNode: (node, kind) => this.connect(node, kind),
        connectAddress: (endpoint, kind) => this.#connector.toAddress(endpoint, kind),
        now: () => this.adjustedTime(),
        monotonic: this.#monotonic,
        random: this.#random,
      },
    );
  }

  /** @param first first address that the node listens on */
  #makeOnionService(first: Endpoint | undefined): OnionService | undefined {
    const { onionService, directory } = this.options;
    if (!first || !onionService) return undefined;
    const listenIp = isValidIp(first.ip) ? first.ip : undefined;
    const config = { ...onionService, port: this.#deps.params.p2pPort, listenPort: first.port, listenIp };
    const { local, networks } = this;
    return new OnionService(config, { keys: new KeyFiles(directory), local, networks, log: this.#log.child('tor') });
  }

  #findFirstAddresses(): Promise<void> {
    const { dnsSeeds, p2pPort, ...params } = this.#deps.params;
    const { connect, dnsSeed, forceDnsSeed } = this.options;
    // With -connect the addresses are for others: -dnsseed fetches them, but the built-in ones are of no use.
    const fixedSeeds = connect === undefined ? params.fixedSeeds : [];
    return findFirstAddresses(
      { dnsSeeds, fixedSeeds, port: p2pPort, useDns: dnsSeed, force: forceDnsSeed },
      {
        book: this.book,
        // -dns is about nodes that the operator names.
        resolve: this.#deps.resolve ?? systemResolve,
        byProxy: this.networks.resolvesByProxy,
        connectSeed: async (seed) => void (await this.connect(seed, 'seed')),
        log: this.#log,
        connected: () => [...this.#router.ready].filter(({ kind }) => kind === 'outbound').length,
        now: () => this.adjustedTime(),
        random: this.#random,
        signal: this.#stopping.signal,
      },
    );
  }
}
