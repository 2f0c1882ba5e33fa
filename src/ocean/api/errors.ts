/** Types of errors in answers, and the status of each. @see docs/protocol/ocean.md 1.8 */
const STATUS = {
  ValidationError: 422,
  BadRequest: 400,
  NotFound: 404,
  Forbidden: 403,
  UnknownError: 500,
  PayloadTooLarge: 413,
  BadGateway: 503,
} as const;

export type OceanErrorType = keyof typeof STATUS;

/** A field of the request that breaks rules. */
export interface InvalidField {
  readonly property: string;
  /** Value as given; undefined if it is missing. */
  readonly value?: string | number | undefined;
  /** Texts that clients match. */
  readonly constraints: readonly string[];
}

/** Refusal of a request; the client sees type, status and message. */
export class OceanError extends Error {
  /** @param invalid fields of a `ValidationError`, which has no message */
  constructor(
    readonly type: OceanErrorType,
    message?: string,
    readonly invalid?: readonly InvalidField[],
  ) {
    super(message);
    this.name = 'OceanError';
  }

  get status(): number {
    return STATUS[this.type];
  }
}

export function badRequest(message: string): OceanError {
  return new OceanError('BadRequest', message);
}

export function notFound(message: string): OceanError {
  return new OceanError('NotFound', message);
}

/** Refusal of fields of the request. */
export function invalid(...fields: readonly InvalidField[]): OceanError {
  return new OceanError('ValidationError', undefined, fields);
}

/** Error of an operation of the node, as JSON-RPC shows it. */
export class OperationFailed extends Error {
  constructor(
    readonly method: string,
    /** JSON-RPC code, e.g. -5. */
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'OperationFailed';
  }
}
