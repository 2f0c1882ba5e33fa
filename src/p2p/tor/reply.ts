/** A reply of the Tor control port: its status code, and its lines without status. */
export interface TorReply {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Bounds of what the control port may send; real replies have a few hundred bytes. */
export const MAX_LINE_BYTES = 16_384;
const MAX_REPLY_BYTES = 65_536;
/** From here on replies are notifications that no command asked for. */
const ASYNCHRONOUS = 600;

/** The control port sends more than any reply has. */
export class TorReplyTooLong extends Error {
  constructor() {
    super('Tor control reply is too long');
  }
}

/**
 * Cuts the stream of a control port into replies: lines of `<status>(-|+| )<text>`, the last one with a blank; after `+` follow lines of
 * data until a lone dot.
 * @see control-spec 2.3
 */
export class TorReplyParser {
  #pending = '';
  #lines: string[] = [];
  #bytes = 0;
  #inData = false;

  /**
   * @returns replies that are complete, without notifications
   * @throws {TorReplyTooLong} if a line or a reply exceeds its bound
   */
  push(bytes: Uint8Array): readonly TorReply[] {
    const text = this.#pending + Buffer.from(bytes).toString('latin1');
    const lines = text.split('\n');
    this.#pending = lines.pop() ?? '';
    const replies = lines.flatMap((line) => this.#take(line.endsWith('\r') ? line.slice(0, -1) : line) ?? []);
    if (this.#pending.length > MAX_LINE_BYTES) throw new TorReplyTooLong();
    return replies.filter(({ code }) => code < ASYNCHRONOUS);
  }

  #take(line: string): TorReply | undefined {
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

/** `AUTH METHODS=...` as `AUTH` and `METHODS=...`. */
export function splitKeyword(line: string): { readonly keyword: string; readonly rest: string } {
  const blank = line.indexOf(' ');
  return blank < 0 ? { keyword: line, rest: '' } : { keyword: line.slice(0, blank), rest: line.slice(blank + 1) };
}

/**
 * Arguments of the form `KEY=value KEY="quoted value"`; what follows them without `=` is left out.
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

/** Escapes as in C: \n, \t, \r, octal up to \377; any other character stands for itself. */
function unescaped(text: string): string {
  return text.replace(/\\([0-3][0-7]{2}|[0-7]{1,2}|.)/gs, (_, escaped: string) =>
    /^[0-7]/.test(escaped) ? String.fromCharCode(Number.parseInt(escaped, 8)) : (CONTROL_CHARACTERS[escaped] ?? escaped),
  );
}

/** A string of the control protocol in quotes. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
