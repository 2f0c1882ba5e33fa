import type { ConnectionLimits } from '../connection-limits.js';
import type { ListenerOptions } from '../listener-options.js';

/** Options of a server for Ethereum's JSON-RPC. @see docs/protocol/evm-engine.md 10.1 */
export interface EthereumServerOptions extends ListenerOptions {
  /** Name of the option of `bind`, for warnings. */
  readonly bindOption: string;
  /** Name of the option of `port`, for errors. */
  readonly portOption: string;
  /** -rpcallowhost values: host names of requests to accept, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
  /** -rpcallowcors: the origin whose pages may call; empty for none, `*` for all. */
  readonly corsOrigin: string;
  /** -ethmaxconnections */
  readonly connections: ConnectionLimits;
  /** -ethmaxresponsesize: maximum length of the answers of a batch together. */
  readonly maxResponseBytes: number;
}

/** Body of a request or WebSocket message, in bytes, as in `defid`. */
export const MAX_REQUEST_BYTES = 10 * 1024 * 1024;
