import type { Metadata } from '@grpc/grpc-js';
import type { CallContext } from '../rpc/handler.js';

/** Metadata key with which a gateway in front of the node names the dialect of its own caller. */
export const DIALECT_KEY = 'x-dfi-dialect';

/** The dialect of the operations document, unless the caller is a gateway that has bound a JSON-RPC request. */
export function dialectOf(metadata: Pick<Metadata, 'get'>): CallContext['dialect'] {
  return metadata.get(DIALECT_KEY)[0] === 'json-rpc' ? 'json-rpc' : 'document';
}
