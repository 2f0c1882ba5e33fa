/**
 * JSON whose numbers keep their source text and whose objects keep duplicate members: what exact amounts, 64-bit integers and an
 * echoed `id` need (spec: rpc-chain 1.5).
 */

/** A number as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

const FEW_ENTRIES = 8;

export class JsonObject {
  #index: Map<string, JsonValue> | undefined;

  constructor(readonly entries: readonly (readonly [string, JsonValue])[]) {}

  /** The member of that name; of several the first. */
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

export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

export type JsonKind = 'null' | 'bool' | 'object' | 'array' | 'string' | 'number';

/** Name of a value's type in the reference's error texts. */
export function kindOf(value: JsonValue): JsonKind {
  if (typeof value === 'string') return 'string';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof JsonNumber) return 'number';
  return value instanceof JsonObject ? 'object' : 'array';
}

/** Deeper nesting is refused, so that no text overflows the stack. */
const MAX_DEPTH = 512;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a string may not hold them unescaped
const CONTROL = /[\u0000-\u001f]/;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @throws {SyntaxError} on anything but one strict JSON value */
export function parseJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class JsonReader {
  #at = 0;

  constructor(readonly text: string) {}

  value(depth: number): JsonValue {
    const code = this.#peek();
    switch (code) {
      case QUOTE:
        return this.#string();
      case OPEN_OBJECT:
        return this.#object(depth + 1);
      case OPEN_ARRAY:
        return this.#array(depth + 1);
      case 0x74: // t
        return this.#word('true', true);
      case 0x66: // f
        return this.#word('false', false);
      case 0x6e: // n
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  end(): void {
    if (!Number.isNaN(this.#peek())) throw this.#wrong();
  }

  /** Code of the next character that is no white space; NaN at the end. */
  #peek(): number {
    const text = this.text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at++;
    }
  }

  #wrong(): SyntaxError {
    return new SyntaxError(`not JSON at character ${this.#at}`);
  }

  #word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.#at)) throw this.#wrong();
    this.#at += word.length;
    return value;
  }

  #number(): JsonNumber {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.#wrong();
    this.#at = NUMBER.lastIndex;
    return new JsonNumber(match[0]);
  }

  /** Whole stretches between escapes are sliced: a block of megabytes in hex is one `indexOf` and one slice. */
  #string(): string {
    const text = this.text;
    let from = this.#at + 1;
    let close = text.indexOf('"', from);
    if (close < 0) throw this.#wrong();
    const plain = text.slice(from, close);
    let slash = plain.indexOf('\\');
    if (slash < 0) {
      if (CONTROL.test(plain)) throw this.#wrong();
      this.#at = close + 1;
      return plain;
    }
    const parts: string[] = [];
    slash += from;
    for (;;) {
      if (slash < 0 || slash > close) {
        parts.push(text.slice(from, close));
        break;
      }
      parts.push(text.slice(from, slash));
      this.#at = slash + 1;
      parts.push(this.#escaped());
      from = this.#at;
      if (from > close) close = text.indexOf('"', from);
      if (close < 0) throw this.#wrong();
      slash = nextEscape(text, from, close);
    }
    this.#at = close + 1;
    const joined = parts.join('');
    // An escaped control character is fine, so the source is what is looked at.
    if (parts.some((part, i) => i % 2 === 0 && CONTROL.test(part))) throw this.#wrong();
    return joined;
  }

  #escaped(): string {
    const letter = this.text.charAt(this.#at);
    if (letter !== 'u') {
      const meant = ESCAPES[letter];
      if (meant === undefined) throw this.#wrong();
      this.#at++;
      return meant;
    }
    const unit = this.#unit();
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    if (unit > 0xdbff || this.text.charAt(this.#at) !== '\\' || this.text.charAt(this.#at + 1) !== 'u') throw this.#wrong();
    this.#at++;
    const low = this.#unit();
    if (low < 0xdc00 || low > 0xdfff) throw this.#wrong();
    return String.fromCharCode(unit, low);
  }

  /** Four hex digits after the `u` at the position. */
  #unit(): number {
    const digits = this.text.slice(this.#at + 1, this.#at + 5);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#wrong();
    this.#at += 5;
    return Number.parseInt(digits, 16);
  }

  #array(depth: number): JsonValue[] {
    this.#enter(depth);
    const values: JsonValue[] = [];
    if (this.#peek() === CLOSE_ARRAY) {
      this.#at++;
      return values;
    }
    for (;;) {
      values.push(this.value(depth));
      const code = this.#peek();
      if (code !== COMMA && code !== CLOSE_ARRAY) throw this.#wrong();
      this.#at++;
      if (code === CLOSE_ARRAY) return values;
    }
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const entries: [string, JsonValue][] = [];
    if (this.#peek() === CLOSE_OBJECT) {
      this.#at++;
      return new JsonObject(entries);
    }
    for (;;) {
      if (this.#peek() !== QUOTE) throw this.#wrong();
      const key = this.#string();
      if (this.#peek() !== COLON) throw this.#wrong();
      this.#at++;
      entries.push([key, this.value(depth)]);
      const code = this.#peek();
      if (code !== COMMA && code !== CLOSE_OBJECT) throw this.#wrong();
      this.#at++;
      if (code === CLOSE_OBJECT) return new JsonObject(entries);
    }
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) throw this.#wrong();
    this.#at++;
  }
}

/** Position of the next backslash before `close`, or -1. Looks no further, so that many escapes stay linear. */
function nextEscape(text: string, from: number, close: number): number {
  const within = text.slice(from, close).indexOf('\\');
  return within < 0 ? -1 : from + within;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that need an escape
const NEEDS_ESCAPE = /["\\\u0000-\u001f\u007f]/;

/** A JSON string. DEL is escaped as the reference does; other characters stay as they are. */
export function quoteJson(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`;
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** Compact JSON; numbers in the text they came with. */
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
 * A double as C prints it with `%.16g`: at most 16 significant digits, no trailing zeros, an exponent of two digits or more
 * below 1e-4 and from 1e16 on (spec: rpc-chain 1.11). JSON has no word for what is not finite: `null`.
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

/** C rounds a tie between two 16-digit values to the even one, `toExponential` away from zero. */
function sixteenDigits(value: number): string {
  const rounded = value.toExponential(15);
  const more = value.toExponential(60);
  const tie = /^(-?\d\.\d{15})50{44}(e.*)$/.exec(more);
  if (!tie) return rounded;
  const [, head = '', tail = ''] = tie;
  return Number(head.slice(-1)) % 2 === 0 ? head + tail : rounded;
}
