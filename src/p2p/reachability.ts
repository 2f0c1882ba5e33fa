import { type Ip, isV4 } from './ip.js';
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
/** No address at all: unset, broadcast, documentation. */
const INVALID = subnets('::', '0.0.0.0', '255.255.255.255', '2001:db8::/32');
/** RFC 1918, 2544, 3927, 6598, 5737, 4862, 4193, 4843: good inside some network only. */
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
);

/** An address of this machine. */
export function isLocal(ip: Ip): boolean {
  return LOCAL.some((subnet) => inSubnet(ip, subnet));
}

/** An address at all. */
export function isValidIp(ip: Ip): boolean {
  return !INVALID.some((subnet) => inSubnet(ip, subnet));
}

/** One that a node anywhere could have. */
export function isRoutable(ip: Ip): boolean {
  return ![...INVALID, ...LOCAL, ...PRIVATE].some((subnet) => inSubnet(ip, subnet));
}

/**
 * What addresses of one owner have in common: the first 16 bits of an IPv4 address, 32 of an IPv6 one. All local ones are one group, all
 * others that nobody can reach another. Addresses inside IPv6 that stand for IPv4 ones (6to4, NAT64) count as those.
 */
export function groupOf(ip: Ip): string {
  if (isLocal(ip)) return 'local';
  if (!isRoutable(ip)) return 'unroutable';
  const v4 = embeddedV4(ip);
  return v4 ? `4:${v4[0]}.${v4[1]}` : `6:${Buffer.from(ip.subarray(0, 4)).toString('hex')}`;
}

const NAT64 = subnets('64:ff9b::/96');
const SIX_TO_FOUR = subnets('2002::/16');

function embeddedV4(ip: Ip): Uint8Array | undefined {
  if (isV4(ip) || NAT64.some((subnet) => inSubnet(ip, subnet))) return ip.subarray(12);
  return SIX_TO_FOUR.some((subnet) => inSubnet(ip, subnet)) ? ip.subarray(2, 6) : undefined;
}

/** Worth remembering. */
export function isUsable({ ip, port }: Endpoint): boolean {
  return port !== 0 && isRoutable(ip);
}

/** Whether -onlynet lets us connect there. */
export function isReachable(ip: Ip, onlyNets: readonly string[]): boolean {
  return onlyNets.length === 0 || onlyNets.includes(isV4(ip) ? 'ipv4' : 'ipv6');
}
