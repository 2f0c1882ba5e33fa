import { sha256d } from '../../crypto/hash.js';
import { concatBytes } from '../../util/bytes.js';
import type { Endpoint, TimedAddress } from '../wire/net-address.js';
import { type AddressEntry, chanceOf, isTerrible } from './address-entry.js';
import { BUCKET_SIZE, BucketTable } from './bucket-table.js';
import { formatEndpoint, type Ip } from './ip.js';
import { groupOf, isUsable } from './reachability.js';

const TRIED_BUCKETS = 256;
const NEW_BUCKETS = 1024;
const TRIED_BUCKETS_PER_GROUP = 8;
const NEW_BUCKETS_PER_SOURCE = 64;
const MAX_PLACES = 8;
/** Share and number of addresses that one answer gives away. */
const SAMPLE_SHARE = 0.23;
const SAMPLE_MOST = 2500;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_COLLISIONS = 10;

export interface AddressBookOptions {
  /** 32 secret bytes: nobody else can tell into which bucket an address goes. */
  readonly key: Uint8Array;
  /** Seconds since 1970, as the network has it. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Nodes that are known of, in the spirit of Bitcoin's address manager: addresses that others told of are kept apart from those that a
 * connection was made with, and hashed into buckets by group and source, so that an attacker with few networks fills few buckets.
 */
export class AddressBook {
  readonly key: Uint8Array;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #entries = new Map<string, AddressEntry>();
  readonly #new = new BucketTable();
  readonly #tried = new BucketTable();
  /** Good addresses whose place is taken, until the one that has it was tried again. */
  readonly #collisions = new Set<AddressEntry>();
  /** The last success that `markGood` told of. */
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

  find(endpoint: Endpoint): Readonly<AddressEntry> | undefined {
    return this.#entries.get(formatEndpoint(endpoint));
  }

  /**
   * Takes in what someone told of.
   * @param penaltySec how much older than claimed it is taken to be
   * @returns how many were not known before
   */
  add(addresses: readonly TimedAddress[], source: Ip, penaltySec = 0): number {
    const before = this.#entries.size;
    for (const address of addresses) if (isUsable(address)) this.#addOne(address, source, penaltySec);
    return this.#entries.size - before;
  }

  #addOne(address: TimedAddress, source: Ip, penaltySec: number): void {
    // What a node says of itself is no older than it says.
    const penalty = Buffer.compare(address.ip, source) === 0 ? 0 : penaltySec;
    const known = this.#entries.get(formatEndpoint(address));
    if (known && !this.#renew(known, address, penalty)) return;
    const entry = known ?? newEntry(address, source, Math.max(0, address.time - penalty));
    if (!known) this.#entries.set(formatEndpoint(address), entry);
    const bucket = this.#newBucket(entry, source);
    const place = this.#placeOf(entry, bucket, 'new');
    const holder = this.#new.at(bucket, place);
    if (holder === entry) return;
    if (!holder || isTerrible(holder, this.#now()) || (holder.places > 1 && entry.places === 0)) {
      if (holder) this.#vacate(bucket, place, holder);
      this.#new.put(bucket, place, entry);
      entry.places += 1;
    } else if (entry.places === 0) this.#entries.delete(formatEndpoint(entry));
  }

  /** @returns true if a known address may take another place */
  #renew(known: AddressEntry, address: TimedAddress, penalty: number): boolean {
    const online = this.#now() - address.time < DAY;
    const interval = online ? HOUR : DAY;
    const news = address.time > known.time;
    if (address.time > 0 && known.time < address.time - interval - penalty) known.time = Math.max(0, address.time - penalty);
    known.services |= address.services;
    if (!news || known.tried || known.places >= MAX_PLACES) return false;
    // Each further place is half as likely: more would only make it easier to be everywhere.
    return this.#random() * 2 ** known.places < 1;
  }

