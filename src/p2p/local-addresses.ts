import { networkInterfaces } from 'node:os';
import { formatEndpoint, formatIp, type Ip, isV4, parseIp } from './ip.js';
import { isRoutable } from './reachability.js';
import type { Endpoint } from './wire/net-address.js';

/** How sure we are of an address of ours. */
export const LOCAL_SCORE = { interface: 1, manual: 4 } as const;

export interface LocalAddress extends Endpoint {
  readonly score: number;
}

/** Addresses under which others may reach this node. */
export class LocalAddresses {
  readonly #addresses = new Map<string, { readonly endpoint: Endpoint; score: number }>();

  add(endpoint: Endpoint, score: number): void {
    if (!isRoutable(endpoint.ip)) return;
    const key = formatIp(endpoint.ip);
    const known = this.#addresses.get(key);
    if (!known) this.#addresses.set(key, { endpoint, score });
    else if (score >= known.score) known.score = score + 1;
  }

  /** A peer reached us there. */
  seen(ip: Ip): void {
    const known = this.#addresses.get(formatIp(ip));
    if (known) known.score += 1;
  }

  /** Addresses of the machine's interfaces (-discover). */
  discover(port: number): void {
    for (const each of Object.values(networkInterfaces()).flat()) {
      const ip = each && !each.internal ? parseIp(each.address) : undefined;
      if (ip) this.add({ ip, port }, LOCAL_SCORE.interface);
    }
  }

  list(): readonly LocalAddress[] {
    return [...this.#addresses.values()].map(({ endpoint, score }) => ({ ...endpoint, score }));
  }

  /** The one to tell a peer: of its kind if there is one. */
  bestFor(ip: Ip): LocalAddress | undefined {
    const sameKind = (address: LocalAddress) => Number(isV4(address.ip) === isV4(ip));
    return [...this.list()].sort((a, b) => sameKind(b) - sameKind(a) || b.score - a.score)[0];
  }

  isOurs(endpoint: Endpoint): boolean {
    return this.list().some((each) => formatEndpoint(each) === formatEndpoint(endpoint));
  }
}
