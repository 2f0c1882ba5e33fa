import { rawJson, requestJsonObject } from '../../rpc/bind.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { type JsonKind, JsonObject, kindOf } from '../../util/json.js';

/**
 * Refuses null in place of arguments. `defid` counts the arguments of some operations and reads those that are present, so null
 * is a value of the wrong type and does not mean "missing".
 * @param fields JSON types of the request's fields, for the error text
 * @throws {NodeError} `json-type`
 */
export function refuseNull(request: object, fields: Readonly<Record<string, 'boolean' | 'integer'>> = {}): void {
  if (requestJsonObject(request) === null) throw new NodeError('json-type', 'JSON value is not an object as expected');
  for (const [field, type] of Object.entries(fields)) {
    if (rawJson(request, field) === null)
      throw new NodeError('json-type', `JSON value is not ${type === 'integer' ? 'an' : 'a'} ${type} as expected`);
  }
}

/**
 * True if an argument is present and not null; a list from another transport also must not be empty, as it cannot be missing there.
 * Over JSON-RPC the type is not checked, so that callers can check it later.
 */
export function isGiven<Request extends object>(request: Request, field: keyof Request & string): boolean {
  const json = rawJson(request, field);
  if (json !== undefined) return json !== null;
  const value = request[field];
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/**
 * Boolean member of an object argument in which `defid` reads any value but true as false, whatever its type.
 * @param value the member as other transports send it
 * @returns undefined if it is missing or null
 */
export function lenientFlag(message: object, field: string, value: () => boolean | undefined): boolean | undefined {
  const json = rawJson(message, field);
  if (json === undefined) return value();
  return json === null ? undefined : json === true;
}

/**
 * Checks the members of an operation's object argument before any is used; a null member counts as missing.
 * @throws {NodeError} `type` for a member of another type, then for one with an unknown name; `json-type` if the argument itself
 * is null
 * @see docs/protocol/rpc-chain.md 1.8
 */
export function requireOptions(request: object, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  refuseNull(request);
  const given = requestJsonObject(request);
  if (!(given instanceof JsonObject)) return;
  checkMembers(given, kinds);
}

/**
 * Checks that the members of an object have the given kinds or are null, and that there are no others.
 * @throws {NodeError} `type`
 */
export function checkMembers(given: JsonObject, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  for (const [name, kind] of Object.entries(kinds)) {
    const have = kindOf(given.get(name) ?? null);
    if (kind !== 'any' && have !== 'null' && have !== kind) throw new NodeError('type', `Expected type ${kind} for ${name}, got ${have}`);
  }
  for (const [name] of given.entries) if (!(name in kinds)) throw new NodeError('type', `Unexpected key ${name}`);
}

/**
 * Member of an object argument.
 * @param failure end of the error text, after the member's name
 * @throws {NodeError} `invalid-parameter` if it is missing
 */
export function requireMember<T>(value: T | undefined, name: string, failure = 'must be non-null'): T {
  if (value === undefined) throw invalidParameter(`Invalid parameters, argument "${name}" ${failure}`);
  return value;
}
