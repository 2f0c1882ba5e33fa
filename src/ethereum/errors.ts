import { TracelessError } from '../util/errors.js';

/** Codes of errors. @see docs/protocol/evm-engine.md 10.1 */
export const EthereumCode = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  custom: -32001,
  reverted: 3,
} as const;

/** Error of a method. */
export class EthereumError extends TracelessError {
  constructor(
    readonly code: number,
    message: string,
    /** Text or hex that some errors carry. */
    readonly data?: string,
  ) {
    super(message);
    this.name = 'EthereumError';
  }
}

/** Error with the prefix that `defid` gives those of its methods. */
export function customError(text: string): EthereumError {
  return new EthereumError(EthereumCode.custom, `Custom error: ${text}`);
}

/** Error of the engine behind a method, which `defid` quotes. */
export function engineError(text: string): EthereumError {
  return customError(`error calling EVM : ${JSON.stringify(text)}`);
}

/** A block that does not exist. */
export function headerNotFound(): EthereumError {
  return customError('header not found');
}

/** Parameters that cannot be read. @param reason text for the developer of the client */
export function invalidParams(reason: string): EthereumError {
  return new EthereumError(EthereumCode.invalidParams, reason);
}
