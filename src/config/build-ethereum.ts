import type { EthereumConfig, EthereumListener } from './config.js';
import { ConfigError } from './errors.js';
import type { PortName } from './networks.js';
import type { KeyOf } from './options.js';
import type { Sources } from './sources.js';

const LARGEST_PORT = 65_535;
/** Bytes of a MB of -ethmaxresponsesize, as in `defid`. */
const MEBIBYTE = 2 ** 20;

/** Options of Ethereum's JSON-RPC. @throws {ConfigError} for a wrong port @see docs/protocol/evm-engine.md 10.1 */
export function ethereumConfig(sources: Pick<Sources, 'settings' | 'network'>): EthereumConfig {
  const { settings } = sources;
  return {
    http: listener(sources, 'eth', 'ethrpcport', 'ethrpcbind'),
    webSocket: settings.bool('ethsubscription') ? listener(sources, 'ws', 'wsport', 'wsbind') : undefined,
    maxConnections: Math.max(1, settings.int('ethmaxconnections')),
    maxResponseBytes: Math.max(1, settings.int('ethmaxresponsesize')) * MEBIBYTE,
    debug: settings.bool('ethdebug'),
    debugTrace: settings.bool('ethdebugtrace'),
    maxTraceBytes: Math.max(0, settings.int('ethtracingmaxmemoryusage')),
    priorityFeePercentile: settings.int('evmtxpriorityfeepercentile'),
    estimateErrorRatio: settings.int('evmestimategaserrorratio'),
  };
}

function listener(
  { settings, network }: Pick<Sources, 'settings' | 'network'>,
  name: PortName,
  portKey: KeyOf<'int'>,
  bindKey: KeyOf<'text'>,
): EthereumListener | undefined {
  const isGiven = settings.isSet(portKey);
  const port = isGiven ? settings.int(portKey) : network.ports[name];
  if (port === -1) return undefined;
  if (port < 0 || port > LARGEST_PORT) throw new ConfigError(`Invalid port specified in -${portKey}: '${settings.value(portKey)?.value}'`);
  return { port, bind: settings.list(bindKey), optional: !isGiven };
}
