import { givenJson, givenObject } from '../../rpc/bind.js';
import { NodeError } from '../../util/errors.js';
import { type JsonKind, JsonObject, kindOf } from '../../util/json.js';

/**
 * The reference counts the arguments of some operations and reads those that are there, so that null is a value of a wrong type and
 * no way to leave one out.
 * @param fields fields of the request by what errors call their JSON type
 * @throws {NodeError} `json-type`
 */
export function refuseNull(request: object, fields: Readonly<Record<string, 'boolean' | 'integer'>> = {}): void {
  if (givenObject(request) === null) throw new NodeError('json-type', 'JSON value is not an object as expected');
  for (const [field, type] of Object.entries(fields)) {
    if (givenJson(request, field) === null)
      throw new NodeError('json-type', `JSON value is not ${type === 'integer' ? 'an' : 'a'} ${type} as expected`);
  }
}

/**
 * A member of an object argument that the reference takes for true or anything else, whatever its type.
 * @param value the member as other transports have it
 * @returns undefined where it is left out, or null
 */
export function lenientFlag(message: object, field: string, value: () => boolean | undefined): boolean | undefined {
  const json = givenJson(message, field);
  if (json === undefined) return value();
  return json === null ? undefined : json === true;
}

/**
 * Checks the members of an operation's object argument before any is used; a null member is no value.
 * @throws {NodeError} `type` for a member of another type, then for one with an unknown name; `json-type` for null in its place
 * @see docs/protocol/rpc-chain.md 1.8
 */
export function requireOptions(request: object, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  refuseNull(request);
  const given = givenObject(request);
  if (!(given instanceof JsonObject)) return;
  checkMembers(given, kinds);
}

/**
 * Checks the members of an object: that those it has are of these kinds, or null, and that it has no others.
 * @throws {NodeError} `type`
 */
export function checkMembers(given: JsonObject, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  for (const [name, kind] of Object.entries(kinds)) {
    const have = kindOf(given.get(name) ?? null);
    if (kind !== 'any' && have !== 'null' && have !== kind) throw new NodeError('type', `Expected type ${kind} for ${name}, got ${have}`);
  }
  for (const [name] of given.entries) if (!(name in kinds)) throw new NodeError('type', `Unexpected key ${name}`);
}
