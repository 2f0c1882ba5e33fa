import { isIPv4, isIPv6 } from 'node:net';

/** Leading bytes of an IPv6 address that identify a customer: providers assign at least a /64. */
const IPV6_GROUP_BYTES = 8;

interface Address {
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
  readonly group: string;
}

/** Group of texts that are no address. */
const UNKNOWN = 'unknown';

/** The address asked for last: most connections of a node come from the same one. */
let latest: Address | undefined;

/**
 * Key to count the connections of a client: its IPv4 address, or the /64 of its IPv6 address.
 * @param address as the socket reports it; undefined after the end of the connection
 */
export function clientGroup(address: string | undefined): string {
  return address === undefined ? UNKNOWN : addressOf(address).group;
}

/** Parses an IP address. @returns 4 bytes for IPv4, also when mapped into IPv6; 16 for IPv6; undefined for any other text */
export function parseAddress(text: string): Uint8Array | undefined {
  return addressOf(text).bytes;
}

function addressOf(text: string): Address {
  if (latest?.text === text) return latest;
  const bytes = bytesOf(text);
  const group = bytes ? Buffer.from(bytes.subarray(0, IPV6_GROUP_BYTES)).toString('hex') : UNKNOWN;
  latest = { text, bytes, group };
  return latest;
}

function bytesOf(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number);
  if (!isIPv6(text)) return undefined;
  const bytes = parseIPv6(text);
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? bytes.slice(12) : bytes;
}

function parseIPv6(text: string): Uint8Array {
  const [address = ''] = text.split('%');
  const [head = '', tail] = address.split('::');
  const before = groupBytes(head);
  const after = tail === undefined ? [] : groupBytes(tail);
  const gap = new Array<number>(16 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...gap, ...after]);
}

function groupBytes(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
