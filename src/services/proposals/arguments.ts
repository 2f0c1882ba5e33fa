import { rawJson, requestJsonObject } from '../../rpc/bind.js';
import { asInteger, asObject, asString, INT32 } from '../../rpc/scalars.js';
import { NodeError } from '../../util/errors.js';
import { type JsonValue, kindOf } from '../../util/json.js';

/**
 * Arguments of the lists that `defid` accepts by position or as members of one object. By position, a first argument without members that
 * is no text is ignored, and null in place of any other one is a value of the wrong type.
 */

/** True if the fields are members of one object argument. */
export function isOneObject(request: object): boolean {
  return requestJsonObject(request) !== undefined;
}

/** The first argument; undefined if it is missing or ignored. @param value the field's @throws {NodeError} `type` for an array with members */
export function leadingText(request: object, field: string, value: () => string | undefined): string | undefined {
  const json = rawJson(request, field);
  if (json === undefined || typeof json === 'string' || isOneObject(request)) return value();
  if (Array.isArray(json) && json.length > 0) throw new NodeError('type', `Expected type string, got ${kindOf(json)}`);
  return undefined;
}

const READERS = {
  string: asString,
  integer: (json: JsonValue) => asInteger(json, INT32.least, INT32.most),
  object: asObject,
} as const;

/** Refuses null in place of an argument. @throws {NodeError} `json-type` */
export function refuseNull(request: object, field: string, kind: keyof typeof READERS): void {
  if (rawJson(request, field) === null) READERS[kind](null);
}
