import { mutated, type Random } from '../mutate.js';
import type { Call } from './random-call.js';

/** Names of the arguments of an operation by position; empty if there are none. */
export type ArgumentNames = (method: string) => readonly string[];

/** A body of a request, with the operation that it calls; several operations are separated by commas. */
export interface RequestBody {
  readonly method: string;
  readonly bytes: Uint8Array;
}

/** Spellings of small numbers, and texts that are no number. */
const NUMBERS = ['-0', '0.0', '1.0', '1e0', '10E-1', '1e+2', '1E400', '-1e400', '01', '1.', '.5', '+1', '0x1', '1e', 'NaN', '-'];
const LONG_NUMBERS = ['18446744073709551616', '9223372036854775807', '-9223372036854775809', `1${'0'.repeat(320)}`, `0.${'0'.repeat(40)}1`];
/** Spellings of strings: escapes, halves of pairs, controls, and bytes that are no UTF-8. */
const STRINGS = [
  '"\\u0041"',
  '"\\/"',
  '"\\x"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\ude00"',
  '"\\u12"',
  '"a\tb"',
  '"a\\u0000b"',
  "'a'",
  '"a',
];
const BAD_UTF8 = ['\xff', '\xc3', '\xed\xa0\x80', '\xc0\x80', '\xf5\x80\x80\x80', '\xe2\x82', '\xf0\x9f\x98\x80', '\xef\xbf\xbf'];
const SPACES = ['', '', '', '', ' ', '\n', '\t', '\r\n', '\x0b', '\xa0', '\xef\xbb\xbf', '/**/'];
const ENDS = ['', '', '', '', '', ' ', '\n', '\0', '}', ']', ',', '{}', 'x', '1'];
const IDS = [
  '1',
  '1',
  '1',
  '"x"',
  'null',
  '0',
  '-1',
  '1.5',
  '1e3',
  '{"a":[1]}',
  '[1,{}]',
  'true',
  '""',
  '"\\u00e9"',
  '12345678901234567890',
];
const VERSIONS = ['"1.0"', '"1.1"', '2', 'null', '"3"', '{}'];
/** Levels of nested lists on both sides of the limit of `defid`. */
const DEPTHS = [20, 400, 508, 510, 511, 512, 513, 514, 600, 3_000];
const MAX_BATCH = 5;

/** Bodies of requests around random calls: named arguments, batches, repeated members, and unusual or wrong JSON. */
export class BodyMaker {
  constructor(
    private readonly random: Random,
    private readonly next: () => Call,
    private readonly namesOf: ArgumentNames,
  ) {}

