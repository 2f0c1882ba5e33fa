import type { Endpoint } from '../wire/net-address.js';
import { isOnionName } from './ip.js';
import { isValidIp, type Network, networkOf } from './reachability.js';

/** A SOCKS5 proxy. */
export interface SocksProxy {
  readonly endpoint: Endpoint;
  /** -proxyrandomize: new credentials for every connection, so that Tor uses a separate circuit for each. */
  readonly randomizesCredentials: boolean;
}

/** A host name that the proxy resolves. */
export interface NamedTarget {
  readonly host: string;
  readonly port: number;
}

export type Target = Endpoint | NamedTarget;

/** Route of an outbound connection. */
export type Route =
  | { readonly via: 'direct'; readonly endpoint: Endpoint }
  | { readonly via: 'proxy'; readonly proxy: SocksProxy; readonly target: Target }
  | { readonly via: 'none'; readonly reason: string };

export interface NetworksOptions {
  /** -proxy: for all networks and host names. */
  readonly proxy: SocksProxy | undefined;
  /** -onion: for Tor services, instead of `proxy`; `none` (-noonion) makes them unreachable. */
  readonly onionProxy: SocksProxy | 'none' | undefined;
  /** -onlynet; empty for all networks. */
  readonly onlyNets: readonly Network[];
}

/**
 * Networks and their proxies. Only `routeTo` decides whether a connection is direct or uses a proxy; a network with a proxy is never
 * reached directly.
 */
export class Networks {
  readonly #proxy: SocksProxy | undefined;
  readonly #onlyNets: readonly Network[];
  readonly #isOnionChosen: boolean;
  #onionProxy: SocksProxy | undefined;

  constructor({ proxy, onionProxy, onlyNets }: NetworksOptions) {
    this.#proxy = proxy;
    this.#onlyNets = onlyNets;
    this.#isOnionChosen = onionProxy !== undefined;
    this.#onionProxy = onionProxy === 'none' ? undefined : (onionProxy ?? proxy);
  }

  /** Proxy of a network; undefined for direct connections. */
  proxyOf(network: Network): SocksProxy | undefined {
    return network === 'onion' ? this.#onionProxy : this.#proxy;
  }

  /** True if the proxy resolves host names. This node then makes no DNS queries. */
  get resolvesByProxy(): boolean {
    return this.#proxy !== undefined;
  }

  /** Returns true if automatic connections to the network are permitted (-onlynet) and possible; manual connections are not restricted. */
  reaches(network: Network): boolean {
    if (network === 'onion' && !this.#onionProxy) return false;
    return this.#onlyNets.length === 0 || this.#onlyNets.includes(network);
  }

  /** Returns the same for an address; addresses that are not routable are not restricted. */
  isReachable(ip: Uint8Array): boolean {
    const network = networkOf(ip);
    return network === undefined || this.reaches(network);
  }

  /** Returns true if connections to the address use a proxy, so that the peer does not see our address. */
  hasProxy(ip: Uint8Array): boolean {
    const network = networkOf(ip);
    return network !== undefined && this.proxyOf(network) !== undefined;
  }

  /** Returns true for the address of a proxy, which is not that of a peer. */
  isProxy(ip: Uint8Array): boolean {
    return [this.#proxy, this.#onionProxy].some((proxy) => proxy !== undefined && Buffer.compare(proxy.endpoint.ip, ip) === 0);
  }

  /** Offers the proxy of a running Tor daemon. It is used for Tor services, before that of -proxy, unless -onion is set. */
  offerOnionProxy(proxy: SocksProxy): void {
    if (!this.#isOnionChosen) this.#onionProxy = proxy;
  }

  routeTo(target: Target): Route {
    const proxy = this.#proxyFor(target);
    if (proxy) return { via: 'proxy', proxy, target };
    const onion = 'host' in target ? isOnionName(target.host) : networkOf(target.ip) === 'onion';
    if (onion) return { via: 'none', reason: 'no proxy for Tor services' };
    if ('host' in target) return { via: 'none', reason: 'no proxy for host names' };
    if (!isValidIp(target.ip)) return { via: 'none', reason: 'not a valid address' };
    return { via: 'direct', endpoint: target };
  }

  #proxyFor(target: Target): SocksProxy | undefined {
    if ('host' in target) return isOnionName(target.host) ? this.#onionProxy : this.#proxy;
    const network = networkOf(target.ip);
    return network === undefined ? undefined : this.proxyOf(network);
  }
}
