import type { Metadata } from '@grpc/grpc-js';
import type { CallContext } from '../rpc/handler.js';

/** Metadata key by which a gateway in front of the node says which dialect its own caller speaks. */
export const DIALECT_KEY = 'x-dfi-dialect';

/** gRPC speaks the document's dialect, unless the caller is a gateway that has bound a JSON-RPC request. */
export function dialectOf(metadata: Metadata): CallContext['dialect'] {
  return metadata.get(DIALECT_KEY)[0] === 'json-rpc' ? 'json-rpc' : 'document';
}
