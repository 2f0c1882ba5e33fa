import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './connection-limits.js';

/** What the gateway is told; the composition root fills it from the configuration. docs/protocol/rpc-chain.md 1.1, 2.5 */
export interface GatewayOptions {
  /** -rpcport; 0 lets the system choose. */
  readonly port: number;
  /** -rpcbind values: `host`, `host:port`, `[v6]:port`. Heeded only together with `allowIp`. */
  readonly bind: readonly string[];
  /** -rpcallowip values: an address, address/netmask or address/CIDR. Loopback is always allowed. */
  readonly allowIp: readonly string[];
  /** -rpcallowhost values: names under which the node is reached, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
  /** Open at one time. */
  readonly connections: ConnectionLimits;
  /** -rpcservertimeout: how long a connection may stand idle. */
  readonly idleTimeoutMs: number;
  /** -rpcthreads + -rpcworkqueue: requests that may wait on asynchronous handlers at one time. */
  readonly maxPending: number;
  /** -rpcallowcors: the origin whose pages may call; empty for none, `*` for all. */
  readonly corsOrigin: string;
  /** -rest: serve the reference's own REST paths. */
  readonly rest: boolean;
  /** The network's outputs have a token: so binary answers write it. */
  readonly tokenIds: boolean;
  /** -healthendpoints: serve /livez and /readyz on this port too. */
  readonly healthEndpoints: boolean;
  /** Answer `/wallet/<name>`; off only in a build without wallet. */
  readonly walletPaths: boolean;
  /** Delay before a refusal of wrong credentials, while there are few of them. */
  readonly authDelayMs: number;
  /** Of the node, for the documents. */
  readonly version: string;
  /** How long `stop` waits for running calls before it answers for them. */
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
  version: '0.0.0',
  stopGraceMs: 20_000,
};

/** Request line and headers together, in bytes. */
export const MAX_HEADER_BYTES = 8192;

/** Body of a JSON-RPC request, in bytes, as in `defid`: the largest block fits as hex. */
export const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** Body of a REST request, in bytes. */
export const MAX_REST_BODY_BYTES = 32 * 1024 * 1024;
