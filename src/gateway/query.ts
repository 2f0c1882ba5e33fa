import type { DescField } from '../rpc/descriptor-fields.js';
import type { DescMessage } from '../rpc/descriptors.js';
import { wireName } from '../rpc/names.js';
import { JsonObject, type JsonValue, parseJson } from '../util/json.js';

/** Value of the path or the query: field path with dots, and text. */
export type Pair = readonly [path: string, text: string];

/**
 * Path and query values in the structure of a JSON body: a repeated key is a list, dots address members of objects. Values remain texts,
 * except that a value of a message field may be the JSON of the message, or of the whole list.
 */
export function queryJson(message: DescMessage, pairs: readonly Pair[]): JsonObject {
  const groups = new Map<string, Pair[]>();
  for (const [path, text] of pairs) {
    const dot = path.indexOf('.');
    const name = dot < 0 ? path : path.slice(0, dot);
    const pair: Pair = [dot < 0 ? '' : path.slice(dot + 1), text];
    const group = groups.get(name);
    if (group) group.push(pair);
    else groups.set(name, [pair]);
  }
  return new JsonObject([...groups].map(([name, group]) => [name, memberJson(fieldNamed(message, name), group)] as const));
}

function fieldNamed(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => wireName(field) === name || field.name === name);
}

/** @param group values of one member; the paths start after its name */
function memberJson(field: DescField | undefined, group: readonly Pair[]): JsonValue {
  const nested = group.filter(([path]) => path !== '');
  if (nested.length > 0 && field?.fieldKind === 'map') return new JsonObject(nested.map(([key, text]) => [key, text] as const));
  if (nested.length > 0 && field?.fieldKind === 'message') return queryJson(field.message, nested);
  const values = group.map(([, text]) => (isStructured(field) ? jsonOrText(text) : text));
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

function isStructured(field: DescField | undefined): boolean {
  return field !== undefined && (field.message !== undefined || field.fieldKind === 'map');
}

function jsonOrText(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
