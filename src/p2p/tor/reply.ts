/** Reply of the Tor control port: status code, and lines without the code. */
export interface TorReply {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Limits for replies of the control port; real ones have a few hundred bytes. */
const MAX_LINE_BYTES = 16_384;
const MAX_REPLY_BYTES = 65_536;
/** First status code of asynchronous notifications. */
const ASYNCHRONOUS = 600;

/** Error for a reply above the limits. */
export class TorReplyTooLong extends Error {
  constructor() {
    super('Tor control reply is too long');
  }
}

/**
 * Splits the stream of a control port into replies. A reply has lines of the form `<status>(-|+| )<text>`, the last one with a blank. A
 * line with `+` is followed by data lines up to a single dot.
 * @see control-spec 2.3
 */
export class TorReplyParser {
  #pending = '';
  #lines: string[] = [];
  #bytes = 0;
  #inData = false;

  /**
   * @returns complete replies, without notifications
   * @throws {TorReplyTooLong} if a line or a reply exceeds its limit
   */
  push(bytes: Uint8Array): readonly TorReply[] {
    const text = this.#pending + Buffer.from(bytes).toString('latin1');
    const lines = text.split('\n');
    this.#pending = lines.pop() ?? '';
    const replies = lines.flatMap((line) => this.#addLine(line.endsWith('\r') ? line.slice(0, -1) : line) ?? []);
    if (this.#pending.length > MAX_LINE_BYTES) throw new TorReplyTooLong();
    return replies.filter(({ code }) => code < ASYNCHRONOUS);
  }

  #addLine(line: string): TorReply | undefined {
    this.#bytes += line.length;
    if (line.length > MAX_LINE_BYTES || this.#bytes > MAX_REPLY_BYTES) throw new TorReplyTooLong();
    if (this.#inData) {
      this.#inData = line !== '.';
      return undefined;
    }
    const [, status, separator, text = ''] = /^(\d{3})([ +-])(.*)$/.exec(line) ?? [];
    if (status === undefined) return undefined;
    this.#lines.push(text);
    this.#inData = separator === '+';
    if (separator !== ' ') return undefined;
    const reply = { code: Number(status), lines: this.#lines };
    this.#lines = [];
    this.#bytes = 0;
    return reply;
  }
}

/** Splits `AUTH METHODS=...` into `AUTH` and `METHODS=...`. */
export function splitKeyword(line: string): { readonly keyword: string; readonly rest: string } {
  const blank = line.indexOf(' ');
  return blank < 0 ? { keyword: line, rest: '' } : { keyword: line.slice(0, blank), rest: line.slice(blank + 1) };
}

/**
 * Parses arguments of the form `KEY=value KEY="quoted value"`; text after them without `=` is ignored.
 * @returns an empty map if the text is malformed
 */
export function parseArguments(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let rest = text;
  while (rest !== '') {
    const [, key = '', separator, tail = ''] = /^([^= ]*)([= ]?)(.*)$/s.exec(rest) ?? [];
    if (separator === ' ') break;
    if (separator !== '=') return new Map();
    const value = tail.startsWith('"') ? quotedValue(tail) : plainValue(tail);
    if (!value) return new Map();
    found.set(key, value.text);
    rest = value.rest.startsWith(' ') ? value.rest.slice(1) : value.rest;
  }
  return found;
}

interface Value {
  readonly text: string;
  readonly rest: string;
}

function plainValue(tail: string): Value {
  const end = tail.indexOf(' ');
  return end < 0 ? { text: tail, rest: '' } : { text: tail.slice(0, end), rest: tail.slice(end) };
}

/** @returns undefined if the closing quote is missing */
function quotedValue(tail: string): Value | undefined {
  const [whole, inside] = /^"((?:[^"\\]|\\.)*)"/s.exec(tail) ?? [];
  if (whole === undefined || inside === undefined) return undefined;
  return { text: unescaped(inside), rest: tail.slice(whole.length) };
}

const CONTROL_CHARACTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Replaces escapes as in C: \n, \t, \r, octal up to \377; before any other character the backslash is dropped. */
function unescaped(text: string): string {
  return text.replace(/\\([0-3][0-7]{2}|[0-7]{1,2}|.)/gs, (_, escaped: string) =>
    /^[0-7]/.test(escaped) ? String.fromCharCode(Number.parseInt(escaped, 8)) : (CONTROL_CHARACTERS[escaped] ?? escaped),
  );
}

/** Quotes a string for the control protocol. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
