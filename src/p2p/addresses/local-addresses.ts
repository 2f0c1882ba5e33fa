import { networkInterfaces } from 'node:os';
import type { Endpoint } from '../wire/net-address.js';
import { formatEndpoint, formatIp, type Ip, parseIp } from './ip.js';
import { isRoutable, isTeredo, isTunnel, type Network, networkOf } from './reachability.js';

/** How sure we are of an address of ours. */
export const LOCAL_SCORE = { interface: 1, manual: 4 } as const;

export interface LocalAddress extends Endpoint {
  readonly score: number;
}

/** An address as `getnetworkinfo` shows it. */
export interface ShownAddress {
  readonly address: string;
  readonly port: number;
  readonly score: number;
}

/** Addresses under which others may reach this node. */
export class LocalAddresses {
  readonly #isReachable: (ip: Ip) => boolean;
  readonly #addresses = new Map<string, { readonly endpoint: Endpoint; score: number }>();
  /** The Tor service that leads here; the name of a v3 service fits into no address of the wire. */
  #onion: { readonly host: string; readonly port: number } | undefined;

  /** @param isReachable false for networks that -onlynet leaves out: an address there would give away more than the operator wants */
  constructor(isReachable: (ip: Ip) => boolean = () => true) {
    this.#isReachable = isReachable;
  }

  add(endpoint: Endpoint, score: number): void {
    if (!isRoutable(endpoint.ip) || !this.#isReachable(endpoint.ip)) return;
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

  /** A Tor service leads to this node. A v2 service is told to peers; a v3 service is only shown to the operator. */
  setOnion(host: string, port: number): void {
    this.#onion = { host, port };
    const ip = parseIp(host);
    if (ip) this.add({ ip, port }, LOCAL_SCORE.manual);
  }

  /** The Tor service has ended. */
  clearOnion(): void {
    if (this.#onion) this.#addresses.delete(this.#onion.host);
    this.#onion = undefined;
  }

  list(): readonly LocalAddress[] {
    return [...this.#addresses.values()].map(({ endpoint, score }) => ({ ...endpoint, score }));
  }

  shown(): readonly ShownAddress[] {
    const told = this.list().map(({ ip, port, score }) => ({ address: formatIp(ip), port, score }));
    const onion = this.#onion;
    if (!onion || told.some(({ address }) => address === onion.host)) return told;
    return [...told, { address: onion.host, port: onion.port, score: LOCAL_SCORE.manual }];
  }

  /**
   * The address to tell a peer: the one that is easiest to reach from its network. An address of Tor is never told to a peer of another
   * network, nor the other way round, or the two would be known to be one node. A peer with a local address may have come through Tor.
   */
  bestFor(ip: Ip): LocalAddress | undefined {
    const candidates = this.list().filter((address) => !this.#wouldLink(address.ip, ip));
    return candidates.sort((a, b) => reachFrom(ip, b.ip) - reachFrom(ip, a.ip) || b.score - a.score)[0];
  }

  isOurs(endpoint: Endpoint): boolean {
    return this.list().some((each) => formatEndpoint(each) === formatEndpoint(endpoint));
  }

  #wouldLink(ours: Ip, theirs: Ip): boolean {
    const network = networkOf(theirs) ?? (this.#onion && 'onion');
    const ourNetwork = networkOf(ours);
    return network !== undefined && network !== ourNetwork && (network === 'onion' || ourNetwork === 'onion');
  }
}

type Kind = Network | 'teredo' | 'tunnel' | 'local';

/** How easily an address of this node is reached, by the kind of the peer and the kind of the address; higher is easier. */
const REACH: Readonly<Record<Kind, Readonly<Partial<Record<Kind, number>>>>> = {
  ipv4: { ipv4: 4 },
  ipv6: { teredo: 2, tunnel: 3, ipv4: 4, ipv6: 5 },
  tunnel: { teredo: 2, tunnel: 3, ipv4: 4, ipv6: 5 },
  teredo: { teredo: 2, tunnel: 3, ipv6: 3, ipv4: 4 },
  onion: { ipv4: 4, onion: 6 },
  local: { teredo: 2, tunnel: 3, ipv6: 3, ipv4: 4, onion: 6 },
};
const REACH_OTHER = 1;

function reachFrom(theirs: Ip, ours: Ip): number {
  return REACH[kindOf(theirs)][kindOf(ours)] ?? REACH_OTHER;
}

function kindOf(ip: Ip): Kind {
  if (isTeredo(ip)) return 'teredo';
  return isTunnel(ip) ? 'tunnel' : (networkOf(ip) ?? 'local');
}
