import type { DescField } from '../../rpc/descriptor-fields.js';
import type { DescMessage } from '../../rpc/descriptors.js';
import { plainJson } from '../../rpc/document.js';
import { propertyName } from '../../rpc/names.js';
import type { JsonValue } from '../../util/json.js';

type Message = Record<string, unknown>;

/**
 * Copies a request to plain data that can be encoded. A JSON-RPC request converts an argument when it is read; here all are read, in the
 * order of the fields. Numbers in free-form JSON become doubles, as in protobuf.
 * @throws {NodeError} for the first invalid argument
 */
export function materialise(desc: DescMessage, request: object): Message {
  const source = request as Message;
  const plain: Message = {};
  for (const field of desc.fields) {
    const property = propertyName(field.oneof ?? field);
    if (property in plain) continue;
    const value = source[property];
    plain[property] = field.oneof ? memberOf(field.oneof.fields, value) : plainValue(field, value);
  }
  return plain;
}

/** Value of a oneof with its active member. */
function memberOf(fields: readonly DescField[], value: unknown): unknown {
  if (value === undefined) return undefined;
  const { $case: name, value: member } = value as { $case: string; value: unknown };
  const field = fields.find((each) => propertyName(each) === name);
  return field && { $case: name, value: plainValue(field, member) };
}

function plainValue(field: DescField, value: unknown): unknown {
  const desc = field.message;
  if (value === undefined || value === null || !desc) return value;
  const one = (item: unknown): unknown =>
    desc.typeName.startsWith('google.protobuf.') ? plainJson(item as JsonValue) : materialise(desc, item as object);
  if (field.fieldKind === 'list') return (value as readonly unknown[]).map(one);
  if (field.fieldKind === 'map') return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]));
  return one(value);
}
