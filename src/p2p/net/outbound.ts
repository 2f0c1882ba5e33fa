import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../util/logger.js';
import { randomDelay } from '../../util/random.js';
import type { AddressBook } from '../addresses/address-book.js';
import type { AddressEntry } from '../addresses/address-entry.js';
import type { Ip } from '../addresses/ip.js';
import { groupOf } from '../addresses/reachability.js';
import { hasDesiredServices, servesBlocks } from '../addresses/services.js';
import type { Endpoint } from '../wire/net-address.js';
import { MAX_ADDED } from './options.js';
import type { PeerKind } from './peer.js';

const STEP_MS = 500;
const FEELER_MS = 120_000;
const ADDED_RETRY_MS = 60_000;
const ADDED_PAUSE_MS = 2000;
const MAX_TRIES = 100;
/** An address is not retried for ten minutes, unless no other is found in this many tries. */
const RETRY_AFTER_TRIES = 30;
const RETRY_SEC = 600;
/** Nodes rarely use other ports than the default one, so such addresses are tried last. */
const UNUSUAL_PORT_TRIES = 50;

/** Targets and limits of outbound connections. */
export interface OutboundOptions {
  /** -connect; undefined if the node chooses its peers. */
  readonly connect: readonly string[] | undefined;
  readonly seedNodes: readonly string[];
  readonly maxOutbound: number;
  /** Slots of automatic connections: those of `maxOutbound`, and one for a feeler or an extra one, as far as -maxconnections permits. */
  readonly slots: number;
  readonly usualPort: number;
}

/** A connection that was opened here. */
export interface OpenedPeer {
  readonly disconnected: boolean;
}

/** An existing connection. */
export interface OutboundPeer {
  readonly kind: PeerKind;
  readonly endpoint: Endpoint;
}

/** Parts of the node that `Outbound` uses. */
export interface OutboundDeps {
  readonly book: AddressBook;
  readonly log: Logger;
  readonly active: () => boolean;
  readonly syncing: () => boolean;
  /** All peers, inbound ones too. */
  readonly peers: () => Iterable<OutboundPeer>;
  /** Added nodes that are not connected. */
  readonly missingAdded: () => readonly string[];
  readonly isOurs: (endpoint: Endpoint) => boolean;
  /** Returns false if -onlynet or a missing proxy forbids automatic connections to the address. */
  readonly isReachable: (ip: Ip) => boolean;
  connectNode(node: string, kind: PeerKind): Promise<OpenedPeer | undefined>;
  connectAddress(endpoint: Endpoint, kind: PeerKind): Promise<void>;
  /** Network time, seconds since 1970. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** Keeps the number of outbound connections at its target, until it is stopped. */
export class Outbound {
  readonly #options: OutboundOptions;
  readonly #deps: OutboundDeps;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #nextFeelerMs = 0;
  #extra = false;
  /** Connections to added nodes. Others that the operator asked for are not limited. */
  #added: OpenedPeer[] = [];

