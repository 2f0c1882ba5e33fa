import { resolve } from 'node:path';
import type { RoleName } from '../rpc/access.js';
import type { GatewayConfig, GrpcConfig, MetricsConfig, RpcConfig } from './config.js';
import { ConfigError } from './errors.js';
import { DEFAULT_ANSWER_CACHE_MIB } from './interface-options.js';
import type { PortName } from './networks.js';
import type { KeyOf } from './options.js';
import type { Settings } from './settings.js';
import type { Sources } from './sources.js';

type Base = Pick<Sources, 'settings' | 'network'>;

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];
const NEUTRAL = 'rpc-governance-accept-neutral';
const COOKIE_USER = '__cookie__';
const ROLES: readonly RoleName[] = ['read', 'spend', 'admin'];
const LARGEST_PORT = 65_535;

/** Options of JSON-RPC and REST. @throws {ConfigError} for a wrong port, role or serial version */
export function rpcConfig({ settings, network }: Base): RpcConfig {
  return {
    enabled: !settings.isSet('server') || settings.bool('server'),
    port: portOf({ settings, network }, 'rpcport', 'rpc'),
    bind: settings.list('rpcbind'),
    allowIp: settings.list('rpcallowip'),
    allowHosts: settings.list('rpcallowhost'),
    user: settings.text('rpcuser'),
    password: settings.text('rpcpassword'),
    auth: settings.list('rpcauth'),
    roles: userRoles(settings),
    whitelists: settings.list('rpcwhitelist'),
    whitelistDefault: settings.isSet('rpcwhitelistdefault') ? settings.bool('rpcwhitelistdefault') : undefined,
    threads: Math.max(1, settings.int('rpcthreads')),
    workQueue: Math.max(1, settings.int('rpcworkqueue')),
    idleTimeoutSec: settings.int('rpcservertimeout'),
    corsOrigin: settings.text('rpcallowcors'),
    rest: settings.bool('rest'),
    healthEndpoints: settings.bool('healthendpoints'),
    serialVersion: serialVersion(settings),
    strict: settings.bool('rpcstrict'),
    keepsStats: settings.bool('rpcstats'),
    cacheBytes: answerCacheBytes(settings.int('rpccache')),
    deprecated: settings.list('deprecatedrpc'),
    singleKeyTransfers: settings.bool('tdsinglekeycheck'),
    ownAccountsOnly: settings.bool('dvmownerskipcheck'),
    acceptsNeutralVotes: settings.isSet(NEUTRAL) ? settings.bool(NEUTRAL) : undefined,
  };
}

/** Options of the gRPC listener; undefined with -nogrpc. @throws {ConfigError} for a wrong port, role or set of TLS files */
export function grpcConfig(base: Base): GrpcConfig | undefined {
  const { settings } = base;
  if (!settings.bool('grpc')) return undefined;
  const listen = listenConfig(base, 'grpc', 'grpcport', 'grpcbind');
  const tls = tlsFiles(settings, listen.bind);
  const certificateRoles = settings.list('grpccertrole').map((entry) => {
    const { name, role } = parseRole('grpccertrole', entry);
    if (!/^\s*[A-Za-z.0-9]+=/.test(name)) throw new ConfigError(`Invalid -grpccertrole: '${entry}' is no subject such as CN=<name>`);
    return { subject: name, role };
  });
  if (certificateRoles.length > 0 && tls?.clientCaFile === undefined) throw new ConfigError('-grpccertrole needs -grpcclientca.');
  return { ...listen, tls, certificateRoles, allowIp: settings.list('grpcallowip') };
}

/** -rpcauthrole. A mistyped user would remain an administrator, so names without credentials are rejected. */
function userRoles(settings: Settings): RpcConfig['roles'] {
  const users = new Set([COOKIE_USER, settings.text('rpcuser'), ...settings.list('rpcauth').map((entry) => entry.split(':')[0])]);
  return settings.list('rpcauthrole').map((entry) => {
    const { name, role } = parseRole('rpcauthrole', entry);
    if (!users.has(name)) throw new ConfigError(`-rpcauthrole names a user without credentials: '${name}'`);
    return { user: name, role };
  });
}

