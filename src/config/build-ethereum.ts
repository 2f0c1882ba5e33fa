import type { EthereumConfig } from './config.js';
import { listener } from './listener.js';
import type { Sources } from './sources.js';

/** Bytes of a MB of -ethmaxresponsesize, as in `defid`. */
const MEBIBYTE = 2 ** 20;

/** Options of Ethereum's JSON-RPC. @throws {ConfigError} for a wrong port @see docs/protocol/evm-engine.md 10.1 */
export function ethereumConfig(sources: Pick<Sources, 'settings' | 'network'>): EthereumConfig {
  const { settings, network } = sources;
  return {
    http: listener(settings, { port: 'ethrpcport', bind: 'ethrpcbind' }, network.ports.eth),
    webSocket: settings.bool('ethsubscription') ? listener(settings, { port: 'wsport', bind: 'wsbind' }, network.ports.ws) : undefined,
    maxConnections: Math.max(1, settings.int('ethmaxconnections')),
    maxResponseBytes: Math.max(1, settings.int('ethmaxresponsesize')) * MEBIBYTE,
    debug: settings.bool('ethdebug'),
    debugTrace: settings.bool('ethdebugtrace'),
    maxTraceBytes: Math.max(0, settings.int('ethtracingmaxmemoryusage')),
    priorityFeePercentile: settings.int('evmtxpriorityfeepercentile'),
    estimateErrorRatio: settings.int('evmestimategaserrorratio'),
  };
}
