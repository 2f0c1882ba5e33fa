import { type ErrorKind, NodeError } from '../util/errors.js';
import { GrpcStatus as G, type GrpcCode, httpOfGrpc } from './grpc-status.js';

/** Codes of one kind of error in each protocol. */
export interface Status {
  /** Code in the `error` member of a JSON-RPC reply (docs/protocol/rpc-chain.md 1.17). */
  readonly jsonRpc: number;
  readonly grpc: GrpcCode;
  /** HTTP status of a single JSON-RPC reply (docs/protocol/rpc-chain.md 1.2). */
  readonly http: number;
  /** HTTP status of a REST reply. */
  readonly rest: number;
  /** `reason` of google.rpc.ErrorInfo, which programs compare. */
  readonly reason: string;
}

/** `domain` of google.rpc.ErrorInfo, which makes our reasons unique. */
export const ERROR_DOMAIN = 'node.dfi';

function row(jsonRpc: number, grpc: GrpcCode, reason: string, http = jsonRpcHttp(jsonRpc)): Status {
  return { jsonRpc, grpc, http, rest: httpOfGrpc(grpc), reason };
}

function jsonRpcHttp(code: number): number {
  return code === -32600 ? 400 : code === -32601 ? 404 : 500;
}

/** The only table from kinds of errors to codes of protocols. A kind without a row does not compile. */
export const statusOf: Readonly<Record<ErrorKind, Status>> = {
  usage: row(-1, G.INVALID_ARGUMENT, 'USAGE'),
  misc: row(-1, G.FAILED_PRECONDITION, 'MISC_ERROR'),
  type: row(-3, G.INVALID_ARGUMENT, 'TYPE_ERROR'),
  'json-type': row(-1, G.INVALID_ARGUMENT, 'TYPE_ERROR'),
  wallet: row(-4, G.FAILED_PRECONDITION, 'WALLET_ERROR'),
  'block-not-found': row(-5, G.NOT_FOUND, 'BLOCK_NOT_FOUND'),
  'transaction-not-found': row(-5, G.NOT_FOUND, 'TRANSACTION_NOT_FOUND'),
  'not-found': row(-5, G.NOT_FOUND, 'NOT_FOUND'),
  'invalid-address': row(-5, G.INVALID_ARGUMENT, 'INVALID_ADDRESS'),
  'insufficient-funds': row(-6, G.FAILED_PRECONDITION, 'INSUFFICIENT_FUNDS'),
  'out-of-memory': row(-7, G.RESOURCE_EXHAUSTED, 'OUT_OF_MEMORY'),
  'invalid-parameter': row(-8, G.INVALID_ARGUMENT, 'INVALID_PARAMETER'),
  'out-of-range': row(-8, G.OUT_OF_RANGE, 'OUT_OF_RANGE'),
  'not-connected': row(-9, G.UNAVAILABLE, 'NOT_CONNECTED'),
  'initial-download': row(-10, G.UNAVAILABLE, 'SYNCING'),
  'keypool-ran-out': row(-12, G.FAILED_PRECONDITION, 'KEYPOOL_EMPTY'),
  'unlock-needed': row(-13, G.FAILED_PRECONDITION, 'UNLOCK_NEEDED'),
  'passphrase-incorrect': row(-14, G.PERMISSION_DENIED, 'PASSPHRASE_INCORRECT'),
  'wallet-wrong-state': row(-15, G.FAILED_PRECONDITION, 'WALLET_WRONG_STATE'),
  'encryption-failed': row(-16, G.INTERNAL, 'ENCRYPTION_FAILED'),
  'already-unlocked': row(-17, G.FAILED_PRECONDITION, 'WALLET_WRONG_STATE'),
  'wallet-not-found': row(-18, G.NOT_FOUND, 'WALLET_NOT_FOUND'),
  'wallet-not-specified': row(-19, G.INVALID_ARGUMENT, 'WALLET_NOT_SPECIFIED'),
  'invalid-label': row(-11, G.INVALID_ARGUMENT, 'INVALID_LABEL'),
  'record-not-found': row(-20, G.NOT_FOUND, 'NOT_FOUND'),
  database: row(-20, G.FAILED_PRECONDITION, 'MISC_ERROR'),
  'data-loss': row(-20, G.DATA_LOSS, 'DATABASE_ERROR'),
  deserialization: row(-22, G.INVALID_ARGUMENT, 'DESERIALIZATION'),
  'node-already-added': row(-23, G.ALREADY_EXISTS, 'PEER_ALREADY_ADDED'),
  'node-not-added': row(-24, G.NOT_FOUND, 'PEER_NOT_ADDED'),
  'node-not-connected': row(-29, G.NOT_FOUND, 'PEER_NOT_CONNECTED'),
  'verify-error': row(-25, G.FAILED_PRECONDITION, 'TX_REJECTED'),
  'verify-rejected': row(-26, G.FAILED_PRECONDITION, 'TX_REJECTED'),
  'block-rejected': row(-25, G.FAILED_PRECONDITION, 'BLOCK_REJECTED'),
  'already-in-chain': row(-27, G.ALREADY_EXISTS, 'ALREADY_IN_CHAIN'),
  warmup: row(-28, G.UNAVAILABLE, 'IN_WARMUP'),
  'invalid-ip': row(-30, G.INVALID_ARGUMENT, 'INVALID_IP'),
  'p2p-disabled': row(-31, G.FAILED_PRECONDITION, 'P2P_DISABLED'),
  'safe-mode': row(-2, G.FAILED_PRECONDITION, 'SAFE_MODE'),
  'method-deprecated': row(-32, G.UNIMPLEMENTED, 'METHOD_DEPRECATED'),
  'method-not-found': row(-32601, G.UNIMPLEMENTED, 'METHOD_NOT_FOUND'),
  // Not -32601: the method exists, and clients interpret that code as a misspelt method or a missing wallet.
  'not-implemented': row(-1, G.UNIMPLEMENTED, 'NOT_IMPLEMENTED'),
  'invalid-request': row(-32600, G.INVALID_ARGUMENT, 'BAD_REQUEST'),
  'invalid-params': row(-32602, G.INVALID_ARGUMENT, 'BAD_REQUEST'),
  'parse-error': row(-32700, G.INVALID_ARGUMENT, 'BAD_REQUEST'),
  internal: row(-32603, G.INTERNAL, 'INTERNAL'),
  unexpected: row(-1, G.INTERNAL, 'INTERNAL'),
  'unknown-token': row(0, G.NOT_FOUND, 'TOKEN_NOT_FOUND'),
  unauthenticated: row(-1, G.UNAUTHENTICATED, 'UNAUTHENTICATED', 401),
  'permission-denied': row(-1, G.PERMISSION_DENIED, 'PERMISSION_DENIED', 403),
  'resource-exhausted': row(-7, G.RESOURCE_EXHAUSTED, 'RESOURCE_EXHAUSTED'),
  overloaded: row(-7, G.UNAVAILABLE, 'OVERLOADED', 503),
  'deadline-exceeded': row(-1, G.DEADLINE_EXCEEDED, 'DEADLINE_EXCEEDED'),
  cancelled: row(-1, G.CANCELLED, 'CANCELLED'),
  unavailable: row(-9, G.UNAVAILABLE, 'UNAVAILABLE'),
};

/**
 * Kinds of errors that follow from the arguments and from what the operation declares to read, so that they can be cached. An error of any
 * other kind may not occur again at the next call.
 */
export const LASTING_ERRORS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'usage',
  'misc',
  'type',
  'json-type',
  'block-not-found',
  'transaction-not-found',
  'not-found',
  'record-not-found',
  'invalid-address',
  'invalid-parameter',
  'invalid-params',
  'invalid-request',
  'out-of-range',
  'deserialization',
  'unknown-token',
]);

/** A wrong or missing argument in the dialect of the operations document; `field` is its path, e.g. `inputs[0].txid`. */
export class InvalidField extends NodeError {
  constructor(
    readonly field: string,
    readonly fault: string,
  ) {
    super('invalid-params', `${field}: ${fault}`);
  }
}

/**
 * Converts any thrown value to an error with a kind. Anything but a `NodeError` is a fault of ours, `unexpected`; JSON-RPC answers with
 * its text, as `defid` does (docs/protocol/rpc-chain.md 1.4).
 */
export function toNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (error instanceof Error) return new NodeError('unexpected', error.message, { cause: error });
  return new NodeError('unexpected', String(error));
}
