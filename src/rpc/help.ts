import { writeJson } from '../util/json.js';
import type { Catalogue, Operation, Param, Position } from './catalogue.js';
import type { Comments } from './comments.js';
import { type DescField, ScalarType } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { kindsOf } from './kinds.js';
import { wireName } from './names.js';
import { Format, type Options } from './options.js';

/** Answer of `help`: the list of operations, or the text of one (docs/protocol/rpc-chain.md 1.7). */
export function help(catalogue: Catalogue, command: string | undefined): string {
  if (command === undefined || command === '') return catalogue.helpList;
  const operation = catalogue.byName(command);
  return operation ? operation.help : `help: unknown command: ${command}`;
}

/** Headings such as `== Accounts ==`, each followed by its usage lines in alphabetical order. */
export function helpList(operations: readonly Operation[]): string {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { category } = operation;
    if (category === 'hidden' || operation.streams) continue;
    const heading = category.charAt(0).toUpperCase() + category.slice(1);
    const group = groups.get(heading);
    if (group) group.push(operation);
    else groups.set(heading, [operation]);
  }
  const byText = (a: string, b: string): number => (a < b ? -1 : 1);
  return [...groups.keys()]
    .sort(byText)
    .map((heading) => {
      const usages = (groups.get(heading) ?? []).sort((a, b) => byText(a.name, b.name)).map((operation) => operation.usage);
      return [`== ${heading} ==`, ...usages].join('\n');
    })
    .join('\n\n');
}

/** Usage line of an operation: `name required ( optional ... )`. */
export function usageLine(operation: Operation): string {
  const [signature] = operation.signatures;
  const words = (signature?.positions ?? []).map((position) => positionWord(position));
  const required = words.slice(0, signature?.least ?? 0);
  const optional = words.slice(signature?.least ?? 0);
  return [operation.name, ...required, ...(optional.length > 0 ? ['(', ...optional, ')'] : [])].join(' ');
}

function positionWord(position: Position): string {
  if (position.kind === 'param') return paramWord(position.param);
  return `{${position.params.map((each) => `"${each.name}"`).join(',')}}`;
}

function paramWord({ field, name }: Param): string {
  if (field.fieldKind === 'list') return field.listKind === 'scalar' ? `["${name}",...]` : `[${name},...]`;
  if (field.fieldKind === 'map') return `{"${name}":...}`;
  return isText(field) ? `"${name}"` : name;
}

function isText(field: DescField): boolean {
  return field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING;
}

/** Help of one operation: usage line, description, arguments, result and examples. */
export function helpText(operation: Operation, comments: Comments): string {
  const sections = [operation.usage, comments.of(operation.descriptor), argumentsSection(operation, comments)];
  sections.push(`Result:\n${resultSection(operation, comments)}`, examples(operation));
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** Arguments by their position in a call over JSON-RPC; the members of an object are below it. */
function argumentsSection(operation: Operation, comments: Comments): string {
  const { positions = [], least = 0 } = operation.signatures[0] ?? {};
  if (positions.length === 0) return '';
  const rows = positions.map((position, i) => {
    if (position.kind === 'param') return `${i + 1}. ${position.param.name}${paramNote(position.param, operation.options, comments)}`;
    const members = position.params.map((each) => `     "${each.name}"${paramNote(each, operation.options, comments)}`);
    return [`${i + 1}. ${position.name ?? 'options'}    (object, ${i < least ? 'required' : 'optional'})`, '   {', ...members, '   }'].join(
      '\n',
    );
  });
  return `Arguments:\n${rows.join('\n')}`;
}

function paramNote({ field, jsonRpcDefault, jsonRpcRequired }: Param, options: Options, comments: Comments): string {
  const fallback = jsonRpcDefault === undefined ? '' : `, default=${writeJson(jsonRpcDefault)}`;
  const kinds = [...kindsOf(field, options)].map((kind) => (kind === 'number' ? 'numeric' : kind)).join(' or ');
  const comment = comments.inJson(field).replaceAll('\n', ' ');
  return `    (${kinds}, ${jsonRpcRequired ? 'required' : 'optional'}${fallback}) ${comment}`.trimEnd();
}

function resultSection(operation: Operation, comments: Comments): string {
  const lines = messageLines(operation.output, operation.options, comments, 0, [], operation.cursorField);
  return lines.length > 0 ? lines.join('\n') : 'null';
}

const MAX_INDENT = 6;

/** @param hidden field that is left out */
function messageLines(
  message: DescMessage,
  options: Options,
  comments: Comments,
  indent: number,
  above: readonly DescMessage[],
  hidden?: DescField,
): string[] {
  const pad = '  '.repeat(indent);
  if (above.includes(message) || indent > MAX_INDENT) return [`${pad}...`];
  const inside = [...above, message];
  const { text, tuple } = options.shape(message);
  if (text !== '') return [`${pad}"${text}"`];
  if (tuple) {
    const values = message.fields.flatMap((field) => valueLines(field, options, comments, indent + 1, inside));
    return [`${pad}[`, ...values, `${pad}]`];
  }
  const fields = message.fields.filter((field) => field !== hidden);
  if (options.isInline(message)) return fields.flatMap((field) => valueLines(field, options, comments, indent, inside));
  if (fields.length === 0) return [];
  const shown = fields.filter((field) => options.shows(field, 'json-rpc'));
  const members = shown.flatMap((field) => {
    const [first = '', ...rest] = valueLines(field, options, comments, indent + 1, inside);
    return [`${pad}  "${wireName(field)}" : ${first.trimStart()}`, ...rest];
  });
  return [`${pad}{`, ...members, `${pad}}`];
}

function valueLines(field: DescField, options: Options, comments: Comments, indent: number, above: readonly DescMessage[]): string[] {
  const pad = '  '.repeat(indent);
  const comment = comments.inJson(field).replaceAll('\n', ' ');
  const note = comment === '' ? '' : `    ${comment}`;
  const inner = (depth: number): string[] =>
    field.message && !field.message.typeName.startsWith('google.')
      ? messageLines(field.message, options, comments, depth, above)
      : [`${'  '.repeat(depth)}${scalarWord(field, options)}`];
  if (field.fieldKind === 'list') return [`${pad}[${note}`, ...inner(indent + 1), `${pad}  ,...`, `${pad}]`];
  if (field.fieldKind === 'map') return [`${pad}{${note}`, `${pad}  "key" :`, ...inner(indent + 1), `${pad}  ,...`, `${pad}}`];
  const [first = '', ...rest] = inner(indent);
  return [first + note, ...rest];
}

function scalarWord(field: DescField, options: Options): string {
  if (options.result(field).format === Format.AMOUNT) return 'x.xxxxxxxx';
  if (field.scalar === ScalarType.BOOL) return 'true|false';
  return field.scalar === undefined || field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES ? '"text"' : 'n';
}

function examples(operation: Operation): string {
  const required = operation.signatures[0]?.positions.slice(0, operation.signatures[0].least) ?? [];
  const words = required.map((position) => (position.kind === 'param' ? `<${position.param.name}>` : `'{...}'`));
  return `Examples:\n> ${['dfi-cli', operation.name, ...words].join(' ')}`;
}
