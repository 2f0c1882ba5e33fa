/** Options of a server on a port of its own, without credentials. */
export interface ListenerOptions {
  /** Port of all addresses without one; 0 lets the system choose. */
  readonly port: number;
  /** Addresses: `host`, `host:port`, `[v6]:port`. Ignored without `allowIp`. */
  readonly bind: readonly string[];
  /** -rpcallowip values. */
  readonly allowIp: readonly string[];
  /** Maximum number of requests that wait for an answer. */
  readonly maxPending: number;
  /** Maximum idle time of a connection. */
  readonly idleTimeoutMs: number;
  /** Time that `stop` waits for running requests. */
  readonly stopGraceMs: number;
}
