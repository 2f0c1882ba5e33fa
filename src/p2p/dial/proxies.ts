import { type Resolve, resolveNode } from '../addresses/dns.js';
import { isOnion } from '../addresses/ip.js';
import type { NetworksOptions, SocksProxy } from '../addresses/networks.js';
import { isValidIp } from '../addresses/reachability.js';
import type { Endpoint } from '../wire/net-address.js';

const DEFAULT_PORT = 9050;
const DEFAULT_CONTROL_PORT = 9051;

/** -proxy, -onion and -proxyrandomize as the operator wrote them. */
export interface ProxySettings {
  /** `host` or `host:port`. */
  readonly proxy: string | undefined;
  /** `host` or `host:port`; `none` for -noonion. */
  readonly onionProxy: string | undefined;
  readonly randomizesProxyCredentials: boolean;
}

/**
 * Resolves the proxies of the settings. If there is a proxy, no host names but those of proxies, -torcontrol and -externalip are looked up in DNS.
 * @throws {Error} with the text of defid for an invalid address or a name without address
 */
export async function resolveProxies(
  { proxy, onionProxy, randomizesProxyCredentials }: ProxySettings,
  resolve: Resolve,
): Promise<Pick<NetworksOptions, 'proxy' | 'onionProxy'>> {
  const open = (option: string, text: string) => resolveProxy(option, text, randomizesProxyCredentials, resolve);
  return {
    proxy: proxy === undefined ? undefined : await open('proxy', proxy),
    onionProxy: onionProxy === undefined || onionProxy === 'none' ? onionProxy : await open('onion', onionProxy),
  };
}

/** Resolves -torcontrol. @throws {Error} for an invalid address or a name without address */
export function resolveTorControl(text: string, resolve: Resolve): Promise<Endpoint> {
  return resolveOption('torcontrol', text, DEFAULT_CONTROL_PORT, resolve);
}

async function resolveProxy(option: string, text: string, randomizesCredentials: boolean, resolve: Resolve): Promise<SocksProxy> {
  return { endpoint: await resolveOption(option, text, DEFAULT_PORT, resolve), randomizesCredentials };
}

async function resolveOption(option: string, text: string, defaultPort: number, resolve: Resolve): Promise<Endpoint> {
  const [endpoint] = await resolveNode(text, defaultPort, resolve);
  if (!endpoint || !isValidIp(endpoint.ip) || isOnion(endpoint.ip)) throw new Error(`Invalid -${option} address or hostname: '${text}'`);
  return endpoint;
}
