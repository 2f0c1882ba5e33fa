import { toHex } from '../../util/bytes.js';
import { INT64_MAX } from '../../util/numbers.js';
import type { Ip } from './ip.js';
import { compareSubnets, formatSubnet, hostSubnet, inSubnet, parseSubnet, type Subnet } from './subnet.js';

export type BanReason = 'node misbehaving' | 'manually added';

/** A ban of a subnet; times are seconds since 1970. */
export interface Ban {
  readonly subnet: Subnet;
  readonly created: number;
  /** 64 bits, because the operator may choose any time. */
  readonly until: bigint;
  readonly reason: BanReason;
}

/** A ban as it is stored. */
export interface StoredBan {
  readonly address: string;
  readonly created: number;
  /** Rounded above 53 bits. */
  readonly until: number;
  readonly reason: string;
}

/** Most bans for misbehaviour; the oldest is dropped for another. An attacker may have any number of IPv6 addresses. */
const MAX_MISBEHAVING = 10_000;

/** Banned subnets. */
export class Bans {
  readonly #now: () => number;
  readonly #defaultSec: number;
  readonly #bans = new Map<string, Ban>();
  /** Those of them with more than one address: they are compared one by one, the others are found by their address. */
  readonly #ranges = new Map<string, Ban>();
  /** Keys of the bans for misbehaviour, oldest first. */
  readonly #misbehaving = new Set<string>();
  #changed = false;

  /** @param now seconds since 1970; mock time counts */
  constructor(defaultSec: number, now: () => number) {
    this.#defaultSec = defaultSec;
    this.#now = now;
  }

  /** True if the bans have changed since the last call of `noteStored`. */
  get changed(): boolean {
    return this.#changed;
  }

  isBanned(ip: Ip): boolean {
    return this.reasonFor(ip) !== undefined;
  }

  /** Reason of the bans of an address, that of the operator before misbehaviour; undefined if it is not banned. */
  reasonFor(ip: Ip): BanReason | undefined {
    const now = this.#now();
    const own = this.#bans.get(subnetKey(hostSubnet(ip)));
    let found = own && now < own.until ? own.reason : undefined;
    for (const { subnet, until, reason } of this.#ranges.values()) {
      if (found === 'manually added') return found;
      if (now < until && inSubnet(ip, subnet)) found = reason;
    }
    return found;
  }

  /** Returns true if exactly this subnet is banned. */
  hasSubnet(subnet: Subnet): boolean {
    const ban = this.#bans.get(subnetKey(subnet));
    return ban !== undefined && this.#now() < ban.until;
  }

  /** Bans a subnet, unless a longer ban of it exists. @param seconds duration; 0 or less for -bantime */
  ban(subnet: Subnet, reason: BanReason, seconds = 0n): void {
    const until = BigInt(this.#now()) + (seconds > 0n ? seconds : BigInt(this.#defaultSec));
    // An end beyond 64 bits is in the past for defid, which bans nothing then.
    if (until <= INT64_MAX) this.banUntil(subnet, reason, until);
  }

  /** Bans a subnet, unless a longer ban of it exists. @param until seconds since 1970 */
  banUntil(subnet: Subnet, reason: BanReason, until: bigint): void {
    const known = this.#bans.get(subnetKey(subnet));
    if (known && known.until >= until) return;
    this.#set({ subnet, created: this.#now(), until, reason });
    this.#changed = true;
    if (reason === 'manually added') this.sweep();
  }

  #set(ban: Ban): void {
    const key = subnetKey(ban.subnet);
    this.#delete(key);
    this.#bans.set(key, ban);
    if (!isHost(ban.subnet)) this.#ranges.set(key, ban);
    if (ban.reason === 'manually added') return;
    this.#misbehaving.add(key);
    const [oldest] = this.#misbehaving;
    if (oldest !== undefined && this.#misbehaving.size > MAX_MISBEHAVING) this.#delete(oldest);
  }

  #delete(key: string): boolean {
    this.#ranges.delete(key);
    this.#misbehaving.delete(key);
    return this.#bans.delete(key);
  }

  /** @returns false if exactly this subnet was not banned; a ban that has expired counts until it is dropped, as in `defid` */
  unban(subnet: Subnet): boolean {
    const found = this.#delete(subnetKey(subnet));
    if (!found) return false;
    this.#changed = true;
    this.sweep();
    return true;
  }

  /** Drops bans that have expired: when `defid` does, because `setban` can remove those that are not dropped yet. */
  sweep(): void {
    const now = this.#now();
    for (const [key, { until }] of this.#bans) {
      if (until < now) this.#changed = this.#delete(key) || this.#changed;
    }
  }

  clear(): void {
    this.#changed ||= this.#bans.size > 0;
    for (const known of [this.#bans, this.#ranges, this.#misbehaving]) known.clear();
  }

  /** Number of bans that have not expired. */
  get size(): number {
    this.sweep();
    return this.#bans.size;
  }

  /** Bans that have not expired, in ascending order of their subnets. */
  list(): readonly Ban[] {
    this.sweep();
    return this.#sorted();
  }

  #sorted(): Ban[] {
    return [...this.#bans.values()].sort((a, b) => compareSubnets(a.subnet, b.subnet));
  }

  /** Bans to store, expired ones included. */
  stored(): readonly StoredBan[] {
    return this.#sorted().map(({ subnet, created, until, reason }) => ({
      address: formatSubnet(subnet),
      created,
      until: Number(until),
      reason,
    }));
  }

  /** Notes that what `stored` returned is on disk. */
  noteStored(): void {
    this.#changed = false;
  }

  /** Restores stored bans; malformed and expired ones are skipped. */
  restore(stored: readonly unknown[]): void {
    const bans = stored.flatMap((each) => parseBan(each) ?? []).sort((a, b) => a.created - b.created);
    for (const ban of bans) this.#set(ban);
    this.sweep();
  }
}

/** Identifies a subnet. Shorter to compute than its text, because every address of an answer to `getaddr` is looked up. */
function subnetKey({ network, mask }: Subnet): string {
  return toHex(network) + toHex(mask);
}

function isHost({ mask }: Subnet): boolean {
  return mask.every((byte) => byte === 0xff);
}

function parseBan(value: unknown): Ban | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { address, created, until, reason } = value as Partial<Record<keyof StoredBan, unknown>>;
  const subnet = typeof address === 'string' ? parseSubnet(address) : undefined;
  if (!subnet || typeof created !== 'number' || typeof until !== 'number' || !Number.isInteger(until)) return undefined;
  return { subnet, created, until: endOf(until), reason: reason === 'manually added' ? reason : 'node misbehaving' };
}

/** End of a stored ban. The largest one was rounded up beyond 64 bits. */
function endOf(until: number): bigint {
  const exact = BigInt(until);
  return exact > INT64_MAX ? INT64_MAX : exact;
}
