import type { Catalogue, Operation, Position } from '../rpc/catalogue.js';
import { kindsOf } from '../rpc/kinds.js';
import { type JsonKind, JsonObject, type JsonValue, kindOf, parseJson } from '../util/json.js';

/**
 * Converts arguments of the command line to JSON by the types that the operation declares: an argument of type text is kept, one of any
 * other type is parsed as JSON. If an operation accepts text or another type, an argument that parses as the other type is converted, and
 * all others are text; `defi-cli` requires quotes around such text, which are also accepted here. Arguments of unknown operations, those
 * beyond the declared ones, and those of `echo` are text.
 * @throws {Error} with the text of `defi-cli` for an argument that is not JSON
 */
export function positionalParams(catalogue: Catalogue, method: string, args: readonly string[]): JsonValue {
  const operation = catalogue.byName(method);
  return args.map((text, i) => convert(text, operation ? kindsAt(operation, i) : []));
}

/** Converts `name=value` arguments. @throws {Error} with the text of `defi-cli` for one without `=`, or whose value is not JSON */
export function namedParams(catalogue: Catalogue, method: string, args: readonly string[]): JsonValue {
  const operation = catalogue.byName(method);
  const entries = args.map((text): [string, JsonValue] => {
    const equals = text.indexOf('=');
    if (equals < 0)
      throw new Error(`No '=' in named argument '${text}', this needs to be present for every argument (even if it is empty)`);
    const name = text.slice(0, equals);
    return [name, convert(text.slice(equals + 1), operation ? kindsNamed(operation, name) : [])];
  });
  return new JsonObject(entries);
}

/** @param kinds JSON types that the argument may have; empty for text */
function convert(text: string, kinds: readonly JsonKind[]): JsonValue {
  if (kinds.every((kind) => kind === 'string')) return text;
  const value = parse(text);
  if (!kinds.includes('string')) {
    if (value === undefined) throw new Error(`Error parsing JSON:${text}`);
    return value;
  }
  return value !== undefined && (value === null || kinds.includes(kindOf(value))) ? value : text;
}

/** @returns undefined if the text is not JSON */
function parse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Methods whose arguments are never parsed; for `echo` with JSON there is `echojson`. */
const ALWAYS_TEXT: ReadonlySet<string> = new Set(['echo']);

function kindsAt(operation: Operation, index: number): readonly JsonKind[] {
  if (ALWAYS_TEXT.has(operation.name)) return [];
  return unite(operation.signatures.map(({ positions }) => kindsOfPosition(operation, positions[index])));
}

function kindsNamed(operation: Operation, name: string): readonly JsonKind[] {
  if (ALWAYS_TEXT.has(operation.name)) return [];
  const fields = operation.params.filter(({ names }) => names.includes(name)).map(({ field }) => kindsOf(field, operation.options));
  const objects = operation.signatures
    .flatMap(({ positions }) => positions)
    .filter((position) => position.kind === 'object' && position.name === name);
  return unite([...fields, ...objects.map(() => ['object'] as const)]);
}

function kindsOfPosition(operation: Operation, position: Position | undefined): readonly JsonKind[] {
  if (!position) return [];
  return position.kind === 'object' ? ['object'] : kindsOf(position.param.field, operation.options);
}

function unite(lists: readonly (readonly JsonKind[])[]): readonly JsonKind[] {
  return [...new Set(lists.flat())];
}
