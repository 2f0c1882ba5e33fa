/**
 * JSON whose numbers keep their source text and whose objects keep duplicate members, as needed for exact amounts, 64-bit integers and
 * the echoed `id` (docs/protocol/rpc-chain.md 1.5; docs/decisions/json.md).
 */
import { JsonStringReader, NOT_PLAIN, notJson } from './json-string.js';
import { Slicer } from './slicer.js';

/** A number as its source text. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

const FEW_ENTRIES = 8;

/** An object as the list of its members. */
export class JsonObject {
  #index: Map<string, JsonValue> | undefined;

  constructor(readonly entries: readonly (readonly [string, JsonValue])[]) {}

  /** Value of the first member of that name. */
  get(key: string): JsonValue | undefined {
    if (this.entries.length > FEW_ENTRIES) return this.#indexed().get(key);
    for (const [name, value] of this.entries) if (name === key) return value;
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  #indexed(): Map<string, JsonValue> {
    if (!this.#index) {
      this.#index = new Map();
      for (const [name, value] of this.entries) if (!this.#index.has(name)) this.#index.set(name, value);
    }
    return this.#index;
  }
}

/** A parsed JSON value. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

export type JsonKind = 'null' | 'bool' | 'object' | 'array' | 'string' | 'number';

/** Name of the type of a value in error texts of `defid`. */
export function kindOf(value: JsonValue): JsonKind {
  if (typeof value === 'string') return 'string';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof JsonNumber) return 'number';
  return value instanceof JsonObject ? 'object' : 'array';
}

/** Maximum nesting, so that no recursion over a value overflows the stack. */
const MAX_DEPTH = 512;

/** A number of limited length, because the time of its conversion grows faster than its length; a further digit is a syntax error. */
const NUMBER = /-?(?:0|[1-9]\d{0,999})(?:\.\d{1,1000})?(?:[eE][+-]?\d{1,20})?/y;

const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Limit of the memory for parsed values. */
export interface JsonBudget {
  /** Called periodically with the number of values read so far. @throws to abort the parser with this error */
  onValues(count: number): void;
}

/** Parses one JSON value. @throws {SyntaxError} if the text is anything else */
export function parseJson(text: string, budget?: JsonBudget): JsonValue {
  const reader = new JsonReader(text);
  while (!reader.read()) budget?.onValues(reader.values);
  budget?.onValues(reader.values);
  return reader.result;
}

