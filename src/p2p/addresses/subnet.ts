import { compareBytes } from '../../util/bytes.js';
import { formatIp, type Ip, isV4, parseIp } from './ip.js';

/** A range of addresses. */
export interface Subnet {
  /** 16 bytes; bits outside of the mask are zero. */
  readonly network: Ip;
  /** 16 bytes; those of an IPv4 mask start with 12 times ff. */
  readonly mask: Ip;
}

const V4_BITS = 32;
const V6_BITS = 128;
/** A mask beyond is no number of bits but an IPv4 address. */
const MAX_INT32 = 0x7fffffff;

/** Parses an address, `address/bits` or `address/mask`. @returns undefined for any other text */
export function parseSubnet(text: string): Subnet | undefined {
  const slash = text.indexOf('/');
  const ip = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (!ip) return undefined;
  const mask = slash < 0 ? leadingOnes(V6_BITS) : parseMask(text.slice(slash + 1), ip);
  return mask && { network: ip.map((byte, i) => byte & (mask[i] ?? 0)), mask };
}

/** Subnet of a single address. */
export function hostSubnet(ip: Ip): Subnet {
  return { network: ip, mask: leadingOnes(V6_BITS) };
}

/** A number of bits, or an address whose bits are the mask; of an IPv6 address the last 32 for IPv4, as in `defid`. */
function parseMask(text: string, ip: Ip): Ip | undefined {
  const bits = isV4(ip) ? V4_BITS : V6_BITS;
  const count = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(count) <= MAX_INT32) return count >= 0 && count <= bits ? leadingOnes(V6_BITS - bits + count) : undefined;
  return parseIp(text)?.map((byte, i) => (i < (V6_BITS - bits) / 8 ? 0xff : byte));
}

function leadingOnes(count: number): Ip {
  return Uint8Array.from({ length: 16 }, (_, i) => (0xff00 >> Math.max(0, Math.min(8, count - 8 * i))) & 0xff);
}

export function inSubnet(ip: Ip, { network, mask }: Subnet): boolean {
  // A plain loop, because it runs for every banned range and address of an answer to `getaddr`.
  for (let i = 0; i < network.length; i++) if (((ip[i] ?? 0) & (mask[i] ?? 0)) !== network[i]) return false;
  return true;
}

/** Formats `address/bits`, or `address/mask` if the mask is not contiguous; that of an IPv6 address without shortened zeros. */
export function formatSubnet({ network, mask }: Subnet): string {
  const v4 = isV4(network);
  const ones = countOnes(mask);
  const contiguous = compareBytes(leadingOnes(ones), mask) === 0;
  const shown = v4 ? ones - (V6_BITS - V4_BITS) : ones;
  return `${formatIp(network)}/${contiguous ? shown : v4 ? mask.subarray(12).join('.') : hexGroups(mask)}`;
}

function hexGroups(mask: Ip): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((mask[2 * i] ?? 0) << 8) | (mask[2 * i + 1] ?? 0));
  return groups.map((group) => group.toString(16)).join(':');
}

function countOnes(mask: Ip): number {
  return mask.reduce((count, byte) => count + byte.toString(2).replaceAll('0', '').length, 0);
}

/** Order of subnets in lists of bans: by network, then by mask. */
export function compareSubnets(a: Subnet, b: Subnet): number {
  return compareBytes(a.network, b.network) || compareBytes(a.mask, b.mask);
}
