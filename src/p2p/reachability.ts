import { type Ip, isOnion, isV4 } from './ip.js';
import { inSubnet, parseSubnet, type Subnet } from './subnet.js';
import type { Endpoint } from './wire/net-address.js';

function subnets(...texts: readonly string[]): readonly Subnet[] {
  return texts.map((text) => {
    const subnet = parseSubnet(text);
    if (!subnet) throw new RangeError(`not a subnet: ${text}`);
    return subnet;
  });
}

const LOCAL = subnets('127.0.0.0/8', '0.0.0.0/8', '::1');
/** Not an address: unset, broadcast, documentation, the range that `defid` uses for names, and addresses shifted by 3 bytes (before 0.2.9). */
const INVALID = subnets('::', '0.0.0.0', '255.255.255.255', '2001:db8::/32', 'fd6b:88c0:8724::/48', '0:0:0:ff:ff00::/72');
/** RFC 1918, 2544, 3927, 6598, 5737, 4862, 4193, 4843, 7343: good inside some network only. */
const PRIVATE = subnets(
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

/** An address of this machine. */
export function isLocal(ip: Ip): boolean {
  return LOCAL.some((subnet) => inSubnet(ip, subnet));
}

/** An address at all. */
export function isValidIp(ip: Ip): boolean {
  return !INVALID.some((subnet) => inSubnet(ip, subnet));
}

/** Reachable from anywhere. Tor services are, although their addresses lie in a private range. */
export function isRoutable(ip: Ip): boolean {
  return ![...INVALID, ...LOCAL, ...(isOnion(ip) ? [] : PRIVATE)].some((subnet) => inSubnet(ip, subnet));
}

export const NETWORKS = ['ipv4', 'ipv6', 'onion'] as const;
export type Network = (typeof NETWORKS)[number];

/** @returns undefined for an address that is not routable: no proxy and no limit applies to it */
export function networkOf(ip: Ip): Network | undefined {
  if (!isRoutable(ip)) return undefined;
  return isV4(ip) ? 'ipv4' : isOnion(ip) ? 'onion' : 'ipv6';
}

/**
 * Addresses that are cheap for one owner to have many of form a group: 16 bits of an IPv4 address, 32 of an IPv6 one (36 of the tunnels
 * of he.net), 4 of a Tor service. All local addresses are one group, all others that are not routable another. IPv6 addresses that stand
 * for IPv4 ones (6to4, NAT64, SIIT, Teredo) count as those.
 */
export function groupOf(ip: Ip): string {
  if (isLocal(ip)) return 'local';
  if (!isRoutable(ip)) return 'unroutable';
  if (isOnion(ip)) return `onion:${(ip[6] ?? 0) >> 4}`;
  const v4 = embeddedV4(ip);
  if (v4) return `4:${v4[0]}.${v4[1]}`;
  const hex = Buffer.from(ip).toString('hex');
  return `6:${hex.slice(0, isIn(ip, HE_NET) ? 9 : 8)}`;
}

/** Addresses whose last 4 bytes are an IPv4 address: NAT64, SIIT. */
const V4_AT_END = subnets('64:ff9b::/96', '::ffff:0:0:0/96');
const SIX_TO_FOUR = subnets('2002::/16');
/** The last 4 bytes are an IPv4 address with all bits flipped. */
const TEREDO = subnets('2001::/32');
const HE_NET = subnets('2001:470::/32');

function isIn(ip: Ip, ranges: readonly Subnet[]): boolean {
  return ranges.some((subnet) => inSubnet(ip, subnet));
}

/** True for IPv6 addresses that are translated or tunnelled to IPv4 on the way. */
export function isTunnel(ip: Ip): boolean {
  return isIn(ip, SIX_TO_FOUR) || isIn(ip, V4_AT_END);
}

export function isTeredo(ip: Ip): boolean {
  return isIn(ip, TEREDO);
}

function embeddedV4(ip: Ip): Uint8Array | undefined {
  if (isV4(ip) || isIn(ip, V4_AT_END)) return ip.subarray(12);
  if (isTeredo(ip)) return ip.subarray(12).map((byte) => byte ^ 0xff);
  return isIn(ip, SIX_TO_FOUR) ? ip.subarray(2, 6) : undefined;
}

/** Worth remembering. */
export function isUsable({ ip, port }: Endpoint): boolean {
  return port !== 0 && isRoutable(ip);
}
