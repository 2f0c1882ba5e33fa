import { NodeError } from '../util/errors.js';
import { type JsonKind, type JsonValue, kindOf } from '../util/json.js';
import { type DescField, ScalarType } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { JsonType, type Options } from './options.js';

const ANY: readonly JsonKind[] = ['object', 'array', 'string', 'number', 'bool', 'null'];

/**
 * Checks the type of an argument, or of a member of one.
 * @param name of the member
 * @throws {NodeError} `type`
 */
export function requireKind(value: JsonValue, kind: JsonKind, name?: string): void {
  const have = kindOf(value);
  if (have !== kind) throw new NodeError('type', `Expected type ${kind}${name === undefined ? '' : ` for ${name}`}, got ${have}`);
}

/** JSON types that are accepted for a field, the usual one first. */
export function kindsOf(field: DescField, options: Options): readonly JsonKind[] {
  const { jsonType } = options.param(field);
  if (field.fieldKind === 'list') return ['array'];
  if (field.fieldKind === 'map') return ['object'];
  if (jsonType === JsonType.NUMBER_OR_BOOL) return ['number', 'bool'];
  if (jsonType === JsonType.AMOUNT || jsonType === JsonType.TEXT) return ['number', 'string'];
  if (field.fieldKind === 'message') return messageKinds(field.message, options);
  return field.fieldKind === 'enum' ? ['string'] : scalarKinds(field.scalar);
}

function messageKinds(message: DescMessage, options: Options): readonly JsonKind[] {
  switch (message.typeName) {
    case 'google.protobuf.Value':
      return ANY;
    case 'google.protobuf.ListValue':
      return ['array'];
    default:
      return options.isInline(message) ? [...new Set(message.fields.flatMap((field) => kindsOf(field, options)))] : ['object'];
  }
}

function scalarKinds(scalar: ScalarType): readonly JsonKind[] {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return ['string'];
  return scalar === ScalarType.BOOL ? ['bool'] : ['number'];
}

/**
 * JSON type that an up-front check demands of an argument; undefined if it accepts several types or declares a `json_type`, which for
 * a list or map is that of its elements, unless it is `ANY`.
 */
export function checkedKind(field: DescField, options: Options): JsonKind | undefined {
  const { jsonType } = options.param(field);
  const isOfElements = (field.fieldKind === 'list' || field.fieldKind === 'map') && jsonType !== JsonType.ANY;
  if (jsonType !== JsonType.UNSPECIFIED && !isOfElements) return undefined;
  const kinds = kindsOf(field, options);
  return kinds.length === 1 ? kinds[0] : undefined;
}