/** As `parseJson` for a long text; yields to the event loop between slices. */
export async function parseJsonInSlices(text: string, budget: JsonBudget): Promise<JsonValue> {
  const reader = new JsonReader(text);
  const slicer = new Slicer();
  while (!reader.read()) {
    budget.onValues(reader.values);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  budget.onValues(reader.values);
  return reader.result;
}

/** Next expected token. Constants instead of an enum, because every call passes here. */
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY = 2;
const KEY_OR_END = 3;
const BEFORE_MEMBER = 4;
const AFTER_VALUE = 5;
const NOTHING = 6;

/** Work of one `read`; a value, or 64 characters of a long string, counts about 1. */
const STEPS = 2048;
const LONG_STEPS = 256;
const SHORT_STRING = 1024;
/** Maximum white space skipped in one step. */
const MAX_BLANKS = 1 << 16;
const BLANK = 0x20;

/** An array or object before its end. */
class OpenContainer {
  /** Name of the member whose value is next. */
  key = '';

  constructor(
    readonly outer: OpenContainer | undefined,
    readonly depth: number,
    /** Undefined for an object. */
    readonly items: JsonValue[] | undefined,
    readonly members: [string, JsonValue][],
  ) {}
}

const NO_MEMBERS: [string, JsonValue][] = [];

/** Parser without recursion, which can be interrupted between steps. */
class JsonReader {
  /** Values read so far, containers included. */
  values = 0;
  result: JsonValue = null;
  #at = 0;
  #steps = 0;
  #expected = VALUE;
  #container: OpenContainer | undefined;
  /** Reader of a long string that is not complete. */
  #string: JsonStringReader | undefined;

  constructor(readonly text: string) {}

  /** Continues for a fraction of a millisecond. @returns true at the end of the text @throws {SyntaxError} */
  read(): boolean {
    this.#steps = STEPS;
    while (this.#steps > 0) {
      this.#steps--;
      if (this.#string) {
        this.#readString(this.#string);
        continue;
      }
      const code = this.#peek();
      // More white space than one step skips.
      if (code === BLANK) continue;
      switch (this.#expected) {
        case VALUE:
          this.#value(code);
          break;
        case VALUE_OR_END:
          if (code === CLOSE_ARRAY) this.#close();
          else this.#value(code);
          break;
        case KEY:
          this.#key(code);
          break;
        case KEY_OR_END:
          if (code === CLOSE_OBJECT) this.#close();
          else this.#key(code);
          break;
        case BEFORE_MEMBER:
          if (code !== COLON) throw notJson(this.#at);
          this.#at++;
          this.#expected = VALUE;
          break;
        case AFTER_VALUE:
          this.#after(code);
          break;
        default:
          if (!Number.isNaN(code)) throw notJson(this.#at);
          return true;
      }
    }
    return false;
  }

  /** Code of the next character after white space; NaN at the end, BLANK if there is more white space than one step skips. */
  #peek(): number {
    const text = this.text;
    const stop = this.#at + MAX_BLANKS;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at++;
      if (this.#at === stop) {
        this.#steps -= LONG_STEPS;
        return BLANK;
      }
    }
  }

  #value(code: number): void {
    switch (code) {
      case QUOTE:
        this.#openString();
        break;
      case OPEN_OBJECT:
        this.#open(undefined, [], KEY_OR_END);
        break;
      case OPEN_ARRAY:
        this.#open([], NO_MEMBERS, VALUE_OR_END);
        break;
      case 0x74: // t
        this.#word('true', true);
        break;
      case 0x66: // f
        this.#word('false', false);
        break;
      case 0x6e: // n
        this.#word('null', null);
        break;
      default:
        this.#number();
    }
  }

  #key(code: number): void {
    if (code !== QUOTE) throw notJson(this.#at);
    this.#expected = KEY;
    this.#openString();
  }

  #after(code: number): void {
    const container = this.#container as OpenContainer;
    if (code === COMMA) {
      this.#at++;
      this.#expected = container.items ? VALUE : KEY;
    } else if (code === (container.items ? CLOSE_ARRAY : CLOSE_OBJECT)) this.#close();
    else throw notJson(this.#at);
  }

  #open(items: JsonValue[] | undefined, members: [string, JsonValue][], expected: number): void {
    const outer = this.#container;
    const depth = outer ? outer.depth + 1 : 1;
    if (depth > MAX_DEPTH) throw notJson(this.#at);
    this.#container = new OpenContainer(outer, depth, items, members);
    this.#at++;
    this.#expected = expected;
  }

  #close(): void {
    const { outer, items, members } = this.#container as OpenContainer;
    this.#at++;
    this.#container = outer;
    this.#complete(items ?? new JsonObject(members));
  }

  #complete(value: JsonValue): void {
    this.values++;
    const container = this.#container;
    if (!container) {
      this.result = value;
      this.#expected = NOTHING;
      return;
    }
    if (container.items) container.items.push(value);
    else container.members.push([container.key, value]);
    this.#expected = AFTER_VALUE;
  }

  #openString(): void {
    const from = this.#at + 1;
    const quote = this.text.indexOf('"', from);
    // Fast path for short strings without escapes, which most are.
    const string = quote - from < SHORT_STRING ? this.text.slice(from, quote) : undefined;
    if (quote < 0 || string === undefined || NOT_PLAIN.test(string)) this.#readString(new JsonStringReader(this.text, from));
    else this.#onString(string, quote + 1);
  }

  #readString(reader: JsonStringReader): void {
    const string = reader.read();
    this.#string = string === undefined ? reader : undefined;
    if (string === undefined) this.#steps -= LONG_STEPS;
    else this.#onString(string, reader.at);
  }

  /** Processes a complete string, which is a key or a value. */
  #onString(string: string, end: number): void {
    this.#at = end;
    if (this.#expected === KEY) {
      (this.#container as OpenContainer).key = string;
      this.#expected = BEFORE_MEMBER;
    } else this.#complete(string);
  }

  #word(word: string, value: boolean | null): void {
    if (!this.text.startsWith(word, this.#at)) throw notJson(this.#at);
    this.#at += word.length;
    this.#complete(value);
  }

  #number(): void {
    const from = this.#at;
    NUMBER.lastIndex = from;
    if (!NUMBER.test(this.text)) throw notJson(from);
    this.#at = NUMBER.lastIndex;
    this.#complete(new JsonNumber(this.text.slice(from, this.#at)));
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters need an escape
const NEEDS_ESCAPE = /["\\\u0000-\u001f\u007f]/;

/** JSON string literal of a text. DEL is escaped, as in `defid`; other characters as by `JSON.stringify`. */
export function quoteJson(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`;
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** Compact JSON; numbers keep their source text. */
export function writeJson(value: JsonValue): string {
  if (typeof value === 'string') return quoteJson(value);
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof JsonObject) {
    let text = '{';
    for (const [key, member] of value.entries) text += `${text.length > 1 ? ',' : ''}${quoteJson(key)}:${writeJson(member)}`;
    return `${text}}`;
  }
  let text = '[';
  for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + writeJson(value[i] as JsonValue);
  return `${text}]`;
}

/**
 * Formats a double as `%.16g` of C: at most 16 significant digits, no trailing zeros, an exponent of at least two digits below 1e-4 and
 * from 1e16 on; `null` for values that are not finite.
 * @see docs/protocol/rpc-chain.md 1.11
 */
export function formatDouble(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return Object.is(value, -0) ? '-0' : String(value);
  if (!Number.isFinite(value)) return 'null';
  const [mantissa = '', exponentText = ''] = sixteenDigits(value).split('e');
  const exponent = Number(exponentText);
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace(/^-/, '').replace('.', '').replace(/0+$/, '');
  return (negative ? '-' : '') + layOut(digits, exponent);
}

function layOut(digits: string, exponent: number): string {
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** 16 significant digits, a tie rounded to even as in C; `toExponential` rounds it away from zero. */
function sixteenDigits(value: number): string {
  const rounded = value.toExponential(15);
  // The 17th digit of a tie is a 5, exactly or rounded. All 60 digits take ten times as long.
  if (!/5e/.test(value.toExponential(16))) return rounded;
  const more = value.toExponential(60);
  const tie = /^(-?\d\.\d{15})50{44}(e.*)$/.exec(more);
  if (!tie) return rounded;
  const [, head = '', tail = ''] = tie;
  return Number(head.slice(-1)) % 2 === 0 ? head + tail : rounded;
}
