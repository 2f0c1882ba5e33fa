import { sha256d } from '../../crypto/hash.js';
import { concatBytes } from '../../util/bytes.js';
import type { Endpoint, TimedAddress } from '../wire/net-address.js';
import { type AddressEntry, chanceOf, isTerrible } from './address-entry.js';
import { BUCKET_SIZE, BucketTable } from './bucket-table.js';
import { formatEndpoint, formatIp, type Ip } from './ip.js';
import { groupOf, isUsable } from './reachability.js';

const TRIED_BUCKETS = 256;
const NEW_BUCKETS = 1024;
const TRIED_BUCKETS_PER_GROUP = 8;
const NEW_BUCKETS_PER_SOURCE = 64;
const MAX_PLACES = 8;
/** Most addresses in one answer, as a share and as a number. */
const SAMPLE_SHARE = 0.23;
const SAMPLE_MOST = 2500;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_COLLISIONS = 10;

export interface AddressBookOptions {
  /** Secret, 32 bytes, which makes the bucket of an address unpredictable for others. */
  readonly key: Uint8Array;
  /** Network time, seconds since 1970. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Address book, in the manner of Bitcoin Core's `CAddrMan`. New addresses, which were only announced, are kept apart from tried ones, to
 * which a connection succeeded. Both are hashed into buckets by network group and source, so that an attacker with few networks fills
 * few buckets.
 */
export class AddressBook {
  readonly key: Uint8Array;
  readonly #now: () => number;
  readonly #random: () => number;
  /** By IP address. */
  readonly #entries = new Map<string, AddressEntry>();
  readonly #new = new BucketTable();
  readonly #tried = new BucketTable();
  /** Addresses that connected but whose place among the tried is occupied, until the holder of the place has been tested. */
  readonly #collisions = new Set<AddressEntry>();
  /** Time of the last call of `markGood`, seconds since 1970. */
  #lastGood = 1;
  #triedCount = 0;

  constructor({ key, now, random }: AddressBookOptions) {
    this.key = key;
    this.#now = now;
    this.#random = random;
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): Iterable<AddressEntry> {
    return this.#entries.values();
  }

  /** @returns undefined also if another port of the address is known */
  find(endpoint: Endpoint): Readonly<AddressEntry> | undefined {
    return this.#find(endpoint);
  }

  #find({ ip, port }: Endpoint): AddressEntry | undefined {
    const entry = this.#entries.get(formatIp(ip));
    return entry?.port === port ? entry : undefined;
  }

  /**
   * Adds announced addresses.
   * @param source address of the node that announced them
   * @param penaltySec seconds that are subtracted from their times
   * @returns number of addresses that were unknown
   */
  add(addresses: readonly TimedAddress[], source: Ip, penaltySec = 0): number {
    const before = this.#entries.size;
    for (const address of addresses) if (isUsable(address)) this.#addOne(address, source, penaltySec);
    return this.#entries.size - before;
  }

  #addOne(address: TimedAddress, source: Ip, penaltySec: number): void {
    // There is no penalty for a node that announces its own address.
    const penalty = Buffer.compare(address.ip, source) === 0 ? 0 : penaltySec;
    const known = this.#entries.get(formatIp(address.ip));
    if (known && !this.#refresh(known, address, penalty)) return;
    const entry = known ?? newEntry(address, source, Math.max(0, address.time - penalty));
    if (!known) this.#entries.set(formatIp(address.ip), entry);
    const bucket = this.#newBucket(entry, source);
    const place = this.#placeOf(entry, bucket, 'new');
    const holder = this.#new.at(bucket, place);
    if (holder === entry) return;
    if (!holder || isTerrible(holder, this.#now()) || (holder.places > 1 && entry.places === 0)) {
      if (holder) this.#vacate(bucket, place, holder);
      this.#new.put(bucket, place, entry);
      entry.places += 1;
    } else if (entry.places === 0) this.#entries.delete(formatIp(entry.ip));
  }

  /** Updates a known address. @returns true if it may occupy another place */
  #refresh(known: AddressEntry, address: TimedAddress, penalty: number): boolean {
    const online = this.#now() - address.time < DAY;
    const interval = online ? HOUR : DAY;
    if (address.time > 0 && known.time < address.time - interval - penalty) known.time = Math.max(0, address.time - penalty);
    known.services |= address.services;
    if (address.time <= known.time || known.tried || known.places >= MAX_PLACES) return false;
    // Each further place is half as likely, so that an address cannot spread over all buckets by repetition.
    return this.#random() * 2 ** known.places < 1;
  }

