/** A JSON value whose numbers are their source text, so that amounts stay exact. */
export type Json = null | boolean | string | readonly Json[] | JsonRecord;

export interface JsonRecord {
  readonly [key: string]: Json;
}

// No alternatives within a loop: engines give up on strings of some MB, such as the hex of a transaction.
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = '  ';

/** @throws {SyntaxError} if the text is no JSON */
export function parseExact(text: string): Json {
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)));
}

/** JSON text with line breaks and indentation; its values are not touched. */
export function indented(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth--;
    if (needsNewLine(last, token)) parts.push('\n', INDENT.repeat(depth));
    parts.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth++;
    last = token;
  }
  return parts.join('');
}

function needsNewLine(last: string, token: string): boolean {
  const opens = last === '{' || last === '[';
  const closes = token === '}' || token === ']';
  return last === ',' || (opens !== closes && (opens || closes));
}

/** Members of an object; none of any other value. */
export function recordOf(value: Json | undefined): JsonRecord {
  return isRecord(value) ? value : {};
}

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Elements of a list; none of any other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Text of a plain value, empty if it is missing; JSON of a list or object. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
