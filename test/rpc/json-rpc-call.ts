import type { CallContext } from '../../src/rpc/handler.js';

/** JSON-RPC call without a caller and a wallet. */
export const jsonRpcCall: CallContext = {
  dialect: 'json-rpc',
  requestId: 'test',
  user: undefined,
  wallet: undefined,
  signal: new AbortController().signal,
};

/** The same over gRPC or REST. */
export const documentCall: CallContext = { ...jsonRpcCall, dialect: 'document', requestId: '' };
