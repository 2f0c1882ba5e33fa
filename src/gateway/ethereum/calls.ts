import type { JsonValue } from '../../util/json.js';
import type { MaybePromise } from '../../util/slicer.js';

/** Error of a call. */
export interface CallError {
  readonly code: number;
  readonly message: string;
  readonly data?: string | undefined;
}

/** Outcome of a call: its result as JSON text, or an error. */
export type CallOutcome = { readonly result: string } | { readonly error: CallError };

/** Parameters of a call as the client sent them. */
export interface CallParams {
  /** Undefined for none. */
  readonly value: JsonValue | undefined;
  /** Source text of the value, without white space around it; empty for none, and in long bodies. */
  text(): string;
}

/** Methods of Ethereum's JSON-RPC. */
export interface EthereumCalls {
  /**
   * Runs a method. The promise never rejects.
   * @param call its signal is aborted when the client disconnects
   */
  call(method: string, params: CallParams, call: { readonly signal: AbortSignal }): MaybePromise<CallOutcome>;
}

/** Calls of one connection that can receive notifications. */
export interface EthereumSession extends EthereumCalls {
  /** Ends all subscriptions of the connection. */
  close(): void;
}

/** Calls without connection, and sessions of connections. */
export interface EthereumService extends EthereumCalls {
  /** @param notify sends a text to the client */
  open(notify: (text: string) => void): EthereumSession;
}
