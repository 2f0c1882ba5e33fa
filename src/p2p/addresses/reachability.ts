import type { Endpoint } from '../wire/net-address.js';
import { type Ip, isOnion, isV4 } from './ip.js';
import { inSubnet, parseSubnet, type Subnet } from './subnet.js';

/** A set of address ranges. Made of plain loops, because it is queried for every address of every `addr` message. */
class Ranges {
  /** Network and mask of IPv4 ranges. */
  readonly #v4: (readonly [network: number, mask: number])[] = [];
  readonly #v6: Subnet[] = [];

  constructor(...texts: readonly string[]) {
    for (const text of texts) {
      const subnet = parseSubnet(text);
      if (!subnet) throw new RangeError(`not a subnet: ${text}`);
      if (isV4(subnet.network)) this.#v4.push([v4Number(subnet.network), v4Number(subnet.mask)]);
      else this.#v6.push(subnet);
    }
  }

  has(ip: Ip): boolean {
    if (!isV4(ip)) return this.#v6.some((subnet) => inSubnet(ip, subnet));
    const number = v4Number(ip);
    for (const [network, mask] of this.#v4) if ((number & mask) === network) return true;
    return false;
  }
}

/** The last 4 bytes, signed. */
function v4Number(ip: Ip): number {
  return ((ip[12] ?? 0) << 24) | ((ip[13] ?? 0) << 16) | ((ip[14] ?? 0) << 8) | (ip[15] ?? 0);
}

const LOCAL = new Ranges('127.0.0.0/8', '0.0.0.0/8', '::1');
/** Invalid addresses: unset, broadcast, documentation, those that `defid` uses for names, and those shifted by 3 bytes (before 0.2.9). */
const INVALID = new Ranges('::', '0.0.0.0', '255.255.255.255', '2001:db8::/32', 'fd6b:88c0:8724::/48', '0:0:0:ff:ff00::/72');
/** Ranges that are not routable on the Internet: RFC 1918, 2544, 3927, 6598, 5737, 4862, 4193, 4843, 7343. */
const PRIVATE = new Ranges(
  '10.0.0.0/8',
  '192.168.0.0/16',
  '172.16.0.0/12',
  '198.18.0.0/15',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  'fe80::/64',
  'fc00::/7',
  '2001:10::/28',
  '2001:20::/28',
);

/** Returns true for an address of this machine. */
export function isLocal(ip: Ip): boolean {
  return LOCAL.has(ip);
}

/** Returns true unless the address is in one of the invalid ranges. */
export function isValidIp(ip: Ip): boolean {
  return !INVALID.has(ip);
}

/** Parses the subnet of an option or a call, as `parseSubnet` does, but refuses an invalid address without a mask. */
export function lookupSubnet(text: string): Subnet | undefined {
  const subnet = parseSubnet(text);
  return subnet && (text.includes('/') || isValidIp(subnet.network)) ? subnet : undefined;
}

/** Returns true for addresses that are reachable from anywhere, including Tor services, whose addresses are in a private range. */
export function isRoutable(ip: Ip): boolean {
  return !INVALID.has(ip) && !LOCAL.has(ip) && (isOnion(ip) || !PRIVATE.has(ip));
}

/** Networks that -onlynet can name, in the order of `getnetworkinfo`. */
export const NETWORKS = ['ipv4', 'ipv6', 'onion'] as const;
export type Network = (typeof NETWORKS)[number];

/** @returns undefined for an address that is not routable, to which neither proxies nor -onlynet apply */
export function networkOf(ip: Ip): Network | undefined {
  if (!isRoutable(ip)) return undefined;
  return isV4(ip) ? 'ipv4' : isOnion(ip) ? 'onion' : 'ipv6';
}

/**
 * Network group of an address. A group contains the addresses that one owner can easily have many of: the same 16 bits of an IPv4 address,
 * 32 of an IPv6 address (36 for the tunnels of he.net), 4 of a Tor service. All addresses that are not routable, local ones included, are
 * one group. IPv6 addresses with an embedded IPv4 address (6to4, NAT64, SIIT, Teredo) are in the group of the latter.
 */
export function groupOf(ip: Ip): string {
  if (!isRoutable(ip)) return 'unroutable';
  if (isOnion(ip)) return `onion:${(ip[6] ?? 0) >> 4}`;
  const v4 = embeddedV4(ip);
  if (v4) return `4:${v4[0]}.${v4[1]}`;
  const hex = Buffer.from(ip).toString('hex');
  return `6:${hex.slice(0, HE_NET.has(ip) ? 9 : 8)}`;
}

/** Addresses whose last 4 bytes are an IPv4 address: NAT64, SIIT. */
const V4_AT_END = new Ranges('64:ff9b::/96', '::ffff:0:0:0/96');
const SIX_TO_FOUR = new Ranges('2002::/16');
/** The last 4 bytes are an IPv4 address with all bits flipped. */
const TEREDO = new Ranges('2001::/32');
const HE_NET = new Ranges('2001:470::/32');

/** True for IPv6 addresses that are translated or tunnelled to IPv4 on the way. */
export function isTunnel(ip: Ip): boolean {
  return SIX_TO_FOUR.has(ip) || V4_AT_END.has(ip);
}

export function isTeredo(ip: Ip): boolean {
  return TEREDO.has(ip);
}

function embeddedV4(ip: Ip): Uint8Array | undefined {
  if (isV4(ip) || V4_AT_END.has(ip)) return ip.subarray(12);
  if (isTeredo(ip)) return ip.subarray(12).map((byte) => byte ^ 0xff);
  return SIX_TO_FOUR.has(ip) ? ip.subarray(2, 6) : undefined;
}

/** Returns true if the address may be stored in the address book. */
export function isUsable({ ip, port }: Endpoint): boolean {
  return port !== 0 && isRoutable(ip);
}
