import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';
import type { Body } from './reply.js';

/** A resource in the formats that it has. */
export interface Resource {
  readonly json?: () => Promise<Body>;
  /** Hex of the bytes; with format `bin` they are sent decoded. */
  readonly hex?: (format: 'hex' | 'bin') => Promise<string>;
  /** Formats as listed in the error about a missing one. */
  readonly formats: string;
  /** Looks the subject up, before a missing format is refused. @throws {RestRefusal} 404 if it does not exist */
  readonly requireSubject?: () => Promise<unknown>;
}

/** Error of the REST interface, with the text of `defid`. */
export class RestRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Number of a JSON value; NaN for other values. */
export function numberOf(value: JsonValue | undefined): number {
  return value instanceof JsonNumber ? Number(value.text) : Number.NaN;
}

/** @throws {TypeError} if the value is not a text */
export function asText(value: JsonValue): string {
  if (typeof value !== 'string') throw new TypeError('an operation answered in an unexpected form');
  return value;
}

/** @throws {TypeError} if the value is not an object */
export function asObject(value: JsonValue): JsonObject {
  if (!(value instanceof JsonObject)) throw new TypeError('an operation answered in an unexpected form');
  return value;
}