  #vacate(bucket: number, place: number, holder: AddressEntry): void {
    this.#new.remove(bucket, place);
    holder.places -= 1;
    if (holder.places === 0 && !holder.tried) {
      this.#entries.delete(formatIp(holder.ip));
      this.#collisions.delete(holder);
    }
  }

  /** Notes an attempt to connect. @param counts false if a failure may be that of our own network */
  markAttempt(endpoint: Endpoint, counts: boolean): void {
    const entry = this.#find(endpoint);
    if (!entry) return;
    const now = this.#now();
    entry.lastTry = now;
    if (counts && entry.lastCounted < this.#lastGood) {
      entry.lastCounted = now;
      entry.attempts += 1;
    }
  }

  /** Notes the services that a node offers. Nodes without the required services are not tried again. */
  setServices(endpoint: Endpoint, services: bigint): void {
    const entry = this.#find(endpoint);
    if (entry) entry.services = services;
  }

  /** Notes a successful handshake and moves the address to the tried ones, if its place there is free. */
  markGood(endpoint: Endpoint, services: bigint): void {
    this.#lastGood = this.#now();
    const entry = this.#find(endpoint);
    if (!entry) return;
    entry.services = services;
    this.#noteSuccess(entry);
    if (entry.tried || entry.places === 0) return;
    const bucket = this.#triedBucket(entry);
    const place = this.#placeOf(entry, bucket, 'tried');
    if (this.#tried.at(bucket, place) === undefined) this.#makeTried(entry, bucket, place);
    else if (this.#collisions.size < MAX_COLLISIONS) this.#collisions.add(entry);
  }

  #noteSuccess(entry: AddressEntry): void {
    const now = this.#now();
    entry.lastSuccess = now;
    entry.lastTry = now;
    entry.attempts = 0;
  }

  /** Notes the end of a connection. The time is updated every 20 minutes at most, because announcing it would disclose our peers. */
  markConnected(endpoint: Endpoint): void {
    const entry = this.#find(endpoint);
    const now = this.#now();
    if (entry && now - entry.time > 20 * MINUTE) entry.time = now;
  }

  /** Tried address whose place another one waits for: a feeler should test it (`SelectTriedCollision` of Bitcoin Core). */
  triedCollision(): Readonly<AddressEntry> | undefined {
    const entry = [...this.#collisions][Math.floor(this.#random() * this.#collisions.size)];
    if (!entry) return undefined;
    const bucket = this.#triedBucket(entry);
    return this.#tried.at(bucket, this.#placeOf(entry, bucket, 'tried'));
  }

  /** Resolves collisions: a holder with a success within four hours keeps its place; one that failed or was not tested in time loses it. */
  resolveCollisions(): void {
    const now = this.#now();
    for (const entry of [...this.#collisions]) {
      const bucket = this.#triedBucket(entry);
      const place = this.#placeOf(entry, bucket, 'tried');
      const holder = this.#tried.at(bucket, place);
      const alive = holder !== undefined && now - holder.lastSuccess < 4 * HOUR;
      const tried = holder !== undefined && now - holder.lastTry < 4 * HOUR;
      const failed = tried && now - holder.lastTry > MINUTE;
      const waitedLong = !tried && now - entry.lastSuccess > 40 * MINUTE;
      if (holder === undefined || (!alive && (failed || waitedLong))) {
        this.#lastGood = now;
        this.#noteSuccess(entry);
        this.#makeTried(entry, bucket, place);
      }
      if (holder === undefined || alive || failed || waitedLong) this.#collisions.delete(entry);
    }
  }

  /** Selects an address to connect to. @param newOnly only addresses without a successful connection */
  select(newOnly: boolean): Readonly<AddressEntry> | undefined {
    const newCount = this.#entries.size - this.#triedCount;
    if (this.#entries.size === 0 || (newOnly && newCount === 0)) return undefined;
    const fromTried = !newOnly && this.#triedCount > 0 && (newCount === 0 || this.#random() < 0.5);
    const table = fromTried ? this.#tried : this.#new;
    const now = this.#now();
    for (let factor = 1; ; factor *= 1.2) {
      const entry = table.random(this.#random);
      if (!entry || this.#random() < factor * chanceOf(entry, now)) return entry;
    }
  }

  /** Random sample of addresses for an answer to `getaddr`, without terrible ones. */
  sample(): readonly TimedAddress[] {
    const most = Math.min(SAMPLE_MOST, Math.floor(this.#entries.size * SAMPLE_SHARE));
    const all = [...this.#entries.values()];
    const now = this.#now();
    const chosen: TimedAddress[] = [];
    for (let i = 0; i < all.length && chosen.length < most; i++) {
      const j = i + Math.floor(this.#random() * (all.length - i));
      const entry = all[j] as AddressEntry;
      all[j] = all[i] as AddressEntry;
      if (!isTerrible(entry, now)) chosen.push(entry);
    }
    return chosen;
  }

  /**
   * Restores a stored entry to its place, if that is free. The time of the last attempt is not restored, as in `defid`, so that a restarted
   * node connects again to the peers that it had.
   */
  restore(entry: Omit<AddressEntry, 'places' | 'lastCounted'>): void {
    if (!isUsable(entry) || this.#entries.has(formatIp(entry.ip))) return;
    const restored = { ...entry, lastTry: 0, tried: false, places: 0, lastCounted: 0 };
    const bucket = entry.tried ? this.#triedBucket(restored) : this.#newBucket(restored, restored.source);
    const place = this.#placeOf(restored, bucket, entry.tried ? 'tried' : 'new');
    const table = entry.tried ? this.#tried : this.#new;
    if (table.at(bucket, place)) return;
    this.#entries.set(formatIp(entry.ip), restored);
    table.put(bucket, place, restored);
    restored.tried = entry.tried;
    if (entry.tried) this.#triedCount += 1;
    else restored.places = 1;
  }

  /** Moves an entry to the tried addresses; the holder of its place there becomes new again. */
  #makeTried(entry: AddressEntry, bucket: number, place: number): void {
    if (entry.tried) return;
    this.#new.removeEverywhere(entry);
    entry.places = 0;
    const holder = this.#tried.at(bucket, place);
    if (holder) this.#makeNew(holder, bucket, place);
    this.#tried.put(bucket, place, entry);
    entry.tried = true;
    this.#triedCount += 1;
  }

  #makeNew(holder: AddressEntry, triedBucket: number, triedPlace: number): void {
    this.#tried.remove(triedBucket, triedPlace);
    holder.tried = false;
    this.#triedCount -= 1;
    const bucket = this.#newBucket(holder, holder.source);
    const place = this.#placeOf(holder, bucket, 'new');
    const other = this.#new.at(bucket, place);
    if (other) this.#vacate(bucket, place, other);
    this.#new.put(bucket, place, holder);
    holder.places = 1;
  }

  #triedBucket(entry: AddressEntry): number {
    const spread = this.#hash('tried', formatEndpoint(entry)) % TRIED_BUCKETS_PER_GROUP;
    return this.#hash('tried group', groupOf(entry.ip), spread) % TRIED_BUCKETS;
  }

  #newBucket(entry: AddressEntry, source: Ip): number {
    const from = groupOf(source);
    const spread = this.#hash('new', groupOf(entry.ip), from) % NEW_BUCKETS_PER_SOURCE;
    return this.#hash('new source', from, spread) % NEW_BUCKETS;
  }

  #placeOf(entry: AddressEntry, bucket: number, table: 'new' | 'tried'): number {
    return this.#hash('place', table, bucket, formatEndpoint(entry)) % BUCKET_SIZE;
  }

  #hash(...parts: readonly (string | number)[]): number {
    return Buffer.from(sha256d(concatBytes(this.key, Buffer.from(JSON.stringify(parts))))).readUIntLE(0, 6);
  }
}

function newEntry({ ip, port, services }: TimedAddress, source: Ip, time: number): AddressEntry {
  const never = { lastTry: 0, lastSuccess: 0, attempts: 0, lastCounted: 0 };
  return { ip, port, services, time, source, ...never, tried: false, places: 0 };
}
