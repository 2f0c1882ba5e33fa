import type { DescField, DescOneof } from './descriptor-fields.js';

/** Property of a field or oneof in the objects of gen/ts, in camel case. */
export function propertyName(desc: DescField | DescOneof): string {
  const [first = '', ...rest] = desc.name.split('_');
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** JSON name of a field for which the proto file gives none. */
function defaultJsonName(name: string): string {
  return name.replace(/_+([^_]?)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Name of a field in JSON-RPC and REST: `json_name` if the proto file gives one, else the field's name. A descriptor image does not
 * distinguish a given name from the derived one, so a proto file has `tokenid [json_name = "tokenId"]`, not `token_id`.
 */
export function wireName(field: DescField): string {
  return field.jsonName === defaultJsonName(field.name) ? field.name : field.jsonName;
}
