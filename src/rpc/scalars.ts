import { invalidParameter, NodeError } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';
import { ScalarType } from './descriptor-fields.js';
import type { DescEnum } from './descriptors.js';

/** Typed reads of JSON values with the errors of `defid` (docs/protocol/rpc-chain.md 1.8). */

function wrong(what: string): NodeError {
  return new NodeError('json-type', `JSON value is not ${what} as expected`);
}

/** @throws {NodeError} `json-type`, as the others below, for a value of another type */
export function asString(value: JsonValue): string {
  if (typeof value !== 'string') throw wrong('a string');
  return value;
}

export function asBool(value: JsonValue): boolean {
  if (typeof value !== 'boolean') throw wrong('a boolean');
  return value;
}

export function asObject(value: JsonValue): JsonObject {
  if (!(value instanceof JsonObject)) throw wrong('an object');
  return value;
}

/** @throws {NodeError} `json-type` unless it is an array */
export function asArray(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw wrong('an array');
  return value;
}

const INTEGER = /^-?\d+$/;

/** An integer from `least` to `most`. A number with fraction or exponent is out of range, whatever its value. */
export function asInteger(value: JsonValue, least: bigint, most: bigint): bigint {
  if (!(value instanceof JsonNumber)) throw wrong('an integer');
  if (value.text.length <= 20 && INTEGER.test(value.text)) {
    const number = BigInt(value.text);
    if (number >= least && number <= most) return number;
  }
  throw new NodeError('json-type', 'JSON integer out of range');
}

/** A number as a double. @throws {NodeError} `json-type` if it is too large for one */
export function asDouble(value: JsonValue): number {
  if (!(value instanceof JsonNumber)) throw wrong('a number');
  const number = Number(value.text);
  if (!Number.isFinite(number)) throw new NodeError('json-type', 'JSON double out of range');
  return number;
}

/** The text of a string or number, `1` for true, and an empty string for any other value. */
export function asText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  return value === true ? '1' : '';
}

/** An integer, or a boolean as 0 or 1. */
export function asIntegerOrBool(value: JsonValue, least: bigint, most: bigint): bigint {
  if (value instanceof JsonNumber) return asInteger(value, least, most);
  return asBool(value) ? 1n : 0n;
}

/** A boolean, or an integer that is true unless it is 0. */
export function asBoolOrInteger(value: JsonValue): boolean {
  return value instanceof JsonNumber ? asInteger(value, INT32.least, INT32.most) !== 0n : asBool(value);
}

/** Number of an enum value by its name. @throws {NodeError} `invalid-parameter` for an unknown name */
export function asEnum(value: JsonValue, desc: DescEnum): number {
  const name = asString(value);
  const found = desc.values.find((each) => each.name === name || each.localName === name);
  if (!found) throw invalidParameter(`Invalid ${desc.name}: ${name}`);
  return found.number;
}

/** Values of an integer type, both ends included. */
export interface IntegerRange {
  readonly least: bigint;
  readonly most: bigint;
  /** The type has 64 bits: its values are bigints in gen/ts. */
  readonly wide: boolean;
}

export const INT32: IntegerRange = { least: -(2n ** 31n), most: 2n ** 31n - 1n, wide: false };
const UINT32: IntegerRange = { least: 0n, most: 2n ** 32n - 1n, wide: false };
export const INT64: IntegerRange = { least: -(2n ** 63n), most: 2n ** 63n - 1n, wide: true };
const UINT64: IntegerRange = { least: 0n, most: 2n ** 64n - 1n, wide: true };

/** Values of an integer type; undefined for other types. */
export function integerRange(scalar: ScalarType): IntegerRange | undefined {
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return INT32;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return UINT32;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return INT64;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return UINT64;
    default:
      return undefined;
  }
}