/** Parses `<name>:<role>`. */
function parseRole(key: 'rpcauthrole' | 'grpccertrole', entry: string): { name: string; role: RoleName } {
  const colon = entry.lastIndexOf(':');
  const role = ROLES.find((each) => each === entry.slice(colon + 1));
  if (colon < 1 || !role)
    throw new ConfigError(`Invalid -${key}: '${entry}' does not end in ${ROLES.map((each) => `:${each}`).join(' or ')}`);
  return { name: entry.slice(0, colon), role };
}

/** Options of the metrics port; undefined with -nometrics. @throws {ConfigError} for a wrong port */
export function metricsConfig(base: Base): MetricsConfig | undefined {
  if (!base.settings.bool('metrics')) return undefined;
  return {
    ...listenConfig(base, 'metrics', 'metricsport', 'metricsbind'),
    allowIp: base.settings.list('metricsallowip'),
    allowHosts: base.settings.list('rpcallowhost'),
  };
}

/** Options of -gateway. @throws {ConfigError} if there is no -upstream */
export function gatewayConfig(settings: Settings): GatewayConfig {
  const upstream = settings.text('upstream') || undefined;
  if (settings.bool('gateway') && upstream === undefined) throw new ConfigError('-gateway needs -upstream=<host:port>.');
  const caFile = fileOf(settings, 'upstreamca');
  const secure = settings.isSet('upstreamtls') ? settings.bool('upstreamtls') : caFile !== undefined;
  return { upstream, tls: secure ? { caFile } : undefined };
}

function listenConfig(
  base: Base,
  name: PortName,
  portKey: KeyOf<'int'>,
  bindKey: KeyOf<'text'>,
): Pick<GrpcConfig, 'port' | 'bind' | 'optional'> {
  // An empty host would stand for all addresses of the machine.
  const given = base.settings.list(bindKey).filter((address) => address !== '');
  return {
    port: portOf(base, portKey, name),
    bind: given.length > 0 ? given : LOOPBACK,
    optional: given.length === 0 && !base.settings.isSet(portKey),
  };
}

function portOf({ settings, network }: Base, key: KeyOf<'int'>, name: PortName): number {
  if (!settings.isSet(key)) return network.ports[name];
  const port = settings.int(key);
  if (port < 0 || port > LARGEST_PORT) throw new ConfigError(`Invalid port specified in -${key}: '${settings.value(key)?.value}'`);
  return port;
}

/** Files of gRPC TLS. Credentials must not cross a network in clear text, so outside loopback TLS is off only with -grpctls=0. */
function tlsFiles(settings: Settings, bind: readonly string[]): GrpcConfig['tls'] {
  const certFile = fileOf(settings, 'grpctlscert');
  const keyFile = fileOf(settings, 'grpctlskey');
  const clientCaFile = fileOf(settings, 'grpcclientca');
  const wanted = settings.isSet('grpctls') ? settings.bool('grpctls') : certFile !== undefined || !bind.every(isLoopback);
  if (!wanted) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new ConfigError('gRPC with TLS needs -grpctlscert and -grpctlskey; -grpctls=0 turns TLS off where the network is trusted.');
  }
  return { certFile, keyFile, clientCaFile };
}

/** True for a loopback address, with or without port. */
function isLoopback(bind: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost)(:\d+)?$|^::1$|^\[::1\](:\d+)?$/.test(bind);
}

function serialVersion(settings: Settings): 0 | 1 {
  const version = settings.int('rpcserialversion');
  if (version < 0) throw new ConfigError('rpcserialversion must be non-negative.');
  if (version > 1) throw new ConfigError('unknown rpcserialversion requested.');
  return version === 0 ? 0 : 1;
}

function fileOf(settings: Settings, key: KeyOf<'text'>): string | undefined {
  const file = settings.text(key);
  return file === '' ? undefined : resolve(file);
}

/** Size of the cache of answers for -rpccache, which `defid` accepts as 0, 1 or 2: off, on, and on for slow operations. */
function answerCacheBytes(mebibytes: number): number {
  const isSwitch = mebibytes === 1 || mebibytes === 2;
  return (isSwitch ? DEFAULT_ANSWER_CACHE_MIB : Math.max(0, mebibytes)) * 2 ** 20;
}
