import type { ConnectionLimits } from '../connection-limits.js';

/** Options of a server for Ethereum's JSON-RPC. @see docs/protocol/evm-engine.md 10.1 */
export interface EthereumServerOptions {
  /** -ethrpcport or -wsport; 0 lets the system choose. */
  readonly port: number;
  /** -ethrpcbind or -wsbind values: `host`, `host:port`, `[v6]:port`. Ignored without `allowIp`. */
  readonly bind: readonly string[];
  /** Name of the option of `bind`, for warnings. */
  readonly bindOption: string;
  /** Name of the option of `port`, for errors. */
  readonly portOption: string;
  /** -rpcallowip values. Loopback is always allowed. */
  readonly allowIp: readonly string[];
  /** -rpcallowhost values: host names of requests to accept, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
  /** -rpcallowcors: the origin whose pages may call; empty for none, `*` for all. */
  readonly corsOrigin: string;
  /** -ethmaxconnections */
  readonly connections: ConnectionLimits;
  /** -ethmaxresponsesize: maximum length of the answers of a batch together. */
  readonly maxResponseBytes: number;
  /** Maximum number of requests that wait for asynchronous handlers. */
  readonly maxPending: number;
  /** Maximum idle time of an HTTP connection. */
  readonly idleTimeoutMs: number;
  /** Time that `stop` waits for running calls. */
  readonly stopGraceMs: number;
}

/** Body of a request or WebSocket message, in bytes, as in `defid`. */
export const MAX_REQUEST_BYTES = 10 * 1024 * 1024;
