import { sha256d } from '../../crypto/hash.js';
import { randomDelay, shuffled } from '../../util/random.js';
import { RecentSet } from '../../util/recent-set.js';
import type { AddressBook } from '../addresses/address-book.js';
import { formatEndpoint, type Ip } from '../addresses/ip.js';
import type { LocalAddresses } from '../addresses/local-addresses.js';
import { LOCAL_SCORE } from '../addresses/local-addresses.js';
import { isRoutable, networkOf } from '../addresses/reachability.js';
import { servesBlocks } from '../addresses/services.js';
import { EMPTY } from '../wire/empty.js';
import { LIMITS } from '../wire/limits.js';
import type { Endpoint, TimedAddress } from '../wire/net-address.js';
import type { Peer } from './peer.js';

const MINUTE_MS = 60_000;
const TRICKLE_MS = MINUTE_MS / 2;
const ADVERTISE_MS = 24 * 60 * MINUTE_MS;
const DAY_SEC = 86_400;
/** Addresses that a node announces for others are stored as two hours older, so that announcements fade out. */
const RELAY_PENALTY_SEC = 7200;
/** Age given to an address with an implausible time. */
const IMPLAUSIBLE_AGE_SEC = 5 * DAY_SEC;
const FRESH_SEC = 600;
const FIRST_PLAUSIBLE_TIME_SEC = 100_000_000;
/** Remembered addresses that a peer knows. */
const KNOWN_PER_PEER = 5000;
/** Addresses that a peer may send as answer to our `getaddr`, beyond the rate limit. */
const ANSWER_TOKENS = 1000;
/** Only `addr` messages with at most this many addresses are relayed. */
const MAX_RELAYED = 10;
const LOOPBACK: Ip = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1);

/** Settings of the address exchange. */
export interface AddressExchangeOptions {
  readonly listening: boolean;
  readonly port: number;
  readonly services: bigint;
  /** -discover: accept the address of this node that peers report. */
  readonly discover: boolean;
  readonly advertiseLoopback: boolean;
  /** Most addresses processed from a peer per second, and in a burst. */
  readonly rate: number;
  readonly burst: number;
}

/** Parts of the node that `AddressExchange` uses. */
export interface AddressExchangeDeps {
  readonly book: AddressBook;
  readonly local: LocalAddresses;
  /** Returns false for networks that this node does not connect to. */
  readonly isReachable: (ip: Ip) => boolean;
  readonly isBanned: (ip: Ip) => boolean;
  /** Returns true if connections to the address use a proxy. */
  readonly hasProxy: (ip: Ip) => boolean;
  /** Peers whose handshake is complete. */
  readonly peers: () => Iterable<Peer>;
  /** Network time, seconds since 1970. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly syncing: () => boolean;
}

/** State of the exchange with one peer. */
interface Exchange {
  readonly known: RecentSet;
  readonly outgoing: Map<string, TimedAddress>;
  /** `getaddr` was sent to the peer, and its answer is incomplete. */
  requested: boolean;
  /** The peer's `getaddr` was answered. */
  answered: boolean;
  /** Addresses that the peer may send now: a token bucket. */
  tokens: number;
  tokensAtMs: number;
  nextTrickleMs: number;
  nextAdvertiseMs: number;
}

/** Exchanges addresses with peers, in both directions with limits. */
export class AddressExchange {
  readonly #options: AddressExchangeOptions;
  readonly #deps: AddressExchangeDeps;
  readonly #exchanges = new WeakMap<Peer, Exchange>();

