import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Header for which a request is refused. */
export type SiteRefusal = 'host' | 'origin';

/** Text of a 403, for the operator who has to change the configuration. */
export const siteRefusalText: Readonly<Record<SiteRefusal, string>> = {
  host: 'Host not allowed; see -rpcallowhost',
  origin: 'Origin not allowed; see -rpcallowcors',
};

/**
 * Web sites whose pages may send requests. A browser that knows the credentials, or that reaches a port without credentials, sends
 * requests of foreign pages too. They have another `Origin`, or another `Host` if the name of their site was made to resolve to this
 * machine (DNS rebinding). An IP address as `Host` cannot be such a name.
 */
export class AllowedSites {
  readonly #hosts: ReadonlySet<string>;
  readonly #origin: string;
  /** Host of the last allowed request; nearly all requests have the same. */
  #lastHost: string | undefined;

  /**
   * @param hosts names without port to allow besides localhost and IP addresses
   * @param origin origin whose pages may call, e.g. `http://127.0.0.1:5000`; `*` for any, empty for none
   */
  constructor(hosts: readonly string[], origin: string) {
    this.#hosts = new Set(['localhost', ...hosts.map(normalised)]);
    this.#origin = origin;
  }

  /** @returns the header for which the request must be refused; undefined if it is allowed */
  refusal({ host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>): SiteRefusal | undefined {
    const isForeign = origin !== undefined && origin !== this.#origin && this.#origin !== '*' && !isOwn(origin, host);
    if (isForeign) return 'origin';
    return this.allowsHost(host) ? undefined : 'host';
  }

  /** @param host value of the header; requests may come without one, unlike those of browsers */
  allowsHost(host: string | undefined): boolean {
    if (host === undefined || host === this.#lastHost) return true;
    const name = nameOf(host);
    if (isIP(name) === 0 && !this.#hosts.has(normalised(name))) return false;
    this.#lastHost = host;
    return true;
  }
}

/** True for a page of this node itself, such as the explorer; the name in `host` is checked all the same. */
function isOwn(origin: string, host: string | undefined): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Host without port, and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  return bracketed?.[1] ?? host.replace(/:\d*$/, '');
}

function normalised(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
