import { isIPv6 } from 'node:net';
import { base32 } from '@scure/base';
import type { Endpoint } from '../wire/net-address.js';

/** Network address as on the wire: 16 bytes, IPv4 as ::ffff:a.b.c.d, a Tor v2 service as fd87:d87e:eb43::/48 (OnionCat). */
export type Ip = Uint8Array;

const V4_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);
const ONION_PREFIX = Uint8Array.of(0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43);
const ONION_SUFFIX = '.onion';
/** Ten bytes in base32. A v3 service has 56 characters, which do not fit into an address on the wire. */
const ONION_V2 = /^[a-z2-7]{16}\.onion$/i;

/** Returns true for names that only Tor can resolve; they must never be sent to a DNS server. */
export function isOnionName(host: string): boolean {
  return host.toLowerCase().replace(/\.$/, '').endsWith(ONION_SUFFIX);
}

/** @returns undefined unless the text, which may be in brackets, is an IPv4 address, an IPv6 address or the name of a Tor v2 service */
export function parseIp(text: string): Ip | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (ONION_V2.test(bare)) return Uint8Array.of(...ONION_PREFIX, ...base32.decode(bare.slice(0, -ONION_SUFFIX.length).toUpperCase()));
  // An address with a zone is valid on one interface of this machine only.
  if (isIPv6(bare)) return bare.includes('%') ? undefined : parseIpv6(bare);
  return parseIpv4(bare);
}

/** A decimal number, an octal one after 0, or a hexadecimal one after 0x. */
const V4_NUMBER = /^(?:0x[0-9a-f]+|0[0-7]*|[1-9]\d*)$/i;

/** Parses the forms that the C library accepts: one to four numbers, of which the last one fills the remaining bytes, as in `127.1`. */
function parseIpv4(text: string): Ip | undefined {
  const parts = text.split('.');
  if (parts.length > 4 || !parts.every((part) => V4_NUMBER.test(part))) return undefined;
  const numbers = parts.map((part) => (/^0\d/.test(part) ? Number.parseInt(part, 8) : Number(part)));
  const last = numbers.pop() as number;
  const room = 256 ** (4 - numbers.length);
  if (last >= room || numbers.some((number) => number > 0xff)) return undefined;
  const value = numbers.reduce((sum, number, i) => sum + number * 256 ** (3 - i), last);
  return Uint8Array.of(...V4_PREFIX, value / 0x1000000, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

function parseIpv6(text: string): Ip {
  const [head = '', tail] = text.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const groups = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** 16-bit groups; a dotted IPv4 ending counts as two. */
function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

export function isV4(ip: Ip): boolean {
  return startsWith(ip, V4_PREFIX);
}

export function isOnion(ip: Ip): boolean {
  return startsWith(ip, ONION_PREFIX);
}

/** A plain loop, because it runs for every address of every `addr` message. */
function startsWith(ip: Ip, prefix: Uint8Array): boolean {
  for (let i = 0; i < prefix.length; i++) if (ip[i] !== prefix[i]) return false;
  return true;
}

/**
 * Formats IPv4 as dotted decimal, Tor services as `.onion`, and IPv6 as RFC 5952: lower case, the longest run of zeros shortened. The C
 * library, with which `defid` formats addresses, writes the last 32 bits after 96 zeros as dotted decimal.
 */
export function formatIp(ip: Ip): string {
  if (isV4(ip)) return ip.subarray(12).join('.');
  if (isOnion(ip)) return base32.encode(ip.subarray(ONION_PREFIX.length)).toLowerCase() + ONION_SUFFIX;
  const groups = Array.from({ length: 8 }, (_, i) => ((ip[2 * i] ?? 0) << 8) | (ip[2 * i + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  if (start === 0 && length === 6) return `::${ip.subarray(12).join('.')}`;
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

/** `1.2.3.4:8555`, `[::1]:8555` or `abcdefghij234567.onion:8555`. */
export function formatEndpoint({ ip, port }: Endpoint): string {
  return isV4(ip) || isOnion(ip) ? `${formatIp(ip)}:${port}` : `[${formatIp(ip)}]:${port}`;
}

/** Host name or numeric address, and port. */
export interface HostPort {
  readonly host: string;
  /** Undefined if the text has none. */
  readonly port: number | undefined;
}

/** `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address. */
export function splitHostPort(text: string): HostPort {
  const colon = text.lastIndexOf(':');
  const bracketed = text.startsWith('[') && text[colon - 1] === ']';
  const severalColons = text.indexOf(':') !== colon;
  const port = /^\+?\d+$/.test(text.slice(colon + 1)) ? Number(text.slice(colon + 1)) : Number.NaN;
  const named = colon > 0 && (bracketed || !severalColons) && port > 0 && port <= 0xffff;
  const host = named ? text.slice(0, colon) : text;
  return { host: host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host, port: named ? port : undefined };
}

/** Parses `ip` or `ip:port`; undefined for host names. */
export function parseEndpoint(text: string, defaultPort: number): Endpoint | undefined {
  const { host, port } = splitHostPort(text);
  const ip = parseIp(host);
  return ip && { ip, port: port ?? defaultPort };
}

/** IP address of a socket. The zone of a link-local address, which names the interface, is left out. */
export function socketIp(address: string | undefined): Ip | undefined {
  return parseIp((address ?? '').replace(/%.*$/, ''));
}

/** Endpoint of the other side of a connection; undefined after it has ended. */
export function remoteEndpoint(socket: {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}): Endpoint | undefined {
  const ip = socketIp(socket.remoteAddress);
  return ip && { ip, port: socket.remotePort ?? 0 };
}
