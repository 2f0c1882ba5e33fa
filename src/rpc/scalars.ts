import { type DescEnum, ScalarType } from '@bufbuild/protobuf';
import { invalidParameter, NodeError } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';

/** Typed reads of JSON values with the reference's errors (docs/protocol/rpc-chain.md 1.8). */

function wrong(what: string): NodeError {
  return new NodeError('json-type', `JSON value is not ${what} as expected`);
}

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

export function asArray(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw wrong('an array');
  return value;
}

const INTEGER = /^-?\d+$/;

/** A whole number from `least` to `most`; a fraction or an exponent is out of range, whatever its value. */
export function asInteger(value: JsonValue, least: bigint, most: bigint): bigint {
  if (!(value instanceof JsonNumber)) throw wrong('an integer');
  if (value.text.length <= 20 && INTEGER.test(value.text)) {
    const number = BigInt(value.text);
    if (number >= least && number <= most) return number;
  }
  throw new NodeError('json-type', 'JSON integer out of range');
}

export function asDouble(value: JsonValue): number {
  if (!(value instanceof JsonNumber)) throw wrong('a number');
  const number = Number(value.text);
  if (!Number.isFinite(number)) throw new NodeError('json-type', 'JSON double out of range');
  return number;
}

/** The text that a value stands for: that of a string or number, `1` for true, nothing for all else. */
export function asText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  return value === true ? '1' : '';
}

/** `true` is 1, a number is itself. */
export function asIntegerOrBool(value: JsonValue, least: bigint, most: bigint): bigint {
  if (value instanceof JsonNumber) return asInteger(value, least, most);
  return asBool(value) ? 1n : 0n;
}

/** A number is true unless it is 0. */
export function asBoolOrInteger(value: JsonValue): boolean {
  return value instanceof JsonNumber ? asInteger(value, INT32.least, INT32.most) !== 0n : asBool(value);
}

export function asEnum(value: JsonValue, desc: DescEnum): number {
  const name = asString(value);
  const found = desc.values.find((each) => each.name === name || each.localName === name);
  if (!found) throw invalidParameter(`Invalid ${desc.name}: ${name}`);
  return found.number;
}

export interface IntegerRange {
  readonly least: bigint;
  readonly most: bigint;
  /** Held as a bigint. */
  readonly wide: boolean;
}

export const INT32: IntegerRange = { least: -(2n ** 31n), most: 2n ** 31n - 1n, wide: false };
const UINT32: IntegerRange = { least: 0n, most: 2n ** 32n - 1n, wide: false };
const INT64: IntegerRange = { least: -(2n ** 63n), most: 2n ** 63n - 1n, wide: true };
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
