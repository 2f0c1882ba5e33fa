import type { SocksProxy } from '../addresses/networks.js';
import type { Network } from '../addresses/reachability.js';
import type { Endpoint } from '../wire/net-address.js';

/** -listenonion: a Tor service that leads to this node. */
export interface OnionServiceOptions {
  /** Control port of the Tor daemon. */
  readonly control: Endpoint;
  /** Empty: authenticate by cookie, or not at all. */
  readonly password: string;
}

/** What the peer module is told at start; the parts of the configuration that it needs, by the same names. */
export interface PeersOptions {
  readonly port: number;
  readonly listen: boolean;
  readonly bind: readonly string[];
  readonly whiteBind: readonly string[];
  /** Undefined where the node chooses its peers; otherwise the only nodes it connects to. */
  readonly connect: readonly string[] | undefined;
  readonly addNodes: readonly string[];
  readonly seedNodes: readonly string[];
  readonly dns: boolean;
  readonly dnsSeed: boolean;
  readonly forceDnsSeed: boolean;
  readonly discover: boolean;
  readonly externalIps: readonly string[];
  /** Tell peers of the loopback address, where a test has no other. */
  readonly advertiseLoopback: boolean;
  readonly onlyNets: readonly Network[];
  /** -proxy; undefined for direct connections. */
  readonly proxy: SocksProxy | undefined;
  /** -onion; `none` makes Tor services unreachable; undefined leaves them to `proxy`. */
  readonly onionProxy: SocksProxy | 'none' | undefined;
  /** Undefined makes no Tor service. */
  readonly onionService: OnionServiceOptions | undefined;
  readonly maxConnections: number;
  readonly whitelist: readonly string[];
  readonly whitelistRelay: boolean;
  readonly whitelistForceRelay: boolean;
  readonly connectTimeoutMs: number;
  readonly peerTimeoutSec: number;
  readonly banScore: number;
  readonly banTimeSec: number;
  readonly maxReceiveBytes: number;
  readonly maxSendBytes: number;
  readonly maxUploadBytes: number;
  readonly maxTimeAdjustmentSec: number;
  /** Addresses taken from a peer per second, and at once; undefined leaves it to the network. */
  readonly addressRate: number | undefined;
  readonly addressBurst: number | undefined;
  readonly userAgentComments: readonly string[];
  /** The log names the addresses of peers. */
  readonly logsAddresses: boolean;
  readonly blocksOnly: boolean;
  /** Tell peers why something was refused (BIP61). */
  readonly sendsRejects: boolean;
  /** What this node offers: `localServices`. */
  readonly services: bigint;
  /** Where addresses and bans are kept; undefined keeps none. */
  readonly directory: string | undefined;
}

/** Connections that the node opens by itself (docs/protocol/chain.md 7; Bitcoin 0.18). */
export const MAX_OUTBOUND = 8;
/** Connections of addnode. */
export const MAX_ADDED = 8;
export const MAX_FEELERS = 1;

/** Values of an option table without a word from the operator: for tests and tools. */
export const defaultPeersOptions: PeersOptions = {
  port: 0,
  listen: false,
  bind: [],
  whiteBind: [],
  connect: [],
  addNodes: [],
  seedNodes: [],
  dns: false,
  dnsSeed: false,
  forceDnsSeed: false,
  discover: false,
  externalIps: [],
  advertiseLoopback: false,
  onlyNets: [],
  proxy: undefined,
  onionProxy: undefined,
  onionService: undefined,
  maxConnections: 125,
  whitelist: [],
  whitelistRelay: true,
  whitelistForceRelay: false,
  connectTimeoutMs: 5000,
  peerTimeoutSec: 60,
  banScore: 100,
  banTimeSec: 86_400,
  maxReceiveBytes: 5_000_000,
  maxSendBytes: 1_000_000,
  maxUploadBytes: 0,
  maxTimeAdjustmentSec: 4200,
  addressRate: undefined,
  addressBurst: undefined,
  userAgentComments: [],
  logsAddresses: false,
  blocksOnly: false,
  sendsRejects: false,
  services: 0x409n,
  directory: undefined,
};