  constructor(options: AddressExchangeOptions, deps: AddressExchangeDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Advertises our address to a new outbound peer and requests addresses from it. */
  introduce(peer: Peer): void {
    // Not left to chance, so that the peer receives the best of our addresses immediately. `tick` also advertises the address that the peer
    // sees.
    if (this.#options.listening && !this.#deps.syncing()) {
      this.#queueOwn(peer, this.#deps.local.bestFor(peer.endpoint.ip) ?? this.#asSeenBy(peer));
    }
    const exchange = this.#of(peer);
    exchange.requested = true;
    exchange.tokens += ANSWER_TOKENS;
    peer.send({ command: 'getaddr', payload: EMPTY });
  }

  /** Answers `getaddr`: once, and only to inbound peers, so that an attacker cannot recognise the node by addresses planted before. */
  answer(peer: Peer): void {
    const exchange = this.#of(peer);
    if (!peer.inbound || exchange.answered) return;
    exchange.answered = true;
    exchange.outgoing.clear();
    const { book, isBanned } = this.#deps;
    const shown: TimedAddress[] = [];
    for (const address of book.sample()) {
      if (!isBanned(address.ip) && !exchange.known.has(formatEndpoint(address))) shown.push(address);
      // One message: more would exceed the rate limit of the peer.
      if (shown.length === LIMITS.addr) break;
    }
    this.#send(peer, shown);
  }

  /** Processes `addr`. @returns true if it completes an addr-fetch connection (`seed`) */
  process(peer: Peer, addresses: readonly TimedAddress[]): boolean {
    const exchange = this.#of(peer);
    const { now, book } = this.#deps;
    const accepted: TimedAddress[] = [];
    for (const address of this.#withinRate(peer, exchange, addresses)) {
      if (!servesBlocks(address.services)) continue;
      const plausible = address.time > FIRST_PLAUSIBLE_TIME_SEC && address.time <= now() + FRESH_SEC;
      const dated = { ...address, time: plausible ? address.time : now() - IMPLAUSIBLE_AGE_SEC };
      exchange.known.add(formatEndpoint(address));
      if (this.#deps.isBanned(address.ip)) continue;
      const reachable = this.#deps.isReachable(address.ip);
      const fresh = dated.time > now() - FRESH_SEC;
      if (fresh && !exchange.requested && addresses.length <= MAX_RELAYED && isRoutable(address.ip)) this.#relay(dated, reachable);
      if (reachable) accepted.push(dated);
    }
    book.add(accepted, peer.endpoint.ip, RELAY_PENALTY_SEC);
    if (addresses.length < LIMITS.addr) exchange.requested = false;
    return peer.kind === 'seed' && addresses.length > 1;
  }

  /** Sends the addresses that are due. Must be called about every second. */
  tick(peer: Peer): void {
    const exchange = this.#of(peer);
    const { monotonic, random, syncing } = this.#deps;
    const nowMs = monotonic();
    if (this.#options.listening && !syncing() && exchange.nextAdvertiseMs < nowMs) {
      this.#advertise(peer);
      exchange.nextAdvertiseMs = nowMs + randomDelay(ADVERTISE_MS, random);
    }
    if (exchange.nextTrickleMs >= nowMs) return;
    exchange.nextTrickleMs = nowMs + randomDelay(TRICKLE_MS, random);
    const outgoing = [...exchange.outgoing].filter(([key]) => !exchange.known.has(key)).map(([, address]) => address);
    exchange.outgoing.clear();
    this.#send(peer, outgoing);
  }

  /** Yields the addresses within the rate limit, in random order, so that the sender does not choose those that are ignored. */
  *#withinRate(peer: Peer, exchange: Exchange, addresses: readonly TimedAddress[]): Iterable<TimedAddress> {
    const { rate, burst } = this.#options;
    const { monotonic, random } = this.#deps;
    const nowMs = monotonic();
    if (exchange.tokens < burst) exchange.tokens = Math.min(burst, exchange.tokens + (rate * (nowMs - exchange.tokensAtMs)) / 1000);
    exchange.tokensAtMs = nowMs;
    for (const address of shuffled(addresses, (below) => Math.floor(random() * below))) {
      if (exchange.tokens < 1 && !peer.permissions.has('noban')) {
        peer.addressesRateLimited += 1;
        continue;
      }
      exchange.tokens = Math.max(0, exchange.tokens - 1);
      peer.addressesProcessed += 1;
      yield address;
    }
  }

  /** Relays an address to one or two peers, the same ones for a day, so that repeating an announcement does not spread it further. */
  #relay(address: TimedAddress, reachable: boolean): void {
    const key = formatEndpoint(address);
    const day = Math.floor(this.#deps.now() / DAY_SEC);
    const rank = (peer: Peer) => {
      const text = `${Buffer.from(this.#deps.book.key).toString('hex')} ${key} ${day} ${peer.id}`;
      return Buffer.from(sha256d(Buffer.from(text))).readUInt32LE();
    };
    const ranked = [...this.#deps.peers()].map((peer) => ({ peer, rank: rank(peer) })).sort((a, b) => b.rank - a.rank);
    for (const { peer } of ranked.slice(0, reachable ? 2 : 1)) this.#queue(peer, address);
  }

  #queue(peer: Peer, address: TimedAddress): void {
    const { known, outgoing } = this.#of(peer);
    const key = formatEndpoint(address);
    if (known.has(key)) return;
    if (outgoing.size >= LIMITS.addr && !outgoing.has(key)) {
      const [first] = outgoing.keys();
      if (first !== undefined) outgoing.delete(first);
    }
    outgoing.set(key, address);
  }

  /** Queues our own address for a peer: the best one known, or the one that the peer sees. */
  #advertise(peer: Peer): void {
    const { local, random } = this.#deps;
    const { port, advertiseLoopback } = this.#options;
    const best = local.bestFor(peer.endpoint.ip);
    const seen = this.#asSeenBy(peer, best?.port);
    // The address that the peer sees is preferred less often if the operator configured one.
    const prefersSeen = !best || random() * (best.score > LOCAL_SCORE.manual ? 8 : 2) < 1;
    const known = prefersSeen && seen ? seen : best;
    this.#queueOwn(peer, advertiseLoopback ? { ip: LOOPBACK, port } : known);
  }

