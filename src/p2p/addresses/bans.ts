import type { Ip } from './ip.js';
import { compareSubnets, formatSubnet, inSubnet, parseSubnet, type Subnet } from './subnet.js';

export type BanReason = 'node misbehaving' | 'manually added';

/** A ban of a subnet; times are seconds since 1970. */
export interface Ban {
  readonly subnet: Subnet;
  readonly created: number;
  readonly until: number;
  readonly reason: BanReason;
}

/** A ban as it is stored. */
export interface StoredBan {
  readonly address: string;
  readonly created: number;
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

  /** True if the bans have changed since the last call of `stored`. */
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
  ban(subnet: Subnet, reason: BanReason, seconds = 0): void {
    this.banUntil(subnet, reason, this.#now() + (seconds > 0 ? seconds : this.#defaultSec));
  }

  /** Bans a subnet, unless a longer ban of it exists. @param until seconds since 1970 */
  banUntil(subnet: Subnet, reason: BanReason, until: number): void {
    const key = formatSubnet(subnet);
    const known = this.#bans.get(key);
    if (known && known.until >= until) return;
    this.#bans.set(key, { subnet, created: this.#now(), until, reason });
    this.#changed = true;
  }

  /** @returns false if exactly this subnet was not banned */
  unban(subnet: Subnet): boolean {
    const found = this.#bans.delete(formatSubnet(subnet));
    this.#changed ||= found;
    return found;
  }

  clear(): void {
    this.#changed ||= this.#bans.size > 0;
    this.#bans.clear();
  }

  /** Bans that have not expired, in ascending order of their subnets. */
  list(): readonly Ban[] {
    const now = this.#now();
    for (const [key, { until }] of this.#bans) {
      if (until < now) this.#changed = this.#bans.delete(key) || this.#changed;
    }
    return [...this.#bans.values()].sort((a, b) => compareSubnets(a.subnet, b.subnet));
  }

  /** Bans to store. */
  stored(): readonly StoredBan[] {
    const bans = this.list().map(({ subnet, created, until, reason }) => ({ address: formatSubnet(subnet), created, until, reason }));
    this.#changed = false;
    return bans;
  }

  /** Restores stored bans; malformed ones are skipped. */
  restore(stored: readonly unknown[]): void {
    for (const each of stored) {
      const ban = parseBan(each);
      if (ban) this.#bans.set(formatSubnet(ban.subnet), ban);
    }
  }
}

function parseBan(value: unknown): Ban | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { address, created, until, reason } = value as Partial<Record<keyof StoredBan, unknown>>;
  const subnet = typeof address === 'string' ? parseSubnet(address) : undefined;
  if (!subnet || typeof created !== 'number' || typeof until !== 'number') return undefined;
  return { subnet, created, until, reason: reason === 'manually added' ? reason : 'node misbehaving' };
}
