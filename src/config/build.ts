import { isAbsolute, join, resolve } from 'node:path';
import { isEveryCategory, LOG_CATEGORIES, LOG_MODULES } from '../util/log-categories.js';
import { type LogLevel, parseLogLevel } from '../util/logger.js';
import { chainConfig, mempoolConfig, mintingConfig, networkOptions } from './build-chain.js';
import { devConfig } from './build-dev.js';
import { ethereumConfig } from './build-ethereum.js';
import { eventsConfig } from './build-events.js';
import { oceanConfig } from './build-ocean.js';
import { p2pConfig } from './build-p2p.js';
import { gatewayConfig, grpcConfig, metricsConfig, rpcConfig } from './build-rpc.js';
import { walletConfig } from './build-wallet.js';
import { checkWalletFees } from './build-wallet-fees.js';
import { zmqNotifiers } from './build-zmq.js';
import type { Config, LogConfig, PathConfig } from './config.js';
import { ConfigError } from './errors.js';
import type { Settings } from './settings.js';
import { isDirectory, type Sources } from './sources.js';

/**
 * Builds the options of each module from the settings, and checks them.
 * @param onWarning called with each warning, before later options are checked
 * @returns the frozen configuration, and warnings for the operator in addition to those of the sources
 * @throws {ConfigError} with the text of `defid`
 * @see docs/protocol/rpc-chain.md 2.1, 2.5; docs/protocol/chain.md 1.3
 */
export function buildConfig(
  sources: Sources,
  onWarning: (text: string) => void = () => {},
): { config: Config; warnings: readonly string[] } {
  const { settings, network } = sources;
  const [misplaced] = settings.misplaced();
  if (misplaced !== undefined) {
    throw new ConfigError(`Config setting for -${misplaced} only applied on ${network.name} network when in [${network.section}] section.`);
  }
  for (const text of sources.warnings) onWarning(text);
  const { log, warnings } = logConfig(settings);
  for (const text of warnings) onWarning(text);
  const config: Config = {
    mode: settings.bool('gateway') ? 'gateway' : 'node',
    network: networkOptions(sources),
    paths: pathConfig(sources),
    chain: chainConfig(sources),
    events: eventsConfig(settings),
    zmqNotifiers: zmqNotifiers(settings),
    log,
    p2p: p2pConfig(sources),
    mempool: mempoolConfig(sources),
    minting: mintingConfig(sources),
    bitcoin: { follow: settings.bool('spv') },
    dev: devConfig(sources),
    rpc: rpcConfig(sources),
    grpc: grpcConfig(sources),
    metrics: metricsConfig(sources),
    ethereum: ethereumConfig(sources),
    ocean: oceanConfig(settings),
    gateway: gatewayConfig(settings),
    wallet: walletConfig(settings),
  };
  const { wallet, mempool } = config;
  const feeWarnings = wallet.enabled && config.mode === 'node' ? checkWalletFees(settings, wallet, mempool.minRelayFeeRate) : [];
  for (const text of feeWarnings) onWarning(text);
  return { config: deepFreeze(config), warnings: [...warnings, ...feeWarnings] };
}

function pathConfig({ settings, network, dataDir, dataDirIsDefault }: Sources): PathConfig {
  const networkDir = join(dataDir, network.directory);
  const inNetworkDir = (path: string) => (isAbsolute(path) ? path : join(networkDir, path));
  return {
    dataDir,
    dataDirIsDefault,
    networkDir,
    blocksDir: blocksDir(settings, networkDir, network.directory),
    pidFile: inNetworkDir(settings.text('pid')),
    cookieFile: inNetworkDir(settings.text('rpccookiefile')),
    logFile: settings.isNegated('debuglogfile') ? undefined : inNetworkDir(settings.text('debuglogfile')),
  };
}

function blocksDir(settings: Settings, networkDir: string, directory: string): string {
  if (!settings.isSet('blocksdir')) return join(networkDir, 'blocks');
  const given = settings.text('blocksdir');
  if (!isDirectory(resolve(given))) throw new ConfigError(`Specified blocks directory "${given}" does not exist.`);
  return join(resolve(given), directory, 'blocks');
}

function logConfig(settings: Settings): { log: LogConfig; warnings: readonly string[] } {
  const asked = settings.list('debug');
  const wanted = asked.some((name) => name === '0' || name === 'none') ? [] : asked;
  const excluded = settings.list('debugexclude');
  const daemon = settings.bool('daemon') || settings.bool('daemonwait');
  const log: LogConfig = {
    console: settings.isSet('printtoconsole') ? settings.bool('printtoconsole') : !daemon,
    shrinkFile: settings.isSet('shrinkdebugfile') ? settings.bool('shrinkdebugfile') : wanted.length === 0,
    microseconds: settings.bool('logtimemicros'),
    categories: wanted.filter(isCategory).map((name) => (isEveryCategory(name) ? 'all' : name)),
    excludedCategories: excluded.filter(isCategory),
    levels: Object.fromEntries(settings.list('loglevel').map(moduleLevel)),
  };
  const unsupported = (key: string, names: readonly string[]) =>
    names.filter((name) => !isCategory(name)).map((name) => `Unsupported logging category -${key}=${name}.`);
  return { log, warnings: [...unsupported('debug', wanted), ...unsupported('debugexclude', excluded)] };
}

function isCategory(name: string): boolean {
  return isEveryCategory(name) || Object.hasOwn(LOG_CATEGORIES, name);
}

/** Parses `rpc:debug`, or a level alone for all modules. @throws {ConfigError} for an unknown level or module */
function moduleLevel(text: string): [string, LogLevel] {
  const colon = text.indexOf(':');
  const level = parseLogLevel(text.slice(colon + 1));
  if (level === undefined) throw new ConfigError(`Unknown level in -loglevel=${text}: use debug, info, warn or error.`);
  if (colon < 0) return ['', level];
  const module = text.slice(0, colon);
  if (!LOG_MODULES.some((each) => each === module)) {
    throw new ConfigError(`Unknown module in -loglevel=${text}. Known: ${LOG_MODULES.join(', ')}.`);
  }
  return [module, level];
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !ArrayBuffer.isView(member)) deepFreeze(member as object);
  }
  return Object.freeze(value);
}
