import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

export type SiteRefusal = 'host' | 'origin';

/** Text of a 403, for the operator who has to change the configuration. */
export const siteRefusalText: Readonly<Record<SiteRefusal, string>> = {
  host: 'Host not allowed; see -rpcallowhost',
  origin: 'Origin not allowed; see -rpcallowcors',
};

/**
 * Which web sites may make a browser send requests. A browser that knows the credentials, or that reaches a port without any,
 * sends them for pages of foreign sites too: those name another `Origin`, or another `Host` where their site's name was made to
 * resolve to this machine (DNS rebinding). An IP address as `Host` cannot be such a name.
 */
export class AllowedSites {
  readonly #hosts: ReadonlySet<string>;
  readonly #origin: string;
  /** Allowed last: nearly all requests name the same. */
  #lastHost: string | undefined;

  /**
   * @param hosts names without port, besides localhost and IP addresses
   * @param origin of pages that may call, e.g. `http://127.0.0.1:5000`; `*` for any, empty for none
   */
  constructor(hosts: readonly string[], origin: string) {
    this.#hosts = new Set(['localhost', ...hosts.map(normalised)]);
    this.#origin = origin;
  }

  /** @returns why the request must be refused; undefined if it may go on */
  refusal({ host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>): SiteRefusal | undefined {
    if (origin !== undefined && origin !== this.#origin && this.#origin !== '*') return 'origin';
    return this.allowsHost(host) ? undefined : 'host';
  }

  /** @param host value of the header; HTTP/1.0 has none */
  allowsHost(host: string | undefined): boolean {
    if (host === undefined || host === this.#lastHost) return true;
    const name = nameOf(host);
    if (isIP(name) === 0 && !this.#hosts.has(normalised(name))) return false;
    this.#lastHost = host;
    return true;
  }
}

/** Without port, and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  return bracketed?.[1] ?? host.replace(/:\d*$/, '');
}

function normalised(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
