import { TracelessError } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';
import { afterBlanks, nameAt, valueAt } from '../util/json-places.js';

/**
 * Place of an error, relative to the value that a path leads to, as the decoder of `defid` reports it:
 * - `start`: before the value
 * - `end`: after it
 * - `opened`: after its opening bracket, or after the closing one if nothing is between them
 * - `followed`: after it, and after the closing bracket of its container if that is next
 * - `name`: after the name of the member
 */
export type Point = 'start' | 'end' | 'opened' | 'followed' | 'name';

/** A parameter, or a value in it, that a reader refuses. */
export class Unreadable extends TracelessError {
  /** Positions of the value in its containers, from the outermost; members of objects count by their order. */
  readonly #path: number[] = [];

  /** @param more characters after the point, which are part of the place too */
  constructor(
    readonly text: string,
    readonly point: Point = 'end',
    readonly more = 0,
  ) {
    super(text);
    this.name = 'Unreadable';
  }

  /** Notes that the value is in a container, at a position. */
  within(position: number): this {
    this.#path.unshift(position);
    return this;
  }

  /**
   * The text with the place of the error, in bytes.
   * @param source JSON text that the path begins in
   * @param from index of the character in `source` where lines and columns begin
   */
  describe(source: string, from: number): string {
    const before = source.slice(from, this.#index(source));
    const line = before.lastIndexOf('\n') + 1;
    return `${this.text} at line ${before.split('\n').length} column ${Buffer.byteLength(before.slice(line))}`;
  }

  #index(source: string): number {
    if (this.point === 'name') return afterBlanks(source, nameAt(source, this.#path).end);
    const { start, end } = valueAt(source, this.#path);
    if (this.point === 'start') return start + this.more;
    if (this.point === 'end') return end;
    const at = afterBlanks(source, this.point === 'opened' ? start + 1 : end);
    if (source[at] === ']' || source[at] === '}') return at + 1;
    // In an array, unlike in an object, the decoder passes the comma and the white space after it.
    const isElement = this.point === 'followed' && source[valueAt(source, this.#path.slice(0, -1)).start] === '[';
    return (isElement ? afterBlanks(source, at + 1) : at) + this.more;
  }
}

/** A value of a JSON type that a reader does not expect. The decoder does not enter containers. */
export function wrongType(value: JsonValue, expected: string): Unreadable {
  return new Unreadable(`invalid type: ${kindOf(value)}, expected ${expected}`, isContainer(value) ? 'start' : 'end');
}

/** A value of a JSON type that a reader does not expect, if the reader looks at the type first: the decoder then enters containers. */
export function wrongTypeOfAny(value: JsonValue, expected: string): Unreadable {
  return new Unreadable(`invalid type: ${kindOf(value)}, expected ${expected}`, isContainer(value) ? 'opened' : 'end');
}

function isContainer(value: JsonValue): boolean {
  return Array.isArray(value) || value instanceof JsonObject;
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'string') return `string ${debugText(value)}`;
  if (value instanceof JsonNumber) return numberKind(value.text);
  return value instanceof JsonObject ? 'map' : 'sequence';
}

const MIN_INTEGER = -(1n << 63n);
const MAX_INTEGER = (1n << 64n) - 1n;

/** True for a number that the decoder reads as an integer: one without fraction and exponent, of 64 bits. */
export function isInteger({ text }: JsonNumber): boolean {
  return /^(?:\d+|-[1-9]\d*)$/.test(text) && BigInt(text) >= MIN_INTEGER && BigInt(text) <= MAX_INTEGER;
}

function numberKind(text: string): string {
  return isInteger(new JsonNumber(text)) ? `integer \`${text}\`` : `floating point \`${formatFloat(Number(text))}\``;
}

/** Shortest digits of a double, with a fraction or, below 1e-5 and from 1e16 on, an exponent. */
export function formatFloat(value: number): string {
  const [mantissa = '', exponentText = ''] = value.toExponential().split('e');
  const sign = Object.is(value, -0) || value < 0 ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  const point = Number(exponentText) + 1;
  if (point > 16 || point <= -5) {
    return `${sign}${digits.charAt(0)}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${point - 1}`;
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const padded = digits.padEnd(point, '0');
  return `${sign}${padded.slice(0, point)}.${padded.slice(point) || '0'}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' };

/** Characters of a value that an error shows; longer ones would take long to escape. */
const MAX_SHOWN = 10_000;

/** A text of a caller as errors show it: cut if it is very long. */
export function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** A text in quotes as `defid` shows it in errors: other characters that cannot be printed as `\u{…}`. */
export function debugText(text: string): string {
  const escaped = shown(text).replace(/["\\]|[^\P{C}]|[^\P{Z}]|\p{Grapheme_Extend}/gu, (character) => {
    if (character === ' ') return character;
    return ESCAPES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return `"${escaped}"`;
}
