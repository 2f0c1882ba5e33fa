import type { SocksProxy } from '../addresses/networks.js';
import type { Network } from '../addresses/reachability.js';
import type { Endpoint } from '../wire/net-address.js';

/** -listenonion: a Tor service for inbound connections. */
export interface OnionServiceOptions {
  /** Control port of the Tor daemon. */
  readonly control: Endpoint;
  /** -torpassword; empty to authenticate by cookie or not at all. */
  readonly password: string;
}

/** Options set by the operator. Nodes, addresses and networks are the texts of the options; the module parses and resolves them. */
export interface PeersSettings {
  /** -port: listening port; 0 lets the system choose. */
  readonly port: number;
  readonly listen: boolean;
  readonly bind: readonly string[];
  readonly whiteBind: readonly string[];
  /** -connect: the only nodes to connect to; undefined if the node chooses its peers. */
  readonly connect: readonly string[] | undefined;
  readonly addNodes: readonly string[];
  readonly seedNodes: readonly string[];
  /** -dns: host names may be looked up. */
  readonly dns: boolean;
  readonly dnsSeed: boolean;
  readonly forceDnsSeed: boolean;
  readonly discover: boolean;
  readonly externalIps: readonly string[];
  /** -addrmantest: announce the loopback address, for tests that have no other. */
  readonly advertiseLoopback: boolean;
  /** -onlynet; empty for no restriction. */
  readonly onlyNets: readonly Network[];
  readonly maxConnections: number;
  readonly whitelist: readonly string[];
  readonly whitelistRelay: boolean;
  readonly whitelistForceRelay: boolean;
  readonly connectTimeoutMs: number;
  readonly peerTimeoutSec: number;
  readonly banScore: number;
  readonly banTimeSec: number;
  /** Per peer. */
  readonly maxReceiveBytes: number;
  /** Per peer. */
  readonly maxSendBytes: number;
  /** Per day; 0 for no limit. */
  readonly maxUploadBytes: number;
  readonly maxTimeAdjustmentSec: number;
  /** Addresses accepted from a peer per second; undefined for the default of the network. */
  readonly addressRate: number | undefined;
  /** Addresses accepted from a peer at once; undefined for the default of the network. */
  readonly addressBurst: number | undefined;
  readonly userAgentComments: readonly string[];
  /** -logips: addresses of peers appear in the log. */
  readonly logsAddresses: boolean;
  /** -blocksonly: peers are asked not to send transactions. */
  readonly blocksOnly: boolean;
  /** -enablebip61: send `reject` messages. */
  readonly sendsRejects: boolean;
}

/** Settings of the operator with proxies resolved, and the facts of this node. */
export interface PeersOptions extends PeersSettings {
  /** -proxy; undefined for direct connections. */
  readonly proxy: SocksProxy | undefined;
  /** -onion; `none` makes Tor services unreachable; undefined uses `proxy` for them. */
  readonly onionProxy: SocksProxy | 'none' | undefined;
  /** Undefined if no Tor service is created. */
  readonly onionService: OnionServiceOptions | undefined;
  /** Service bits of this node: `localServices`. */
  readonly services: bigint;
  /** Directory of the address book and the ban list; undefined stores neither. */
  readonly directory: string | undefined;
}

/** Most outbound connections of the node's choice (docs/protocol/chain.md 7; Bitcoin Core 0.18). */
export const MAX_OUTBOUND = 8;
/** Most connections to added nodes. */
export const MAX_ADDED = 8;
/** Most feeler connections at a time. */
export const MAX_FEELERS = 1;
