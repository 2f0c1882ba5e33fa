import { lookup } from 'node:dns/promises';
import type { Endpoint } from '../wire/net-address.js';
import { type Ip, isOnionName, parseIp, splitHostPort } from './ip.js';

/** Addresses of a name; empty if it has none or nobody answers. */
export type Resolve = (host: string) => Promise<readonly Ip[]>;

/** Asks the system, which knows the hosts file too. Names of Tor services are never looked up: the DNS server would learn of them. */
export const systemResolve: Resolve = async (host) => {
  if (isOnionName(host)) return [];
  try {
    const found = await lookup(host, { all: true });
    return found.flatMap(({ address }) => parseIp(address) ?? []);
  } catch {
    return [];
  }
};

/** Numbers only: names have no address (-dns=0). */
export const numericResolve: Resolve = async (host) => {
  const ip = parseIp(host);
  return ip ? [ip] : [];
};

/** Endpoints of `host` or `host:port`. */
export async function resolveNode(node: string, defaultPort: number, resolve: Resolve): Promise<readonly Endpoint[]> {
  const { host, port = defaultPort } = splitHostPort(node);
  const ip = parseIp(host);
  const ips = ip ? [ip] : await resolve(host);
  return ips.map((each) => ({ ip: each, port }));
}