  constructor(options: OutboundOptions, deps: OutboundDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  start(): void {
    const { connect } = this.#options;
    this.#nextFeelerMs = this.#deps.monotonic() + randomDelay(FEELER_MS, this.#deps.random);
    const chosen = connect === undefined ? this.#fillSlots() : this.#connectOnly(connect);
    this.#running = Promise.all([this.#run('outbound', chosen), this.#run('added nodes', this.#keepAdded())]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Permits one connection above the limit, while the tip is stale and the present peers may be the reason. */
  set extra(on: boolean) {
    this.#extra = on;
  }

  /** Runs a loop until the stop; an error is logged and does not reach the caller. */
  async #run(loop: string, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#deps.log.error('connection loop failed', { loop, error: String(error) });
    }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopping.signal });
  }

  /** -connect: connects to these nodes only, with pauses that grow to five seconds. Without nodes (-connect=0) no seed is connected either. */
  async #connectOnly(nodes: readonly string[]): Promise<void> {
    if (nodes.length > 0) await this.#connectSeeds();
    for (let round = 0; nodes.length > 0; round++) {
      for (const node of nodes) {
        if (this.#deps.active()) await this.#deps.connectNode(node, 'manual');
        await this.#pause(STEP_MS * Math.min(10, round));
      }
      await this.#pause(STEP_MS);
    }
  }

  async #keepAdded(): Promise<void> {
    for (;;) {
      const missing = this.#deps.active() ? this.#deps.missingAdded() : [];
      const tried = await this.#connectAdded(missing);
      await this.#pause(tried ? ADDED_RETRY_MS : ADDED_PAUSE_MS);
    }
  }

  /** @returns false if there was nothing to connect to, or no slot */
  async #connectAdded(missing: readonly string[]): Promise<boolean> {
    let tried = false;
    for (const node of missing) {
      this.#added = this.#added.filter(({ disconnected }) => !disconnected);
      if (this.#added.length >= MAX_ADDED) break;
      tried = true;
      const peer = await this.#deps.connectNode(node, 'manual');
      if (peer) this.#added.push(peer);
      await this.#pause(STEP_MS);
    }
    return tried;
  }

  async #connectSeeds(): Promise<void> {
    for (const node of this.#options.seedNodes) {
      if (this.#deps.active() && this.#automatic().length < this.#options.slots) await this.#deps.connectNode(node, 'seed');
    }
  }

  async #fillSlots(): Promise<void> {
    await this.#connectSeeds();
    for (;;) {
      await this.#pause(STEP_MS);
      if (this.#deps.active()) await this.#fillSlot();
    }
  }

  async #fillSlot(): Promise<void> {
    const { maxOutbound, slots } = this.#options;
    const used = this.#automatic().length;
    if (used >= slots) return;
    this.#deps.book.resolveCollisions();
    const full = used >= maxOutbound + Number(this.#extra);
    const feeler = full && this.#deps.monotonic() >= this.#nextFeelerMs;
    if (full && !feeler) return;
    if (feeler) {
      this.#nextFeelerMs = this.#deps.monotonic() + randomDelay(FEELER_MS, this.#deps.random);
      // Randomised, so that nodes with the same cause for a feeler do not connect at the same moment.
      await this.#pause(this.#deps.random() * 1000);
    }
    const entry = this.#choose(feeler);
    if (entry) await this.#deps.connectAddress(entry, feeler ? 'feeler' : 'outbound');
  }

  #automatic(): readonly OutboundPeer[] {
    return [...this.#deps.peers()].filter(isAutomatic);
  }

  /** Chooses an address, one per network group, so that an attacker with one network gets one connection. */
  #choose(feeler: boolean): Endpoint | undefined {
    const { book, now, isOurs } = this.#deps;
    const groups = automaticGroups(this.#deps.peers());
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const collision = feeler ? book.triedCollision() : undefined;
      const entry = collision ?? book.select(feeler);
      if (!entry || isOurs(entry)) return undefined;
      // The choice begins again later, as with defid, so that unusual ports remain a last resort.
      if (!feeler && groups.has(groupOf(entry.ip))) return undefined;
      if (this.#isWorthATry(entry, tries, feeler, now())) return entry;
    }
    return undefined;
  }

  #isWorthATry(entry: Readonly<AddressEntry>, tries: number, feeler: boolean, now: number): boolean {
    const { usualPort } = this.#options;
    if (!this.#deps.isReachable(entry.ip)) return false;
    if (now - entry.lastTry < RETRY_SEC && tries < RETRY_AFTER_TRIES) return false;
    const useful = feeler ? servesBlocks(entry.services) : hasDesiredServices(entry.services, this.#deps.syncing());
    return useful && (entry.port === usualPort || tries >= UNUSUAL_PORT_TRIES);
  }
}

/** Returns true for connections that use an outbound slot. */
function isAutomatic({ kind }: OutboundPeer): boolean {
  return kind !== 'inbound' && kind !== 'manual';
}

/** Network groups of the connections that use outbound slots. */
export function automaticGroups(peers: Iterable<OutboundPeer>): ReadonlySet<string> {
  return new Set([...peers].filter(isAutomatic).map(({ endpoint }) => groupOf(endpoint.ip)));
}
