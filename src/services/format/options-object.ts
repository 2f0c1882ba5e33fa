import { hasArguments, rawJson, requestJsonObject } from '../../rpc/bind.js';
import type { CallContext } from '../../rpc/handler.js';
import { requireKind } from '../../rpc/kinds.js';
import { asBool, asObject } from '../../rpc/scalars.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { type JsonKind, JsonObject } from '../../util/json.js';

type FlagRequest<Field extends string> = { readonly [field in Field]?: boolean | undefined };

/**
 * Boolean argument that `defid` reads if it is present: null is a value of the wrong type and does not mean "missing".
 * @throws {NodeError} `json-type`
 */
export function strictFlag<Field extends string>(request: FlagRequest<Field>, field: Field): boolean | undefined {
  return rawJson(request, field) === null ? asBool(null) : request[field];
}

/** Boolean argument that `defid` reads as false if it is present with any value but true, null included. */
export function looseFlag<Field extends string>(request: FlagRequest<Field>, field: Field): boolean | undefined {
  const json = rawJson(request, field);
  return json === undefined ? request[field] : json === true;
}

/**
 * Requires the object argument with which an operation of `defid` begins, although the operation can be called without any argument.
 * @throws {NodeError} `json-type`
 */
export function requireArgument(request: object, { dialect }: Pick<CallContext, 'dialect'>): void {
  if (dialect === 'json-rpc' && !hasArguments(request)) asObject(null);
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
 * is no object
 * @see docs/protocol/rpc-chain.md 1.8
 */
export function requireOptions(request: object, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  const given = requestJsonObject(request);
  if (given !== undefined) checkMembers(asObject(given), kinds);
}

/**
 * Checks that the members of an object have the given kinds or are null, in the order of their names, and that there are no others.
 * @throws {NodeError} `type`
 */
export function checkMembers(given: JsonObject, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  checkKinds(given, kinds);
  for (const [name] of given.entries) if (!Object.hasOwn(kinds, name)) throw new NodeError('type', `Unexpected key ${name}`);
}

/**
 * Checks that members of an object have the given kinds or are null, in the order of their names; there may be others.
 * @throws {NodeError} `type`
 */
export function checkKinds(given: JsonObject, kinds: Readonly<Record<string, JsonKind | 'any'>>): void {
  for (const name of Object.keys(kinds).sort()) {
    const kind = kinds[name] ?? 'any';
    const value = given.get(name) ?? null;
    if (kind !== 'any' && value !== null) requireKind(value, kind, name);
  }
}

/**
 * Checks that an object has members of the given kinds, in the order of their names; there may be others. Messages of other transports are
 * not checked.
 * @throws {NodeError} `type` for a member that is missing, null or of another type; `json-type` if it is no object
 */
export function requireMembers(message: object, kinds: Readonly<Record<string, JsonKind>>): void {
  const json = rawJson(message);
  if (json === undefined) return;
  const given = asObject(json);
  for (const [name, kind] of Object.entries(kinds)) {
    const value = given.get(name) ?? null;
    if (value === null) throw missingMember(name);
    requireKind(value, kind, name);
  }
}

/** Error for a member of an object that is missing. */
export function missingMember(name: string): NodeError {
  return new NodeError('type', `Missing ${name}`);
}

/**
 * Checks the type of an argument that `defid` checks when it reads the argument, not before all others. Null counts as missing.
 * @throws {NodeError} `type`
 */
export function requireArgumentKind<Request extends object>(request: Request, field: keyof Request & string, kind: JsonKind): void {
  const json = rawJson(request, field) ?? null;
  if (json !== null) requireKind(json, kind);
}

/** True if the object argument has a member that is null, which has the wrong type for operations that read each member that is present. */
export function isNullMember(request: object, name: string): boolean {
  const given = requestJsonObject(request);
  return given instanceof JsonObject && given.get(name) === null;
}

/** True if the object argument is null, which means missing to some operations; its members cannot be read. */
export function isNullObject(request: object): boolean {
  return requestJsonObject(request) === null;
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
