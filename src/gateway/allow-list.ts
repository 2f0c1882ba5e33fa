import { parseAddress } from '../util/client-address.js';

/**
 * Client addresses that may connect: loopback, and those of -rpcallowip. Not a `BlockList` of `node:net`, whose subnets are prefixes: like
 * `defid`, this accepts netmasks with gaps.
 * @see docs/protocol/rpc-chain.md 1.1
 */
export class AllowList {
  readonly #subnets: readonly Subnet[];

  /** @throws {Error} with the text for the operator, if a specification is malformed */
  constructor(specifications: readonly string[]) {
    this.#subnets = ['127.0.0.0/8', '::1', ...specifications].map(parseSubnet);
  }

  /** @param address as the socket reports it, e.g. `127.0.0.1`, `::1` or the IPv4-mapped `::ffff:10.0.0.1` */
  allows(address: string | undefined): boolean {
    const bytes = address === undefined ? undefined : parseAddress(address);
    return bytes !== undefined && this.#subnets.some((subnet) => contains(subnet, bytes));
  }
}

/** Network and mask, both 4 or both 16 bytes; the network is masked already. */
interface Subnet {
  readonly network: Uint8Array;
  readonly mask: Uint8Array;
}

function contains({ network, mask }: Subnet, address: Uint8Array): boolean {
  return address.length === network.length && network.every((byte, i) => byte === ((address[i] ?? 0) & (mask[i] ?? 0)));
}

function parseSubnet(specification: string): Subnet {
  const slash = specification.lastIndexOf('/');
  const host = slash < 0 ? specification : specification.slice(0, slash);
  // IPv6 may be in brackets, as in -rpcbind.
  const address = parseAddress(host.replace(/^\[(.*)\]$/, '$1'));
  const mask =
    address && (slash < 0 ? prefixMask(address.length * 8, address.length) : parseMask(specification.slice(slash + 1), address.length));
  if (!address || !mask) {
    throw new Error(
      `Invalid -rpcallowip subnet specification: ${specification}. Valid are a single IP (e.g. 1.2.3.4), ` +
        'a network/netmask (e.g. 1.2.3.4/255.255.255.0) or a network/CIDR (e.g. 1.2.3.4/24).',
    );
  }
  return { network: address.map((byte, i) => byte & (mask[i] ?? 0)), mask };
}

function parseMask(text: string, size: number): Uint8Array | undefined {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= size * 8 ? prefixMask(Number(text), size) : undefined;
  const mask = parseAddress(text);
  return mask?.length === size ? mask : undefined;
}

function prefixMask(bits: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => 0xff & ~(0xff >> Math.min(8, Math.max(0, bits - i * 8))));
}
