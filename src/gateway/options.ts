import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './connection-limits.js';

/** Options of the operator. @see docs/protocol/rpc-chain.md 1.1, 2.5 */
export interface GatewaySettings {
  /** -rpcport; 0 lets the system choose. */
  readonly port: number;
  /** -rpcbind values: `host`, `host:port`, `[v6]:port`. Ignored without `allowIp`. */
  readonly bind: readonly string[];
  /** -rpcallowip values: an address, address/netmask or address/CIDR. Loopback is always allowed. */
  readonly allowIp: readonly string[];
  /** -rpcallowhost values: host names of requests to accept, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
  /** -rpcallowcors: the origin whose pages may call; empty for none, `*` for all. */
  readonly corsOrigin: string;
  /** -rest: serve the REST paths of `defid`. */
  readonly rest: boolean;
  /** -healthendpoints: serve /livez and /readyz on this port too. */
  readonly healthEndpoints: boolean;
}

/** Options of the operator, and those that the composition root derives. */
export interface GatewayOptions extends GatewaySettings {
  /** Limits of open connections. */
  readonly connections: ConnectionLimits;
  /** -rpcservertimeout: maximum idle time of a connection. */
  readonly idleTimeoutMs: number;
  /** Time in which the client of a stream has to read something; by default half a minute. */
  readonly stallMs?: number;
  /** Interval in which the client of a stream by WebSocket has to answer; by default half a minute. */
  readonly pingMs?: number;
  /** -rpcthreads + -rpcworkqueue: maximum number of requests that wait for asynchronous handlers. */
  readonly maxPending: number;
  /** Outputs of the network have a token id, which binary answers then contain. */
  readonly tokenIds: boolean;
  /** Serve `/wallet/<name>`; off only in a build without wallet. */
  readonly walletPaths: boolean;
  /** Delay of the refusal of wrong credentials, unless too many are delayed already. */
  readonly authDelayMs: number;
  /** Read plain requests without the parser of `node:http`; off to compare with it. */
  readonly plainRequests: boolean;
  /** Version of the node, for the API documents. */
  readonly version: string;
  /** gen/openapi.json; undefined if it is not served. */
  readonly openApiFile: URL | undefined;
  /** Folder of the files of the explorer; undefined if it is not served. */
  readonly explorerFolder: URL | undefined;
  /** Time that `stop` waits for running calls before it answers them with an error. */
  readonly stopGraceMs: number;
}

export const defaultGatewayOptions: GatewayOptions = {
  port: 0,
  bind: [],
  allowIp: [],
  allowHosts: [],
  connections: DEFAULT_CONNECTION_LIMITS,
  idleTimeoutMs: 30_000,
  maxPending: 20,
  corsOrigin: '',
  rest: false,
  tokenIds: true,
  healthEndpoints: true,
  walletPaths: true,
  authDelayMs: 250,
  plainRequests: true,
  version: '0.0.0',
  openApiFile: undefined,
  explorerFolder: undefined,
  stopGraceMs: 20_000,
};

/** Request line and headers together, in bytes. */
export const MAX_HEADER_BYTES = 8192;

/** Body of a JSON-RPC request, in bytes, as in `defid`: the largest block fits as hex. */
export const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** Body of a REST request, in bytes. */
export const MAX_REST_BODY_BYTES = 32 * 1024 * 1024;
