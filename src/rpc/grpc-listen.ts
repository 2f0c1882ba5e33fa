import type { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from '../util/logger.js';

export interface GrpcEndpoints {
  /** Of the addresses that name none; 0 takes any that is free. */
  readonly port: number;
  /** `host`, `host:port`, `[v6]:port`, a bare IPv6 address or `unix:<path>`. */
  readonly bind: readonly string[];
}

/** No address could be bound. */
export class CannotListen extends Error {
  override name = 'CannotListen';

  constructor(readonly causes: readonly Error[]) {
    super(`Unable to bind any endpoint for gRPC: ${causes.map(({ message }) => message).join('; ')}`, { cause: causes[0] });
  }
}

/**
 * Binds what can be bound; one address is enough, since many machines have no IPv6.
 * @returns the port in use
 * @throws {CannotListen} if there is none
 */
export async function bindServer(
  server: Server,
  { port, bind }: GrpcEndpoints,
  credentials: ServerCredentials,
  log: Logger,
): Promise<number> {
  const failures: Error[] = [];
  let bound: number | undefined;
  for (const address of bind) {
    try {
      const used = await bindOne(server, targetOf(address, port === 0 ? (bound ?? 0) : port), credentials);
      bound ??= used;
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)));
      log.warn('cannot bind an address for gRPC', { address, reason: failures.at(-1)?.message });
    }
  }
  if (bound === undefined) throw new CannotListen(failures);
  return bound;
}

function bindOne(server: Server, target: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}

/** Address in the form that the server takes. */
function targetOf(address: string, port: number): string {
  if (address.startsWith('unix:')) return address;
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(address);
  const host = match ? (match[1] ?? match[2] ?? '') : address;
  const ownPort = match?.[3] === undefined ? port : Number(match[3]);
  return host.includes(':') ? `[${host}]:${ownPort}` : `${host}:${ownPort}`;
}
