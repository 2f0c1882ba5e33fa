import type { Bans } from '../addresses/bans.js';
import { type Grant, grantsFor, type Permissions, parseWhitelist, type WhitelistEntry } from '../addresses/permissions.js';
import type { Endpoint } from '../wire/net-address.js';
import { chooseEvicted } from './eviction.js';
import { MAX_FEELERS, MAX_OUTBOUND, type PeersOptions } from './options.js';
import type { PeerTable } from './peer-table.js';

/** An admitted peer, or the reason of the refusal for the log. */
export type Admitted = { readonly permissions: Permissions; readonly isBanned: boolean } | { readonly refusal: string };

export interface AdmissionDeps {
  readonly table: PeerTable;
  readonly bans: Bans;
  /** Secret of this node, which makes the order of network groups unpredictable for others. */
  readonly key: Uint8Array;
  readonly active: () => boolean;
}

/** Decides on inbound connections and their permissions. */
export class Admission {
  readonly #options: PeersOptions;
  readonly #deps: AdmissionDeps;
  readonly #whitelist: readonly WhitelistEntry[];
  readonly #maxInbound: number;

  /** @throws {Error} with the text of defid if -whitelist is invalid */
  constructor(options: PeersOptions, deps: AdmissionDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#whitelist = options.whitelist.map(parseWhitelist);
    this.#maxInbound = Math.max(0, options.maxConnections - Math.min(MAX_OUTBOUND, options.maxConnections) - MAX_FEELERS);
  }

  /** @param grant permissions of the listener that accepted the connection */
  admit({ ip }: Endpoint, grant: Grant | undefined): Admitted {
    const { table, bans, active } = this.#deps;
    const { whitelistRelay: relay, whitelistForceRelay: forceRelay } = this.#options;
    const permissions = grantsFor(ip, this.#whitelist, grant, { relay, forceRelay });
    if (!active()) return { refusal: 'not accepting new connections' };
    const banned = bans.reasonFor(ip);
    const inbound = table.count((kind) => kind === 'inbound');
    // A peer that was banned for misbehaviour may use a slot that is free, as with defid: others may share its address.
    const isTolerated = banned !== 'manually added' && inbound + 1 < this.#maxInbound;
    if (banned && !isTolerated && !permissions.has('noban')) return { refusal: 'banned' };
    const full = inbound >= this.#maxInbound;
    return full && !this.#evict() ? { refusal: 'full' } : { permissions, isBanned: banned !== undefined };
  }

  /** Disconnects one inbound peer. @returns false if all are protected */
  #evict(): boolean {
    const seed = Buffer.from(this.#deps.key).readUInt32LE();
    const order = (group: string) => [...group].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), seed) >>> 0;
    const evicted = chooseEvicted(this.#deps.table.all(), order);
    evicted?.disconnect('evicted for a new inbound connection');
    return evicted !== undefined;
  }
}
