import { MAX_USER_AGENT, userAgent } from '../params/protocol.js';
import type { P2pConfig } from './config.js';
import { ConfigError } from './errors.js';
import type { OptionKey } from './options.js';
import type { Settings } from './settings.js';
import type { Sources } from './sources.js';

const KILOBYTE = 1000;
const MIB = 1024 * 1024;
const MAX_PORT = 65_535;

/** Options of the peer module; defaults that depend on other options are resolved. @see docs/protocol/rpc-chain.md 2.5 */
export function p2pConfig({ settings, network }: Pick<Sources, 'settings' | 'network'>): P2pConfig {
  const connect = connectOnly(settings);
  const bound = settings.list('bind').length > 0 || settings.list('whitebind').length > 0;
  // A foreign node could replace the chain of -dev by one of more work.
  const listensByDefault = bound || (connect === undefined && !settings.isSet('proxy') && !network.isDev);
  const listen = settings.isSet('listen') ? settings.bool('listen') : listensByDefault;
  if (bound && !listen) throw new ConfigError('Cannot set -bind or -whitebind together with -listen=0');
  requirePositive('peertimeout', settings.int('peertimeout'));
  const addressRate = settings.isSet('maxaddrratepersecond') ? leadingDecimal(settings.text('maxaddrratepersecond')) : undefined;
  const addressBurst = settings.isSet('maxaddrprocessingtokenbucket') ? settings.int('maxaddrprocessingtokenbucket') : undefined;
  // At 0 all addresses of peers would be dropped.
  requirePositive('maxaddrratepersecond', addressRate);
  requirePositive('maxaddrprocessingtokenbucket', addressBurst);
  const externalIps = settings.list('externalip');
  const nets = onlyNets(settings);
  const onionProxy = onionProxyOf(settings);
  const proxy = proxyOf(settings);
  const onionService = onionServiceOf(settings, listen, network.isDev !== true);
  if (nets.length > 0 && nets.every((net) => net === 'onion') && (onionProxy === 'none' || !(proxy ?? onionProxy ?? onionService))) {
    throw new ConfigError('Outbound connections restricted to Tor (-onlynet=onion) but there is no proxy for it: set -proxy or -onion.');
  }
  const connectTimeoutMs = settings.int('timeout');
  return {
    port: port(settings, network.ports.p2p),
    listen,
    bind: settings.list('bind'),
    whiteBind: settings.list('whitebind'),
    connect,
    addNodes: settings.list('addnode'),
    seedNodes: settings.list('seednode'),
    dns: settings.bool('dns'),
    dnsSeed: dnsSeed(settings, { connect, nets, proxy }),
    forceDnsSeed: settings.bool('forcednsseed'),
    discover: settings.isSet('discover') ? settings.bool('discover') : listen && externalIps.length === 0 && !settings.isSet('proxy'),
    externalIps,
    advertiseLoopback: settings.bool('addrmantest'),
    onlyNets: nets,
    proxy,
    onionProxy,
    randomizesProxyCredentials: settings.bool('proxyrandomize'),
    onionService,
    maxConnections: Math.max(0, settings.int('maxconnections')),
    whitelist: settings.list('whitelist'),
    whitelistRelay: settings.isSet('whitelistrelay') ? settings.bool('whitelistrelay') : !settings.bool('blocksonly'),
    whitelistForceRelay: settings.bool('whitelistforcerelay'),
    connectTimeoutMs: connectTimeoutMs > 0 ? connectTimeoutMs : 5000,
    peerTimeoutSec: settings.int('peertimeout'),
    banScore: settings.int('banscore'),
    banTimeSec: settings.int('bantime'),
    maxReceiveBytes: settings.int('maxreceivebuffer') * KILOBYTE,
    maxSendBytes: settings.int('maxsendbuffer') * KILOBYTE,
    maxUploadBytes: settings.int('maxuploadtarget') * MIB,
    maxTimeAdjustmentSec: Math.max(0, settings.int('maxtimeadjustment')),
    addressRate,
    addressBurst,
    userAgentComments: userAgentComments(settings),
    logsAddresses: settings.bool('logips'),
    maxOrphans: Math.max(0, settings.int('maxorphantx')),
    extraTransactions: Math.max(0, settings.int('blockreconstructionextratxn')),
    blocksOnly: settings.bool('blocksonly'),
    feeFilter: settings.bool('feefilter'),
    bloomFilters: settings.bool('peerbloomfilters'),
    sendsRejects: settings.bool('enablebip61'),
  };
}

