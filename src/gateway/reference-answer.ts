import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';
import type { Body } from './reply.js';

/** What a path answers: the text of JSON, or bytes that go out as they are or as hex. */
export interface Found {
  readonly json?: () => Promise<Body>;
  readonly hex?: (format: 'hex' | 'bin') => Promise<string>;
  /** Formats as the refusal of another one lists them. */
  readonly formats: string;
}

/** A refusal in the reference's words. */
export class RestRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function numberOf(value: JsonValue | undefined): number {
  return value instanceof JsonNumber ? Number(value.text) : Number.NaN;
}

export function asText(value: JsonValue): string {
  if (typeof value !== 'string') throw new TypeError('an operation answered in an unexpected form');
  return value;
}

export function asObject(value: JsonValue): JsonObject {
  if (!(value instanceof JsonObject)) throw new TypeError('an operation answered in an unexpected form');
  return value;
}
