import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { formatIp } from '../addresses/ip.js';
import type { Networks, SocksProxy, Target } from '../addresses/networks.js';
import { handshake, ProxyFailure } from './socks5.js';
import { openSocket } from './tcp.js';

const CREDENTIAL_BYTES = 16;

export interface DialOptions {
  readonly networks: Pick<Networks, 'routeTo'>;
  /** Timeout of the TCP connection to the destination or to its proxy. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Opens a connection to a peer, through the proxy of its network if there is one. Every connection to a peer starts here.
 * @throws {ProxyFailure} if the proxy fails or there is no route to the network
 * @throws {Error} if the destination does not answer in time, or the signal aborts the attempt
 */
export async function dial(target: Target, { networks, timeoutMs, signal }: DialOptions): Promise<Socket> {
  const route = networks.routeTo(target);
  switch (route.via) {
    case 'none':
      throw new ProxyFailure(route.reason, false);
    case 'direct':
      return openSocket(formatIp(route.endpoint.ip), route.endpoint.port, timeoutMs, signal);
    case 'proxy':
      return dialThrough(route.proxy, route.target, timeoutMs, signal);
  }
}

async function dialThrough(proxy: SocksProxy, target: Target, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const { ip, port } = proxy.endpoint;
  const socket = await openSocket(formatIp(ip), port, timeoutMs, signal).catch((error: Error) => {
    throw signal.aborted ? error : new ProxyFailure(`proxy: ${error.message}`, false);
  });
  const host = 'host' in target ? target.host : formatIp(target.ip);
  await handshake(socket, { host, port: target.port }, proxy.randomizesCredentials ? randomCredentials() : undefined, signal);
  return socket;
}

/** Random credentials: Tor does not share a circuit between connections with different credentials. */
function randomCredentials(): { username: string; password: string } {
  return { username: randomBytes(CREDENTIAL_BYTES).toString('hex'), password: randomBytes(CREDENTIAL_BYTES).toString('hex') };
}