  #queueOwn(peer: Peer, own: Endpoint | undefined): void {
    const { services } = this.#options;
    if (own) this.#queue(peer, { ip: own.ip, port: own.port, services, time: this.#deps.now() });
  }

  #asSeenBy(peer: Peer, port = this.#options.port): Endpoint | undefined {
    const ip = this.#ipSeenBy(peer);
    return ip && { ip, port };
  }

  /** Our address as the peer sees it (-discover); undefined if it cannot be ours, as behind a proxy, where the peer sees its exit. */
  #ipSeenBy(peer: Peer): Ip | undefined {
    const { isReachable, hasProxy } = this.#deps;
    const seen = peer.localEndpoint?.ip;
    const network = networkOf(peer.endpoint.ip);
    if (!this.#options.discover || !seen || network === undefined || network === 'onion') return undefined;
    if (!peer.inbound && hasProxy(peer.endpoint.ip)) return undefined;
    return isRoutable(seen) && networkOf(seen) !== 'onion' && isReachable(seen) ? seen : undefined;
  }

  #send(peer: Peer, addresses: readonly TimedAddress[]): void {
    const { known } = this.#of(peer);
    for (let i = 0; i < addresses.length; i += LIMITS.addr) {
      const payload = addresses.slice(i, i + LIMITS.addr);
      for (const address of payload) known.add(formatEndpoint(address));
      peer.send({ command: 'addr', payload });
    }
  }

  #of(peer: Peer): Exchange {
    const existing = this.#exchanges.get(peer);
    if (existing) return existing;
    const exchange: Exchange = {
      known: new RecentSet(KNOWN_PER_PEER),
      outgoing: new Map(),
      requested: false,
      answered: false,
      tokens: 1,
      tokensAtMs: this.#deps.monotonic(),
      nextTrickleMs: 0,
      nextAdvertiseMs: 0,
    };
    this.#exchanges.set(peer, exchange);
    return exchange;
  }
}