/** @throws {ConfigError} with the text of `defid`, which says the same about 0 */
function requirePositive(key: OptionKey, value: number | undefined): void {
  if (value !== undefined && value <= 0) throw new ConfigError(`${key} cannot be configured with a negative value.`);
}

/** The decimal that a text begins with, as `atof` of C parses it; 0 for any other text. */
function leadingDecimal(text: string): number {
  return Number.parseFloat(text) || 0;
}

/** Nodes of -connect; empty for -noconnect or -connect=0; undefined if the node chooses its peers. */
function connectOnly(settings: Settings): readonly string[] | undefined {
  if (settings.isNegated('connect')) return [];
  const nodes = settings.list('connect');
  if (nodes.length === 0) return undefined;
  return nodes.length === 1 && nodes[0] === '0' ? [] : nodes;
}

function port(settings: Settings, usual: number): number {
  if (!settings.isSet('port')) return usual;
  const chosen = settings.int('port');
  if (chosen < 0 || chosen > MAX_PORT) throw new ConfigError(`Invalid port specified in -port: '${settings.int('port')}'`);
  return chosen;
}

function onlyNets(settings: Settings): P2pConfig['onlyNets'] {
  return settings.list('onlynet').map((given) => {
    const name = given.toLowerCase();
    if (name === 'ipv4' || name === 'ipv6' || name === 'onion') return name;
    if (name === 'tor') return 'onion';
    throw new ConfigError(`Unknown network specified in -onlynet: '${given}'`);
  });
}

/** -proxy; an empty text, 0 and -noproxy mean no proxy. */
function proxyOf(settings: Settings): string | undefined {
  const given = settings.text('proxy');
  return given === '' || given === '0' ? undefined : given;
}

/** -onion; without a value Tor services use -proxy, while 0 and -noonion make them unreachable. */
function onionProxyOf(settings: Settings): string | undefined {
  const given = settings.text('onion');
  if (given === '0') return 'none';
  return given === '' ? undefined : given;
}

/**
 * -dnsseed. A query to a DNS seed uses IPv4 or IPv6, so it is disabled by default if -onlynet excludes both; with a proxy, the proxy
 * resolves the seeds.
 * @throws {ConfigError} if -dnsseed is set although -onlynet excludes IPv4 and IPv6
 */
function dnsSeed(
  settings: Settings,
  { connect, nets, proxy }: Pick<P2pConfig, 'connect' | 'proxy'> & { nets: P2pConfig['onlyNets'] },
): boolean {
  const forbidden = proxy === undefined && nets.length > 0 && nets.every((net) => net === 'onion');
  if (!settings.isSet('dnsseed')) return connect === undefined && !forbidden;
  const asked = settings.bool('dnsseed');
  if (asked && forbidden) {
    throw new ConfigError('Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6');
  }
  return asked;
}

/** -listenonion. @param isPublic false for the development network, which no option but this one makes reachable over Tor */
function onionServiceOf(settings: Settings, listen: boolean, isPublic: boolean): P2pConfig['onionService'] {
  const asked = settings.isSet('listenonion') ? settings.bool('listenonion') : listen && isPublic;
  const control = settings.text('torcontrol');
  const password = settings.text('torpassword');
  if (!asked) return undefined;
  if (!listen) throw new ConfigError('Cannot set -listen=0 together with -listenonion=1');
  // The control protocol is line-based: a line break in the password would start another command.
  if (/[\r\n\0]/.test(password)) throw new ConfigError('-torpassword must not contain line breaks.');
  return { control, password };
}

function userAgentComments(settings: Settings): readonly string[] {
  const comments = settings.list('uacomment');
  const unsafe = comments.find((comment) => !/^[A-Za-z0-9 .,;\-_?@]*$/.test(comment));
  if (unsafe !== undefined) throw new ConfigError(`User Agent comment (${unsafe}) contains unsafe characters.`);
  const { length } = userAgent(comments);
  if (length > MAX_USER_AGENT) {
    throw new ConfigError(
      `Total length of network version string (${length}) exceeds maximum length (${MAX_USER_AGENT}). Reduce the number or size of uacomments.`,
    );
  }
  return comments;
}
