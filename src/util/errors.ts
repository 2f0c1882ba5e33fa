/**
 * Kind of an error in terms of the domain. `rpc/errors.ts` maps kinds to JSON-RPC, gRPC and HTTP codes and does not compile if one has no
 * row.
 */
export type ErrorKind =
  | 'usage' // wrong number of arguments; the message is the help text
  | 'misc'
  | 'type'
  | 'json-type' // a value of another JSON type than expected
  | 'wallet'
  | 'block-not-found'
  | 'transaction-not-found'
  | 'not-found'
  | 'invalid-address'
  | 'insufficient-funds'
  | 'out-of-memory'
  | 'invalid-parameter'
  | 'out-of-range'
  | 'not-connected'
  | 'initial-download'
  | 'keypool-ran-out'
  | 'unlock-needed'
  | 'passphrase-incorrect'
  | 'wallet-wrong-state'
  | 'encryption-failed'
  | 'already-unlocked'
  | 'wallet-not-found'
  | 'wallet-not-specified'
  | 'invalid-label'
  | 'record-not-found' // a vault, an oracle or a token that the state does not have
  | 'database' // the state does not allow it: `defid` reports neither kind as a fault of its database, in spite of the code
  | 'data-loss' // a checksum of stored data is wrong
  | 'deserialization'
  | 'node-already-added'
  | 'node-not-added'
  | 'node-not-connected'
  | 'verify-error'
  | 'verify-rejected'
  | 'block-rejected'
  | 'already-in-chain'
  | 'warmup'
  | 'invalid-ip'
  | 'p2p-disabled'
  | 'safe-mode'
  | 'method-deprecated'
  | 'method-not-found'
  | 'not-implemented'
  | 'invalid-request'
  | 'invalid-params'
  | 'parse-error'
  | 'internal'
  | 'unexpected' // a bug: an error that no handler expects
  | 'unknown-token'
  | 'unauthenticated'
  | 'permission-denied'
  | 'resource-exhausted'
  | 'overloaded' // all requests together need too much memory; the same request may succeed later
  | 'deadline-exceeded'
  | 'cancelled'
  | 'unavailable';

/**
 * Base of errors that report bad input or a broken rule. They have no stack trace: it would never be shown, and capturing it takes longer
 * than most of the calls and checks that fail.
 */
export class TracelessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Error that a caller may see: a kind for programs, and a text, that of `defid` where it has the same error. */
export class NodeError extends TracelessError {
  constructor(
    readonly kind: ErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'NodeError';
  }
}

/** Error for an argument whose value is not accepted. */
export function invalidParameter(message: string, options?: ErrorOptions): NodeError {
  return new NodeError('invalid-parameter', message, options);
}

/** Message of a thrown value, for logs and answers. */
export function errorText(error: unknown): string {
  // Attempts to connect to several addresses of a name: the error that combines theirs has no message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorText).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** A text that may contain input of a caller, cut after a number of characters. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  // Does not cut a pair of code units in half.
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}...`;
}