  /** @returns bytes that are no UTF-8, and no JSON, at times */
  body(): RequestBody {
    const { random } = this;
    const calls = random.below(4) > 0 ? [this.next()] : Array.from({ length: random.below(MAX_BATCH) }, () => this.next());
    const texts = calls.map((call) => (random.below(12) === 0 ? this.#value(this.#anyParams(call)) : this.#request(call)));
    const text = calls.length === 1 && random.below(8) > 0 ? String(texts[0]) : this.#list(texts);
    const bytes = Buffer.from(`${this.#rarely(SPACES)}${text}${this.#rarely(ENDS)}`, 'latin1');
    const method = calls.map((call) => call.method).join();
    return { method, bytes: random.below(12) === 0 ? mutated(bytes, random, [bytes]) : bytes };
  }

  #request(call: Call): string {
    const { random } = this;
    const members: [string, string][] = [['method', this.#value(call.method)]];
    if (random.below(12) > 0) members.push(['params', this.#params(call)]);
    if (random.below(6) > 0) members.push(['id', random.pick(IDS)]);
    if (random.below(3) === 0) members.push(['jsonrpc', random.pick(VERSIONS)]);
    if (random.below(12) === 0) members.push(random.pick(members));
    if (random.below(20) === 0) members.splice(random.below(members.length), 1);
    if (random.below(20) === 0)
      members.push([random.pick(['method', 'params', 'id', 'x']), this.#value(random.pick([null, 1, [], {}, 'x']))]);
    return this.#object(random.below(3) === 0 ? members.toReversed() : members);
  }

  #params(call: Call): string {
    return this.random.below(3) === 0 ? this.#named(call) : this.#value(this.#anyParams(call));
  }

  #anyParams({ params }: Call): unknown {
    const kind = this.random.below(40);
    if (kind === 0) return null;
    return kind === 1 ? this.random.pick<unknown>(['x', 1, true]) : params;
  }

  /** Arguments by name, of which some are unknown, missing or given twice. */
  #named({ method, params }: Call): string {
    const { random } = this;
    const names = this.namesOf(method);
    const members = params.map((value, i): [string, string] => [
      random.below(30) === 0 ? random.pick(['', 'x', 'args', ...names]) : (names[i] ?? `arg${i}`),
      this.#value(value),
    ]);
    if (members.length > 0 && random.below(6) === 0) members.splice(random.below(members.length), 1);
    if (members.length > 0 && random.below(6) === 0) members.push([random.pick(members)[0], this.#value(random.pick([null, 1, 'x', []]))]);
    return this.#object(random.below(3) === 0 ? members.toReversed() : members);
  }

  #value(value: unknown): string {
    const { random } = this;
    const kind = random.below(150);
    if (kind === 0) return this.#nested(value);
    if (kind === 1) return random.pick([...STRINGS, ...NUMBERS]);
    if (typeof value === 'number') return this.#number(value);
    if (typeof value === 'string') return this.#string(value);
    if (Array.isArray(value)) return this.#list(value.map((each) => this.#value(each)));
    if (typeof value === 'object' && value !== null) return this.#object(this.#entries(value));
    return random.below(40) === 0 ? random.pick(['True', 'nul', 'undefined', 'falsee']) : String(value);
  }

  /** Members of an object, one of which is repeated at times, with another value. */
  #entries(value: object): [string, string][] {
    const { random } = this;
    const entries = Object.entries(value).map(([name, each]): [string, string] => [name, this.#value(each)]);
    if (entries.length > 0 && random.below(6) === 0)
      entries.splice(random.below(entries.length + 1), 0, [random.pick(entries)[0], this.#value(random.pick(Object.values(value)))]);
    if (random.below(8) === 0) entries.push([random.pick(['x', '', 'limit']), this.#value(random.pick([null, 1, 'x', {}]))]);
    return entries;
  }

  #number(value: number): string {
    const { random } = this;
    const kind = random.below(10);
    const text = String(value);
    if (kind === 0) return random.pick(NUMBERS);
    if (kind === 1) return random.pick(LONG_NUMBERS);
    if (kind === 2 && Number.isInteger(value))
      return random.pick([`${text}.0`, `${text}e0`, `${text}E+0`, `${text}.00000000`, `"${text}"`]);
    return kind === 3 ? value.toExponential() : text;
  }

  #string(value: string): string {
    const { random } = this;
    const kind = random.below(24);
    if (kind === 0) return random.pick(STRINGS);
    const inner = Buffer.from(JSON.stringify(value)).toString('latin1').slice(1, -1);
    if (kind === 1) return `"${inner}${random.pick(BAD_UTF8)}"`;
    if (kind === 2 && /^\w/.test(value)) return `"\\u${value.charCodeAt(0).toString(16).padStart(4, '0')}${inner.slice(1)}"`;
    return `"${inner}"`;
  }

  #nested(value: unknown): string {
    const depth = this.random.pick(DEPTHS);
    const inner = JSON.stringify(value) ?? 'null';
    if (this.random.below(2) === 0) return `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
    return `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
  }

  #list(texts: readonly string[]): string {
    return `[${texts.join(this.#comma())}${this.random.below(200) === 0 ? ',' : ''}]`;
  }

  #object(members: readonly (readonly [name: string, text: string])[]): string {
    const texts = members.map(([name, text]) => `${this.#string(name)}${this.random.below(300) === 0 ? '' : ':'}${text}`);
    return `{${texts.join(this.#comma())}}`;
  }

  #comma(): string {
    return `${this.#rarely(SPACES)},${this.#rarely(SPACES)}`;
  }

  #rarely(texts: readonly string[]): string {
    return this.random.below(10) === 0 ? this.random.pick(texts) : '';
  }
}
