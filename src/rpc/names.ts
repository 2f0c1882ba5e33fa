import type { DescField, DescOneof } from '@bufbuild/protobuf';

/** Property of a field or oneof in the objects of gen/ts: words after the first begin with a capital. */
export function propertyName(desc: DescField | DescOneof): string {
  const [first = '', ...rest] = desc.name.split('_');
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** What a JSON name is when a proto file gives none. */
function defaultJsonName(name: string): string {
  return name.replace(/_+([^_]?)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Name of a field in JSON-RPC and REST: `json_name` where the proto file gives one, else the field's name. An image does not tell
 * a given name from the derived one, so a proto file spells `tokenid [json_name = "tokenId"]`, not `token_id`.
 */
export function wireName(field: DescField): string {
  return field.jsonName === defaultJsonName(field.name) ? field.name : field.jsonName;
}
