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
/** A failed address is left alone for ten minutes, unless nothing else is found in so many tries. */
const PATIENT_TRIES = 30;
const RETRY_SEC = 600;
/** Nodes seldom run on other ports than the usual one, so others are tried late. */
const UNUSUAL_PORT_TRIES = 50;

export interface OutboundOptions {
  /** Undefined: peers are chosen by the node. */
  readonly connect: readonly string[] | undefined;
  readonly seedNodes: readonly string[];
  readonly maxOutbound: number;
  readonly usualPort: number;
}

/** A connection of ours, made or being made. */
export interface OutboundPeer {
  readonly kind: PeerKind;
  readonly endpoint: Endpoint;
}

export interface OutboundDeps {
  readonly book: AddressBook;
  readonly log: Logger;
  readonly active: () => boolean;
  readonly syncing: () => boolean;
  /** All peers, inbound ones too. */
  readonly peers: () => Iterable<OutboundPeer>;
  /** Names of nodes that addnode added and that are not connected. */
  readonly missingAdded: () => readonly string[];
  readonly isOurs: (endpoint: Endpoint) => boolean;
  /** False where -onlynet or a missing proxy forbids a connection of the node's own choice. */
  readonly isReachable: (ip: Ip) => boolean;
  connectNode(node: string, kind: PeerKind): Promise<void>;
  connectAddress(endpoint: Endpoint, kind: PeerKind): Promise<void>;
  /** Seconds since 1970, as the network has it. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** Keeps as many connections of our own as there should be, until it is stopped. */
export class Outbound {
  readonly #options: OutboundOptions;
  readonly #deps: OutboundDeps;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #nextFeelerMs = 0;
  #extra = false;

  constructor(options: OutboundOptions, deps: OutboundDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  start(): void {
    const { connect } = this.#options;
    this.#nextFeelerMs = this.#deps.monotonic() + randomDelay(FEELER_MS, this.#deps.random);
    const chosen = connect === undefined ? this.#chooseForEver() : this.#connectOnly(connect);
    this.#running = Promise.all([this.#run('outbound', chosen), this.#run('added nodes', this.#keepAdded())]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Allows one connection more than usual: the tip is stale, and our peers may be the reason. */
  set extra(on: boolean) {
    this.#extra = on;
  }

  /** Our own trouble ends neither the node nor the search. */
  async #run(what: string, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#deps.log.error('connecting stopped', { what, error: String(error) });
    }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopping.signal });
  }

  /** -connect: these and no others; the longer they fail, the longer the pause. */
  async #connectOnly(nodes: readonly string[]): Promise<void> {
    await this.#connectSeeds();
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
      for (const node of missing) {
        if (this.#count('manual') >= MAX_ADDED) break;
        await this.#deps.connectNode(node, 'manual');
        await this.#pause(STEP_MS);
      }
      await this.#pause(missing.length > 0 ? ADDED_RETRY_MS : ADDED_PAUSE_MS);
    }
  }

  async #connectSeeds(): Promise<void> {
    for (const node of this.#options.seedNodes) if (this.#deps.active()) await this.#deps.connectNode(node, 'seed');
  }

  async #chooseForEver(): Promise<void> {
    await this.#connectSeeds();
    for (;;) {
      await this.#pause(STEP_MS);
      if (this.#deps.active()) await this.#fillOne();
    }
  }

  async #fillOne(): Promise<void> {
    this.#deps.book.settleDisputes();
    const { maxOutbound } = this.#options;
    const full = this.#count('outbound') >= maxOutbound + Number(this.#extra);
    const feeler = full && this.#deps.monotonic() >= this.#nextFeelerMs;
    if (full && !feeler) return;
    if (feeler) {
      this.#nextFeelerMs = this.#deps.monotonic() + randomDelay(FEELER_MS, this.#deps.random);
      // Not all nodes at the same moment after something made them look.
      await this.#pause(this.#deps.random() * 1000);
    }
    const entry = this.#choose(feeler);
    if (entry) await this.#deps.connectAddress(entry, feeler ? 'feeler' : 'outbound');
  }

  #count(kind: PeerKind): number {
    let count = 0;
    for (const peer of this.#deps.peers()) if (peer.kind === kind) count += 1;
    return count;
  }

  /** One address per network group: an attacker who has one network gets one connection. */
  #choose(feeler: boolean): Endpoint | undefined {
    const { book, now, isOurs } = this.#deps;
    const groups = new Set([...this.#deps.peers()].filter(({ kind }) => kind === 'outbound').map(({ endpoint }) => groupOf(endpoint.ip)));
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const disputed = feeler ? book.disputed() : undefined;
      const entry = disputed ?? book.select(feeler);
      if (!entry || isOurs(entry)) return undefined;
      if (!feeler && groups.has(groupOf(entry.ip))) continue;
      if (this.#isWorthATry(entry, tries, feeler, now())) return entry;
    }
    return undefined;
  }

  #isWorthATry(entry: Readonly<AddressEntry>, tries: number, feeler: boolean, now: number): boolean {
    const { usualPort } = this.#options;
    if (!this.#deps.isReachable(entry.ip)) return false;
    if (now - entry.lastTry < RETRY_SEC && tries < PATIENT_TRIES) return false;
    const useful = feeler ? servesBlocks(entry.services) : hasDesiredServices(entry.services, this.#deps.syncing());
    return useful && (entry.port === usualPort || tries >= UNUSUAL_PORT_TRIES);
  }
}
