import { networkInterfaces } from 'node:os';
import { compareBytes } from '../../util/bytes.js';
import type { Endpoint } from '../wire/net-address.js';
import { type Resolve, resolveNode } from './dns.js';
import { formatIp, type Ip, parseIp } from './ip.js';
import type { Grant } from './permissions.js';
import { isRoutable, isTeredo, isTunnel, isValidIp, type Network, networkOf } from './reachability.js';

/** Initial scores of our addresses, by origin. */
export const LOCAL_SCORE = { interface: 1, bind: 2, manual: 4 } as const;

export interface LocalAddress extends Endpoint {
  readonly score: number;
}

/** A local address as shown by `getnetworkinfo`. */
export interface ShownAddress {
  readonly address: string;
  readonly port: number;
  readonly score: number;
}

/**
 * Endpoint of -externalip, an address or a host name.
 * @param port used if the text has none
 * @throws {Error} with the text of defid for an invalid address or a name without address
 */
export async function externalEndpoint(text: string, port: number, resolve: Resolve): Promise<Endpoint> {
  const [endpoint] = await resolveNode(text, port, resolve);
  if (!endpoint || !isValidIp(endpoint.ip)) throw new Error(`Cannot resolve -externalip address: '${text}'`);
  return endpoint;
}

/** Addresses at which peers may reach this node. */
export class LocalAddresses {
  readonly #isReachable: (ip: Ip) => boolean;
  readonly #addresses = new Map<string, { endpoint: Endpoint; score: number }>();
  /** Tor service of this node. The name of a v3 service does not fit into an address on the wire. */
  #onion: { readonly host: string; readonly port: number } | undefined;
  #changes = 0;

  /** @param isReachable returns false for networks excluded by -onlynet, whose addresses the operator does not want to disclose */
  constructor(isReachable: (ip: Ip) => boolean = () => true) {
    this.#isReachable = isReachable;
  }

  /** Number of changes so far. While it is the same, so are the addresses that are shown. */
  get changes(): number {
    return this.#changes;
  }

  add(endpoint: Endpoint, score: number): void {
    if (!isRoutable(endpoint.ip) || !this.#isReachable(endpoint.ip)) return;
    this.#changes += 1;
    const key = formatIp(endpoint.ip);
    const known = this.#addresses.get(key);
    if (!known) this.#addresses.set(key, { endpoint, score });
    else if (score >= known.score) {
      known.score = score + 1;
      known.endpoint = endpoint;
    }
  }

  /** Raises the score of an address at which a peer reached this node. */
  seen(ip: Ip): void {
    const known = this.#addresses.get(formatIp(ip));
    if (!known) return;
    known.score += 1;
    this.#changes += 1;
  }

  /**
   * Adds the addresses of the machine's network interfaces and those of -bind (-discover).
   * @param port of the interfaces
   * @param bound addresses that the node listens on; one that grants `noban` is meant for chosen peers and is not advertised
   */
  discover(port: number, bound: readonly (Endpoint & { readonly grant: Grant | undefined })[]): void {
    for (const each of Object.values(networkInterfaces()).flat()) {
      const ip = each && !each.internal ? parseIp(each.address) : undefined;
      if (ip) this.add({ ip, port }, LOCAL_SCORE.interface);
    }
    for (const { grant, ...endpoint } of bound) {
      if (!grant?.named?.has('noban')) this.add(endpoint, LOCAL_SCORE.bind);
    }
  }

  /** Sets the Tor service of this node. A v2 service is advertised to peers; a v3 service is only shown to the operator. */
  setOnion(host: string, port: number): void {
    this.#onion = { host, port };
    this.#changes += 1;
    const ip = parseIp(host);
    if (ip) this.add({ ip, port }, LOCAL_SCORE.manual);
  }

  /** Removes the Tor service after it has ended. */
  clearOnion(): void {
    if (this.#onion) this.#addresses.delete(this.#onion.host);
    this.#onion = undefined;
    this.#changes += 1;
  }

  /** Our addresses in ascending order of their bytes, as `defid` shows and prefers them. */
  list(): readonly LocalAddress[] {
    return [...this.#addresses.values()].map(({ endpoint, score }) => ({ ...endpoint, score })).sort((a, b) => compareBytes(a.ip, b.ip));
  }

  shown(): readonly ShownAddress[] {
    const advertised = this.list().map(({ ip, port, score }) => ({ address: formatIp(ip), port, score }));
    const onion = this.#onion;
    if (!onion || advertised.some(({ address }) => address === onion.host)) return advertised;
    return [...advertised, { address: onion.host, port: onion.port, score: LOCAL_SCORE.manual }];
  }

  /**
   * Address to advertise to a peer: the one that is easiest to reach from its network. A Tor address is never advertised to a peer of
   * another network, nor the reverse, because that would link the two identities. A peer with a local address may have come through Tor.
   */
  bestFor(ip: Ip): LocalAddress | undefined {
    const candidates = this.list().filter((address) => !this.#wouldLink(address.ip, ip));
    return candidates.sort((a, b) => reachFrom(ip, b.ip) - reachFrom(ip, a.ip) || b.score - a.score)[0];
  }

  /** Returns true for every port of our addresses, as defid does. */
  isOurs({ ip }: Endpoint): boolean {
    return this.#addresses.has(formatIp(ip));
  }

  #wouldLink(ours: Ip, theirs: Ip): boolean {
    const network = networkOf(theirs) ?? (this.#onion && 'onion');
    const ourNetwork = networkOf(ours);
    return network !== undefined && network !== ourNetwork && (network === 'onion' || ourNetwork === 'onion');
  }
}

type Kind = Network | 'teredo' | 'tunnel' | 'local';

/** Reachability of an address of this node, by the kind of the peer and the kind of the address; higher is easier. */
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
