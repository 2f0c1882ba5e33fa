/** Part of a JSON text. */
export interface JsonPlace {
  /** Index of the first character. */
  readonly start: number;
  /** Index after the last character. */
  readonly end: number;
}

const OPEN = /[[{]/;
const SCALAR = /[^\s,\]}]*/y;
const BLANKS = /[ \t\r\n]*/y;
const STRUCTURE = /["[\]{}]/g;

/**
 * Finds a value within a JSON text that was parsed without error.
 * @param path position of the value in its array or object, from the outermost to the innermost; members count by their order
 */
export function valueAt(text: string, path: readonly number[]): JsonPlace {
  let start = afterBlanks(text, 0);
  for (const position of path) {
    const isObject = text[start] === '{';
    start = afterBlanks(text, start + 1);
    for (let i = 0; i < position; i++) start = afterBlanks(text, afterBlanks(text, memberEnd(text, start, isObject)) + 1);
    if (isObject) start = memberValue(text, start);
  }
  return { start, end: valueEnd(text, start) };
}

/** Finds the name of the member that a path ends with, quotes included. */
export function nameAt(text: string, path: readonly number[]): JsonPlace {
  const position = path.at(-1) ?? 0;
  const object = valueAt(text, path.slice(0, -1));
  let start = afterBlanks(text, object.start + 1);
  for (let i = 0; i < position; i++) start = afterBlanks(text, afterBlanks(text, memberEnd(text, start, true)) + 1);
  return { start, end: valueEnd(text, start) };
}

/** Index of the first character from `at` on that is not white space. */
export function afterBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.test(text);
  return BLANKS.lastIndex;
}

function memberEnd(text: string, start: number, isObject: boolean): number {
  return valueEnd(text, isObject ? memberValue(text, start) : start);
}

function memberValue(text: string, name: number): number {
  return afterBlanks(text, afterBlanks(text, stringEnd(text, name)) + 1);
}

function valueEnd(text: string, start: number): number {
  const first = text[start] ?? '';
  if (first === '"') return stringEnd(text, start);
  if (OPEN.test(first)) return containerEnd(text, start);
  SCALAR.lastIndex = start;
  SCALAR.test(text);
  return SCALAR.lastIndex;
}

function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from -= 1;
  return (at - from) % 2 === 1;
}

function containerEnd(text: string, start: number): number {
  let depth = 0;
  STRUCTURE.lastIndex = start;
  for (let found = STRUCTURE.exec(text); found; found = STRUCTURE.exec(text)) {
    if (found[0] === '"') STRUCTURE.lastIndex = stringEnd(text, found.index);
    else if (OPEN.test(found[0])) depth += 1;
    else depth -= 1;
    if (depth === 0) return found.index + 1;
  }
  return text.length;
}
