import type { Endpoint } from '../wire/net-address.js';
import { isOnionName } from './ip.js';
import { isValidIp, type Network, networkOf } from './reachability.js';

/** A SOCKS5 proxy. */
export interface SocksProxy {
  readonly endpoint: Endpoint;
  /** New credentials for every connection, so that Tor gives each one a circuit of its own (-proxyrandomize). */
  readonly randomizesCredentials: boolean;
}

/** A destination that only a proxy can resolve. */
export interface NamedTarget {
  readonly host: string;
  readonly port: number;
}

export type Target = Endpoint | NamedTarget;

/** The way a connection leaves this node. */
export type Route =
  | { readonly via: 'direct'; readonly endpoint: Endpoint }
  | { readonly via: 'proxy'; readonly proxy: SocksProxy; readonly target: Target }
  | { readonly via: 'none'; readonly reason: string };

export interface NetworksOptions {
  /** -proxy: for every network and every name. */
  readonly proxy: SocksProxy | undefined;
  /** -onion: instead of `proxy` for Tor services; `none` (-noonion) makes them unreachable. */
  readonly onionProxy: SocksProxy | 'none' | undefined;
  /** -onlynet; empty allows every network. */
  readonly onlyNets: readonly Network[];
}

/**
 * Networks and their proxies. `routeTo` is the only place that decides whether a connection leaves directly: where a network has a proxy,
 * there is no other way.
 */
export class Networks {
  readonly #proxy: SocksProxy | undefined;
  readonly #onlyNets: readonly Network[];
  readonly #onionDisabled: boolean;
  #onionProxy: SocksProxy | undefined;

  constructor({ proxy, onionProxy, onlyNets }: NetworksOptions) {
    this.#proxy = proxy;
    this.#onlyNets = onlyNets;
    this.#onionDisabled = onionProxy === 'none';
    this.#onionProxy = onionProxy === 'none' ? undefined : (onionProxy ?? proxy);
  }

  /** The proxy of a network; undefined for direct connections. */
  proxyOf(network: Network): SocksProxy | undefined {
    return network === 'onion' ? this.#onionProxy : this.#proxy;
  }

  /** True if host names go to the proxy as they are: then this node asks no DNS server. */
  get resolvesByProxy(): boolean {
    return this.#proxy !== undefined;
  }

  /** True if the node may connect to the network by its own choice (-onlynet); connections of the operator are not limited. */
  reaches(network: Network): boolean {
    if (network === 'onion' && !this.#onionProxy) return false;
    return this.#onlyNets.length === 0 || this.#onlyNets.includes(network);
  }

  /** The same for an address; addresses that are not routable are never limited. */
  isReachable(ip: Uint8Array): boolean {
    const network = networkOf(ip);
    return network === undefined || this.reaches(network);
  }

  /** True if connections to the address leave through a proxy: the peer there sees the address of its exit, not ours. */
  hasProxy(ip: Uint8Array): boolean {
    const network = networkOf(ip);
    return network !== undefined && this.proxyOf(network) !== undefined;
  }

  /** True for the address of a proxy: what this node sees behind it are not addresses of peers. */
  isProxy(ip: Uint8Array): boolean {
    return [this.#proxy, this.#onionProxy].some((proxy) => proxy !== undefined && Buffer.compare(proxy.endpoint.ip, ip) === 0);
  }

  /** A running Tor daemon was found: its proxy serves Tor services if the operator named none and did not forbid them. */
  offerOnionProxy(proxy: SocksProxy): void {
    if (!this.#onionDisabled) this.#onionProxy ??= proxy;
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
