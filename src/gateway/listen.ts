import type { Server } from 'node:net';
import type { GatewayOptions } from './options.js';

/** Address to listen on, without brackets. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** An address that could not be bound. */
export interface BindFailure extends Endpoint {
  readonly error: Error;
}

/** No address could be bound, so the daemon cannot start. The text begins with the sentence of `defid`. */
export class CannotListen extends Error {
  /** @param portOption the option that sets the port, e.g. `-rpcport` */
  constructor(
    readonly failures: readonly BindFailure[],
    portOption: string,
  ) {
    const reasons = failures.map((failure) => reasonOf(failure)).join(', ');
    super(`Unable to start HTTP server. See debug log for details. Cannot bind: ${reasons} (${portOption})`, {
      cause: failures[0]?.error,
    });
    this.name = 'CannotListen';
  }
}

function reasonOf({ host, port, error }: BindFailure): string {
  switch ('code' in error ? error.code : '') {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use`;
    case 'EACCES':
      return `port ${port} of ${host} needs a permission that the process lacks`;
    case 'EADDRNOTAVAIL':
      return `${host} is no address of this machine`;
    default:
      return `port ${port} of ${host}: ${error.message}`;
  }
}

/**
 * Endpoints to listen on: loopback, unless both -rpcbind and -rpcallowip are set. One alone is ignored, so that no mistake in the
 * configuration exposes the port.
 * @param bindOption name of the option with the addresses
 * @returns endpoints in the order of binding, and warnings for the operator
 * @see docs/protocol/rpc-chain.md 1.1
 */
export function endpointsOf(
  options: Pick<GatewayOptions, 'port' | 'bind' | 'allowIp'>,
  bindOption = '-rpcbind',
): { endpoints: Endpoint[]; warnings: string[] } {
  const loopback = [
    { host: '127.0.0.1', port: options.port },
    { host: '::1', port: options.port },
  ];
  if (options.bind.length > 0 && options.allowIp.length > 0) {
    return { endpoints: options.bind.map((bind) => parseEndpoint(bind, options.port)), warnings: [] };
  }
  const warnings: string[] = [];
  if (options.bind.length > 0) warnings.push(`${bindOption} is ignored because -rpcallowip is not given: only loopback is served`);
  if (options.allowIp.length > 0) warnings.push(`-rpcallowip is given without ${bindOption}: only loopback is served`);
  return { endpoints: loopback, warnings };
}

/** Parses `host`, `host:port`, `[v6]:port` or a bare IPv6 address. */
export function parseEndpoint(text: string, defaultPort: number): Endpoint {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text);
  if (!match) return { host: text, port: defaultPort };
  const port = match[3] === undefined ? defaultPort : Number(match[3]);
  return { host: match[1] ?? match[2] ?? '', port };
}

/**
 * Binds a server.
 * @param failed called for each later error of the server: it could not accept a connection, for lack of descriptors or memory
 * @returns the port in use
 * @throws {Error} of the system, e.g. EADDRINUSE
 */
export function listen(server: Server, { host, port }: Endpoint, failed: (error: Error) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