  #vacate(bucket: number, place: number, holder: AddressEntry): void {
    this.#new.remove(bucket, place);
    holder.places -= 1;
    if (holder.places === 0 && !holder.tried) {
      this.#entries.delete(formatEndpoint(holder));
      this.#collisions.delete(holder);
    }
  }

  /** A connection was tried. @param counts false where the failure may be ours */
  markAttempt(endpoint: Endpoint, counts: boolean): void {
    const entry = this.#entries.get(formatEndpoint(endpoint));
    if (!entry) return;
    const now = this.#now();
    entry.lastTry = now;
    if (counts && entry.lastCounted < this.#lastGood) {
      entry.lastCounted = now;
      entry.attempts += 1;
    }
  }

  /** A handshake succeeded. */
  markGood(endpoint: Endpoint, services: bigint): void {
    const now = this.#now();
    this.#lastGood = now;
    const entry = this.#entries.get(formatEndpoint(endpoint));
    if (!entry) return;
    entry.services = services;
    entry.lastSuccess = now;
    entry.lastTry = now;
    entry.attempts = 0;
    if (entry.tried || entry.places === 0) return;
    const bucket = this.#triedBucket(entry);
    const place = this.#placeOf(entry, bucket, 'tried');
    if (this.#tried.at(bucket, place) === undefined) this.#makeTried(entry, bucket, place);
    else if (this.#collisions.size < MAX_COLLISIONS) this.#collisions.add(entry);
  }

  /** It was connected until now: told to others no more often than every 20 minutes, or it would show who our peers are. */
  markConnected(endpoint: Endpoint): void {
    const entry = this.#entries.get(formatEndpoint(endpoint));
    const now = this.#now();
    if (entry && now - entry.time > 20 * MINUTE) entry.time = now;
  }

  /** The holder of a place that a good address waits for: worth a feeler. */
  disputed(): Readonly<AddressEntry> | undefined {
    for (const entry of this.#collisions) {
      const bucket = this.#triedBucket(entry);
      return this.#tried.at(bucket, this.#placeOf(entry, bucket, 'tried'));
    }
    return undefined;
  }

  /** Settles disputes: a holder that answered lately stays, one that failed to when asked yields. */
  settleDisputes(): void {
    const now = this.#now();
    for (const entry of [...this.#collisions]) {
      const bucket = this.#triedBucket(entry);
      const place = this.#placeOf(entry, bucket, 'tried');
      const holder = this.#tried.at(bucket, place);
      const alive = holder !== undefined && now - holder.lastSuccess < 4 * HOUR;
      const failed = holder !== undefined && now - holder.lastTry < 4 * HOUR && now - holder.lastTry > MINUTE;
      const waitedLong = now - entry.lastSuccess > 40 * MINUTE;
      if (holder === undefined || (!alive && (failed || waitedLong))) this.#makeTried(entry, bucket, place);
      if (holder === undefined || alive || failed || waitedLong) this.#collisions.delete(entry);
    }
  }

  /** One to connect to. @param newOnly one that was never connected to */
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

  /** Some to tell others: a random share of those that are any good. */
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

  /** Takes a kept entry back into the place that its address has. */
  restore(entry: Omit<AddressEntry, 'places' | 'lastCounted'>): void {
    if (!isUsable(entry) || this.find(entry)) return;
    const restored = { ...entry, tried: false, places: 0, lastCounted: 0 };
    const bucket = entry.tried ? this.#triedBucket(restored) : this.#newBucket(restored, restored.source);
    const place = this.#placeOf(restored, bucket, entry.tried ? 'tried' : 'new');
    const table = entry.tried ? this.#tried : this.#new;
    if (table.at(bucket, place)) return;
    this.#entries.set(formatEndpoint(entry), restored);
    table.put(bucket, place, restored);
    restored.tried = entry.tried;
    if (entry.tried) this.#triedCount += 1;
    else restored.places = 1;
  }

  /** Puts it among the tried; whoever had the place goes back among the others. */
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
