import type { CallContext } from '../../src/rpc/handler.js';

/** A call over JSON-RPC by nobody in particular, to no wallet in particular. */
export const jsonRpcCall: CallContext = {
  dialect: 'json-rpc',
  requestId: 'test',
  user: undefined,
  wallet: undefined,
  signal: new AbortController().signal,
};
