import { INT64_MAX } from '../../util/numbers.js';
import type { Ip } from './ip.js';
import { compareSubnets, formatSubnet, inSubnet, parseSubnet, type Subnet } from './subnet.js';

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

/** Banned subnets. */
export class Bans {
  readonly #now: () => number;
  readonly #defaultSec: number;
  readonly #bans = new Map<string, Ban>();
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
    let found: BanReason | undefined;
    for (const { subnet, until, reason } of this.#bans.values()) {
      if (now >= until || !inSubnet(ip, subnet)) continue;
      if (reason === 'manually added') return reason;
      found = reason;
    }
    return found;
  }

  /** Returns true if exactly this subnet is banned. */
  hasSubnet(subnet: Subnet): boolean {
    const ban = this.#bans.get(formatSubnet(subnet));
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
    const key = formatSubnet(subnet);
    const known = this.#bans.get(key);
    if (known && known.until >= until) return;
    this.#bans.set(key, { subnet, created: this.#now(), until, reason });
    this.#changed = true;
    if (reason === 'manually added') this.sweep();
  }

  /** @returns false if exactly this subnet was not banned; a ban that has expired counts until it is dropped, as in `defid` */
  unban(subnet: Subnet): boolean {
    const found = this.#bans.delete(formatSubnet(subnet));
    if (!found) return false;
    this.#changed = true;
    this.sweep();
    return true;
  }

  /** Drops bans that have expired: when `defid` does, because `setban` can remove those that are not dropped yet. */
  sweep(): void {
    const now = this.#now();
    for (const [key, { until }] of this.#bans) {
      if (until < now) this.#changed = this.#bans.delete(key) || this.#changed;
    }
  }

  clear(): void {
    this.#changed ||= this.#bans.size > 0;
    this.#bans.clear();
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
    for (const each of stored) {
      const ban = parseBan(each);
      if (ban) this.#bans.set(formatSubnet(ban.subnet), ban);
    }
    this.sweep();
  }
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
