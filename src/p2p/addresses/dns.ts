import { lookup } from 'node:dns/promises';
import type { Endpoint } from '../wire/net-address.js';
import { type Ip, isOnionName, parseIp, splitHostPort } from './ip.js';

/** Looks up the addresses of a host name; empty if there are none or the lookup fails. */
export type Resolve = (host: string) => Promise<readonly Ip[]>;

/** Resolver of the system, including the hosts file. Names of Tor services are never looked up: DNS servers must not see them. */
export const systemResolve: Resolve = async (host) => {
  if (isOnionName(host)) return [];
  try {
    const found = await lookup(host, { all: true });
    return found.flatMap(({ address }) => parseIp(address) ?? []);
  } catch {
    return [];
  }
};

/** Resolver for numeric addresses only (-dns=0). */
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
