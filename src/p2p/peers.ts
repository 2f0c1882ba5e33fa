import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { NetworkParams } from '../params/network.js';
import { userAgent } from '../params/protocol.js';
import type { Clock } from '../util/clock.js';
import { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import { AddedNodes } from './added-nodes.js';
import { AddressBook } from './address-book.js';
import { AddressExchange } from './address-exchange.js';
import { Bans } from './bans.js';
import { dial } from './dial.js';
import { numericResolve, type Resolve, resolveNode, systemResolve } from './dns.js';
import type { PeerMessage, PeersEvents } from './events.js';
import { chooseEvicted } from './eviction.js';
import { Handshake } from './handshake.js';
import { TurnTaker } from './inbox.js';
import { formatEndpoint, type Ip, parseEndpoint, parseIp } from './ip.js';
import { pingIfDue, sendPing, silenceOf } from './keepalive.js';
import { Link, type LinkContext } from './link.js';
import { Listener } from './listener.js';
import { LOCAL_SCORE, LocalAddresses } from './local-addresses.js';
import { MAX_FEELERS, MAX_OUTBOUND, type PeersOptions } from './options.js';
import { Outbound } from './outbound.js';
import type { Peer, PeerKind } from './peer.js';
import { PeerTable } from './peer-table.js';
import { type Grant, grantsFor, NO_PERMISSIONS, type Permissions, parseWhitelist, type WhitelistEntry } from './permissions.js';
import { isLocal } from './reachability.js';
import { findFirstAddresses } from './seeds.js';
import { restoreAddresses, StateFiles } from './state-files.js';
import { hostSubnet, type Subnet } from './subnet.js';
import { TimeOffset } from './time-offset.js';
import { NetTotals } from './totals.js';
import { type WireMessage, wireCodecs } from './wire/messages.js';
import type { Endpoint } from './wire/net-address.js';
import type { Version } from './wire/version.js';

const TICK_MS = 1000;
const SAVE_TICKS = 15 * 60;
const SEED_PATIENCE_MS = 60_000;
/** With fewer connections of our own than this, a failure may well be ours. */
const COUNT_FAILURES_FROM = 2;
/** No limit that anyone reaches: regtest is for tests, which send addresses in bulk. */
const UNLIMITED = 1e9;

export interface PeersDeps {
  readonly params: Pick<NetworkParams, 'p2pMagic' | 'p2pPort' | 'txFormat' | 'dnsSeeds' | 'fixedSeeds' | 'isRegtest'>;
  readonly chain: { readonly tip: { readonly height: number }; isInitialDownload(): boolean };
  readonly clock: Pick<Clock, 'seconds' | 'now'>;
  readonly log: Logger;
  /** The three below are for tests. In [0, 1). */
  readonly random?: () => number;
  readonly resolve?: Resolve;
  /** Milliseconds that only grow. */
  readonly monotonic?: () => number;
}

/**
 * The peers of this node: takes and makes connections, introduces the node, keeps connections alive and in bounds, and passes on what
 * the ready ones say.
 */
export class Peers {
  readonly totals: NetTotals;
  readonly bans: Bans;
  readonly book: AddressBook;
  readonly added: AddedNodes;
  readonly local = new LocalAddresses();
  /** What this node calls itself. */
  readonly userAgent: string;
  readonly options: PeersOptions;
  readonly #deps: PeersDeps;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #monotonic: () => number;
  readonly #resolve: Resolve;
  readonly #events = new Emitter<PeersEvents>();
  readonly #table = new PeerTable();
  readonly #turns = new TurnTaker();
  readonly #linkContext: LinkContext;
  readonly #handshake: Handshake;
  readonly #exchange: AddressExchange;
  readonly #outbound: Outbound;
  readonly #listener: Listener;
  readonly #whitelist: readonly WhitelistEntry[];
  readonly #files: StateFiles | undefined;
  readonly #time: TimeOffset;
  /** Peers that others were told of. */
  readonly #announced = new Set<Peer>();
  /** Endpoints being connected to. */
  readonly #opening = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #maxOutbound: number;
  #active = true;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @throws {Error} in the reference's words for options that make no sense */
  constructor(options: PeersOptions, deps: PeersDeps) {
    this.options = options;
    this.#deps = deps;
    this.#log = deps.log;
    this.#random = deps.random ?? Math.random;
    this.#monotonic = deps.monotonic ?? (() => performance.now());
    this.#resolve = options.dns ? (deps.resolve ?? systemResolve) : numericResolve;
    this.#whitelist = options.whitelist.map(parseWhitelist);
    this.#maxOutbound = Math.min(MAX_OUTBOUND, options.maxConnections);
    this.userAgent = userAgent(options.userAgentComments);
    const mockable = () => deps.clock.seconds();
    this.totals = new NetTotals(options.maxUploadBytes, mockable);
    this.bans = new Bans(options.banTimeSec, mockable);
    this.#time = new TimeOffset(options.maxTimeAdjustmentSec, () => {
      this.#log.warn(
        "Please check that your computer's date and time are correct! If your clock is wrong, the node will not work properly.",
      );
    });
    this.#files = options.directory === undefined ? undefined : new StateFiles(options.directory);
    this.book = this.#openBook();
    this.#files?.readBans(this.bans);
    this.added = new AddedNodes(options.addNodes, deps.params.p2pPort, () => this.#table.all());
    this.#handshake = this.#makeHandshake();
    this.#exchange = this.#makeExchange();
    this.#outbound = this.#makeOutbound();
    this.#listener = new Listener(options, (socket, grant) => this.#accept(socket, grant));
    this.#linkContext = this.#makeLinkContext();
  }

  /** @returns a function that ends the subscription */
  on<Name extends keyof PeersEvents>(name: Name, listener: (event: PeersEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Listens and begins to connect.
   * @returns the ports listened on
   * @throws {Error} of node:net if a port is taken
   */
  async start(): Promise<readonly number[]> {
    const ports = this.options.listen ? await this.#listener.start() : [];
    const [port = this.options.port] = ports;
    for (const text of this.options.externalIps) {
      const endpoint = parseEndpoint(text, port);
      if (!endpoint) throw new Error(`Cannot resolve -externalip address: '${text}'`);
      this.local.add(endpoint, LOCAL_SCORE.manual);
    }
    if (this.options.listen && this.options.discover) this.local.discover(port);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#outbound.start();
    if (this.options.connect === undefined) void this.#findFirstAddresses();
    return ports;
  }

  /** Ends all connections and keeps what was learnt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    for (const peer of this.#table.all()) peer.disconnect('stopping');
    await Promise.all([this.#outbound.stop(), this.#listener.stop()]);
    this.#turns.stop();
    this.#save();
  }

  /** All connections, also those whose handshake is not over; by id. */
  all(): readonly Peer[] {
    return this.#table.all();
  }

  /** Those that `ready` told of. */
  ready(): readonly Peer[] {
    return [...this.#announced];
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

  /** Seconds that the network's clock is ahead of ours. */
  timeOffset(): number {
    return this.#time.seconds;
  }

  /** Seconds since 1970, as the network has it. */
  adjustedTime(): number {
    return this.#deps.clock.seconds() + this.#time.seconds;
  }

  /** Milliseconds that only grow: what the times of peers are counted in. */
  monotonic(): number {
    return this.#monotonic();
  }

  /** Seconds since 1970 of a moment in the times of peers; 0 for never. Mock time does not move it. */
  secondsOf(ms: number): number {
    return ms === 0 ? 0 : Math.floor((this.#deps.clock.now() - (this.#monotonic() - ms)) / 1000);
  }

  get active(): boolean {
    return this.#active;
  }

  /** Without activity there are no connections, neither ours nor others'. */
  setActive(active: boolean): void {
    this.#active = active;
    if (active) return;
    for (const peer of this.#table.all()) peer.disconnect('network switched off');
  }

  /** Allows one own connection more than usual, for when the tip is stale. */
  tryExtraOutbound(on: boolean): void {
    this.#outbound.extra = on;
  }

  /** Connects to a node. @returns its peer, which is not ready yet; undefined if that failed or there is a connection already */
  async connect(node: string, kind: PeerKind = 'manual'): Promise<Peer | undefined> {
    if (!this.#active || this.#table.byName(node)) return undefined;
    const endpoints = await resolveNode(node, this.#deps.params.p2pPort, this.#resolve);
    const endpoint = endpoints[Math.floor(this.#random() * endpoints.length)];
    if (!endpoint || this.#table.byEndpoint(endpoint)) return undefined;
    return this.#open(endpoint, kind, node);
  }

  /** Sends every peer a ping at once. */
  pingAll(): void {
    for (const peer of this.#announced) sendPing(peer, this.#monotonic());
  }

  /** Named as answers name it, or by id. @returns false if there is no such peer */
  disconnect(which: string | number): boolean {
    const peer = typeof which === 'string' ? this.#table.byName(which) : this.#table.get(which);
    peer?.disconnect('the operator wants it');
    return peer !== undefined;
  }

  /** Ends the connections with a range, as after a ban. */
  disconnectSubnet(subnet: Subnet): void {
    for (const peer of this.#table.inSubnet(subnet)) peer.disconnect('banned');
  }

  #openBook(): AddressBook {
    const { key, addresses } = this.#files?.readAddresses() ?? { key: randomBytes(32), addresses: [] };
    const book = new AddressBook({ key, now: () => this.adjustedTime(), random: this.#random });
    restoreAddresses(book, addresses);
    return book;
  }

  #makeHandshake(): Handshake {
    const { chain, clock } = this.#deps;
    return new Handshake(
      {
        userAgent: this.userAgent,
        services: this.options.services,
        relay: !this.options.blocksOnly,
        height: () => chain.tip.height,
        syncing: () => chain.isInitialDownload(),
        now: () => clock.seconds(),
        isOwnNonce: (nonce) => this.#table.all().some((peer) => !peer.inbound && !peer.ready && peer.nonce === nonce),
        introduced: (peer, version) => this.#introduced(peer, version),
        ready: (peer) => this.#becameReady(peer),
      },
      this.#log,
    );
  }

  #makeExchange(): AddressExchange {
    const { listen, services, onlyNets, addressRate, addressBurst, port } = this.options;
    const { params, chain } = this.#deps;
    const rate = addressRate ?? (params.isRegtest ? UNLIMITED : 0.1);
    const burst = addressBurst ?? (params.isRegtest ? UNLIMITED : 1000);
    return new AddressExchange(
      { listening: listen, port, services, onlyNets, rate, burst },
      {
        book: this.book,
        local: this.local,
        peers: () => this.#announced,
        now: () => this.adjustedTime(),
        monotonic: this.#monotonic,
        random: this.#random,
        syncing: () => chain.isInitialDownload(),
      },
    );
  }

  #makeOutbound(): Outbound {
    const { connect, seedNodes, onlyNets } = this.options;
    return new Outbound(
      { connect, seedNodes, onlyNets, maxOutbound: this.#maxOutbound, usualPort: this.#deps.params.p2pPort },
      {
        book: this.book,
        log: this.#log,
        active: () => this.#active,
        syncing: () => this.#deps.chain.isInitialDownload(),
        peers: () => this.#table.all(),
        missingAdded: () => this.added.missing(),
        isOurs: (endpoint) => this.local.isOurs(endpoint),
        connectNode: async (node, kind) => void (await this.connect(node, kind)),
        connectAddress: (endpoint, kind) => this.#connectAddress(endpoint, kind),
        now: () => this.adjustedTime(),
        monotonic: this.#monotonic,
        random: this.#random,
      },
    );
  }

  #makeLinkContext(): LinkContext {
    const { params } = this.#deps;
    return {
      magic: params.p2pMagic,
      codecs: wireCodecs(params.txFormat),
      maxReceiveBytes: this.options.maxReceiveBytes,
      maxSendBytes: this.options.maxSendBytes,
      turns: this.#turns,
      totals: this.totals,
      log: this.#log,
      monotonic: this.#monotonic,
      handle: (peer, message) => this.#handle(peer, message),
      handleUnknown: (peer) => {
        if (!peer.ready) this.#handshake.takeUnknown(peer);
      },
      misbehaved: (peer, score, reason) => this.#misbehaved(peer, score, reason),
      closed: (peer) => this.#closed(peer),
    };
  }

  #findFirstAddresses(): Promise<void> {
    const { dnsSeeds, fixedSeeds, p2pPort } = this.#deps.params;
    return findFirstAddresses(
      { dnsSeeds, fixedSeeds, port: p2pPort, useDns: this.options.dnsSeed, force: this.options.forceDnsSeed },
      {
        book: this.book,
        resolve: this.#resolve,
        log: this.#log,
        connected: () => [...this.#announced].filter(({ inbound }) => !inbound).length,
        now: () => this.adjustedTime(),
        random: this.#random,
        signal: this.#stopping.signal,
      },
    );
  }

  #accept(socket: Socket, grant: Grant | undefined): void {
    const endpoint = remoteOf(socket);
    socket.on('error', () => {});
    if (!endpoint) {
      socket.destroy();
      return;
    }
    const defaults = { relay: this.options.whitelistRelay, forceRelay: this.options.whitelistForceRelay };
    const permissions = grantsFor(endpoint.ip, this.#whitelist, grant, defaults);
    const refusal = this.#refusalOf(endpoint.ip, permissions);
    if (refusal === undefined) this.#adopt(socket, 'inbound', endpoint, formatEndpoint(endpoint), permissions);
    else {
      this.#log.debug(`connection from ${formatEndpoint(endpoint)} dropped (${refusal})`);
      socket.destroy();
    }
  }

  #refusalOf(ip: Ip, permissions: Permissions): string | undefined {
    if (!this.#active || this.#stopping.signal.aborted) return 'not accepting new connections';
    if (this.bans.isBanned(ip) && !permissions.has('noban')) return 'banned';
    const most = Math.max(0, this.options.maxConnections - this.#maxOutbound - MAX_FEELERS);
    return this.countInbound() >= most && !this.#evict() ? 'full' : undefined;
  }

  /** @returns true if a peer made room */
  #evict(): boolean {
    const key = Buffer.from(this.book.key).readUInt32LE();
    const order = (group: string) => [...group].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), key) >>> 0;
    const evicted = chooseEvicted(this.#table.all(), order);
    evicted?.disconnect('makes room for another');
    return evicted !== undefined;
  }

  async #connectAddress(endpoint: Endpoint, kind: PeerKind): Promise<void> {
    if (!this.#active || this.bans.isBanned(endpoint.ip) || this.#table.byIp(endpoint.ip)) return;
    await this.#open(endpoint, kind, formatEndpoint(endpoint));
  }

  async #open(endpoint: Endpoint, kind: PeerKind, name: string): Promise<Peer | undefined> {
    const key = formatEndpoint(endpoint);
    if (this.#opening.has(key)) return undefined;
    this.#opening.add(key);
    this.book.markAttempt(endpoint, kind === 'outbound' && this.#table.count((each) => each !== 'inbound') >= COUNT_FAILURES_FROM);
    try {
      const socket = await dial(endpoint, this.options.connectTimeoutMs, this.#stopping.signal);
      if (this.#active && !this.#stopping.signal.aborted) return this.#adopt(socket, kind, endpoint, name, NO_PERMISSIONS);
      socket.destroy();
    } catch (error) {
      this.#log.debug('connection failed', { name, error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#opening.delete(key);
    }
    return undefined;
  }

  #adopt(socket: Socket, kind: PeerKind, endpoint: Endpoint, name: string, permissions: Permissions): Peer {
    const local = parseIp(socket.localAddress ?? '');
    const link = new Link(
      {
        id: this.#table.nextId(),
        kind,
        endpoint,
        name,
        boundTo: local && formatEndpoint({ ip: local, port: socket.localPort ?? 0 }),
        permissions,
        nonce: randomBytes(8).readBigUInt64LE(),
        connectedMs: this.#monotonic(),
      },
      socket,
      this.#linkContext,
    );
    this.#table.add(link);
    this.#log.debug('connected', { peer: link.peer.id, name, kind });
    if (kind !== 'inbound') this.#handshake.greet(link.peer);
    return link.peer;
  }

  #handle(peer: Peer, message: WireMessage): void {
    if (message.command === 'reject') this.#log.debug('peer rejected', { peer: peer.id, ...message.payload });
    else if (!peer.ready || message.command === 'version') this.#handshake.take(peer, message);
    else if (message.command === 'ping') peer.send({ command: 'pong', payload: message.payload });
    else if (message.command === 'pong') peer.latency.answered(message.payload.nonce, this.#monotonic());
    else if (message.command === 'getaddr') this.#exchange.answer(peer);
    else if (message.command === 'addr') {
      if (this.#exchange.take(peer, message.payload)) peer.disconnect('told its addresses');
    } else if (message.command !== 'verack' && this.#announced.has(peer)) this.#pass(peer, message);
  }

  #pass(peer: Peer, message: PeerMessage): void {
    this.#events.emit('message', { peer, message });
  }

  #introduced(peer: Peer, { services, receiver }: Version): void {
    this.#time.add(formatEndpoint({ ip: peer.endpoint.ip, port: 0 }), peer.timeOffset);
    if (peer.inbound) {
      this.local.seen(receiver.ip);
      return;
    }
    this.#exchange.introduce(peer);
    this.book.markGood(peer.endpoint, services);
    if (peer.kind === 'feeler') peer.disconnect('feeler has felt');
  }

  #becameReady(peer: Peer): void {
    this.#log.info('peer ready', { peer: peer.id, kind: peer.kind, version: peer.protocolVersion, agent: peer.version?.userAgent });
    sendPing(peer, this.#monotonic());
    if (peer.kind === 'seed') return;
    this.#announced.add(peer);
    this.#events.emit('ready', peer);
  }

  #closed(peer: Peer): void {
    this.#table.remove(peer);
    if (!peer.inbound && peer.ready && peer.misbehaviour === 0) this.book.markConnected(peer.endpoint);
    if (!this.#announced.delete(peer)) return;
    // After the work at hand, which may be just about this peer.
    queueMicrotask(() => {
      try {
        this.#events.emit('gone', peer);
      } catch (error) {
        this.#log.error('the end of a connection could not be handled', { peer: peer.id, error: String(error) });
      }
    });
  }

  #misbehaved(peer: Peer, score: number, reason: string): void {
    if (score <= 0) return;
    const before = peer.misbehaviour;
    peer.misbehaviour += score;
    this.#log.debug('Misbehaving', { peer: peer.id, name: peer.name, before, now: peer.misbehaviour, reason });
    const limit = this.options.banScore;
    if (before < limit && peer.misbehaviour >= limit) this.#punish(peer, reason);
  }

  #punish(peer: Peer, reason: string): void {
    if (peer.permissions.has('noban') || peer.kind === 'manual') {
      this.#log.warn('not punishing a peer that the operator wants', { peer: peer.id, name: peer.name, reason });
      return;
    }
    const { ip } = peer.endpoint;
    // Everything behind a local proxy has its address.
    if (isLocal(ip)) peer.disconnect(`misbehaved: ${reason}`);
    else {
      this.bans.ban(hostSubnet(ip), 'node misbehaving');
      this.disconnectSubnet(hostSubnet(ip));
    }
  }

  #tick(): void {
    const nowMs = this.#monotonic();
    for (const peer of this.#table.all()) {
      const silence = silenceOf(peer, this.options.peerTimeoutSec, nowMs);
      if (silence !== undefined) peer.disconnect(silence);
      else if (peer.kind === 'seed' && nowMs - peer.connectedMs > SEED_PATIENCE_MS) peer.disconnect('told no addresses');
      else if (peer.ready) {
        pingIfDue(peer, nowMs);
        this.#exchange.tick(peer);
      }
    }
    this.#ticks += 1;
    if (this.#ticks % SAVE_TICKS === 0) this.#save();
    else if (this.bans.changed) this.#saving(() => this.#files?.writeBans(this.bans));
  }

  #save(): void {
    this.#saving(() => this.#files?.writeAddresses(this.book));
    this.#saving(() => this.#files?.writeBans(this.bans));
  }

  /** A full disk takes what was learnt of peers, not the node. */
  #saving(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#log.warn('addresses and bans could not be kept', { error: error instanceof Error ? error.message : String(error) });
    }
  }
}

function remoteOf(socket: Socket): Endpoint | undefined {
  const ip = parseIp(socket.remoteAddress ?? '');
  return ip && { ip, port: socket.remotePort ?? 0 };
}
