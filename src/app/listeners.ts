import type { Config, Listener } from '../config/config.js';
import type { Endpoint } from '../gateway/listen.js';
import type { ListenerOptions } from '../gateway/listener-options.js';
import { defaultGatewayOptions } from '../gateway/options.js';
import type { Logger } from '../util/logger.js';
import type { StartParts } from './parts.js';

/** A server on a port of its own. */
interface Server {
  start(): Promise<Endpoint[]>;
  stop(): Promise<void>;
}

/** Options of a server without credentials, with the limits of the gateway. */
export function listenerOptions({ rpc }: Pick<Config, 'rpc'>, { port, bind }: Listener): ListenerOptions {
  return {
    port,
    bind,
    allowIp: rpc.allowIp,
    maxPending: rpc.threads + rpc.workQueue,
    idleTimeoutMs: rpc.idleTimeoutSec * 1000,
    stopGraceMs: defaultGatewayOptions.stopGraceMs,
  };
}

/**
 * Starts a server, which stops first in the shutdown. If its port is in use and no option named it, the node runs without.
 * @param name for the log
 */
export async function startListener(
  { lifecycle }: StartParts,
  log: Logger,
  name: string,
  server: Server,
  { port, optional }: Listener,
): Promise<void> {
  try {
    const endpoints = await server.start();
    lifecycle.onStopFirst(name, () => server.stop());
    log.info(`${name} listening`, { endpoints });
  } catch (error) {
    if (!optional) throw error;
    log.warn('port is in use, running without this server', { server: name, port });
  }
}
