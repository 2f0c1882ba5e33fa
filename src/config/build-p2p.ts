import { MAX_USER_AGENT, userAgent } from '../params/protocol.js';
import type { P2pConfig } from './config.js';
import { ConfigError } from './errors.js';
import type { Settings } from './settings.js';
import type { Sources } from './sources.js';

const KILOBYTE = 1000;
const MIB = 1024 * 1024;
const MAX_PORT = 65_535;

/** Options of the peer module, with those that follow from others settled. spec: rpc-chain 2.5 */
export function p2pConfig({ settings, network }: Pick<Sources, 'settings' | 'network'>): P2pConfig {
  const connect = connectOnly(settings);
  const bound = settings.list('bind').length > 0 || settings.list('whitebind').length > 0;
  const listen = settings.isSet('listen') ? settings.bool('listen') : bound || (connect === undefined && !settings.isSet('proxy'));
  if (bound && !listen) throw new ConfigError('Cannot set -bind or -whitebind together with -listen=0');
  if (settings.int('peertimeout') <= 0) throw new ConfigError('peertimeout cannot be configured with a negative value.');
  const externalIps = settings.list('externalip');
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
    dnsSeed: settings.isSet('dnsseed') ? settings.bool('dnsseed') : connect === undefined,
    forceDnsSeed: settings.bool('forcednsseed'),
    discover: settings.isSet('discover') ? settings.bool('discover') : listen && externalIps.length === 0 && !settings.isSet('proxy'),
    externalIps,
    advertiseLoopback: settings.bool('addrmantest'),
    onlyNets: onlyNets(settings),
    maxConnections: Math.max(0, settings.int('maxconnections')),
    whitelist: settings.list('whitelist'),
    whitelistRelay: settings.bool('whitelistrelay'),
    whitelistForceRelay: settings.bool('whitelistforcerelay'),
    connectTimeoutMs: connectTimeoutMs > 0 ? connectTimeoutMs : 5000,
    peerTimeoutSec: settings.int('peertimeout'),
    banScore: settings.int('banscore'),
    banTimeSec: settings.int('bantime'),
    maxReceiveBytes: settings.int('maxreceivebuffer') * KILOBYTE,
    maxSendBytes: settings.int('maxsendbuffer') * KILOBYTE,
    maxUploadBytes: settings.int('maxuploadtarget') * MIB,
    maxTimeAdjustmentSec: Math.max(0, settings.int('maxtimeadjustment')),
    addressRate: settings.isSet('maxaddrratepersecond')
      ? Math.max(0, Number.parseFloat(settings.text('maxaddrratepersecond')) || 0)
      : undefined,
    addressBurst: settings.isSet('maxaddrprocessingtokenbucket') ? Math.max(0, settings.int('maxaddrprocessingtokenbucket')) : undefined,
    userAgentComments: userAgentComments(settings),
    blocksOnly: settings.bool('blocksonly'),
    feeFilter: settings.bool('feefilter'),
    bloomFilters: settings.bool('peerbloomfilters'),
    sendsRejects: settings.bool('enablebip61'),
  };
}

/** Nodes of -connect; none for -noconnect or -connect=0; undefined where the node chooses peers by itself. */
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
  const nets = settings.list('onlynet').map((name) => name.toLowerCase());
  const unknown = nets.find((name) => !['ipv4', 'ipv6', 'onion', 'tor'].includes(name));
  if (unknown !== undefined) throw new ConfigError(`Unknown network specified in -onlynet: '${unknown}'`);
  return nets;
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
