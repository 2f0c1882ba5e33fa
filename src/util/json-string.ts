/** Reader of JSON string literals of any length, in pieces. */

/** An escape, or a control character, which must not occur in a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected
export const NOT_PLAIN = /[\\\u0000-\u001f]/;
const ESCAPES: Readonly<Record<string, number>> = { '"': 0x22, '\\': 0x5c, '/': 0x2f, b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Maximum number of characters without escapes read by one call. */
const PLAIN_PIECE = 1 << 18;
/** Maximum number of characters with escapes read by one call. */
const ESCAPED_PIECE = 1 << 13;

/** Buffer of one call, shared by all readers. */
const units = new Uint16Array(ESCAPED_PIECE);

/** Error for text that is not JSON. @param at position of the first wrong character */
export function notJson(at: number): SyntaxError {
  return new SyntaxError(`not JSON at character ${at}`);
}

/** Reads one string literal, a piece per call. Text before the first escape is not copied: a block in hex costs one `slice`. */
export class JsonStringReader {
  /** Position of the next character; after the closing quote once the string is complete. */
  at: number;
  readonly #text: string;
  readonly #from: number;
  /** Position of the first quote, which ends the string unless there are escapes. */
  readonly #quote: number;
  /** Text before `at`; undefined before the first escape. */
  #pieces: string[] | undefined;

  /** @param from position after the opening quote @throws {SyntaxError} if no quote follows */
  constructor(text: string, from: number) {
    this.#text = text;
    this.#from = from;
    this.at = from;
    this.#quote = text.indexOf('"', from);
    if (this.#quote < 0) throw notJson(from);
  }

  /** Reads a piece. @returns the string once it is complete @throws {SyntaxError} for characters that must not occur in a string */
  read(): string | undefined {
    return this.#pieces ? this.#readEscaped(this.#pieces) : this.#readPlain();
  }

  #readPlain(): string | undefined {
    const stop = Math.min(this.at + PLAIN_PIECE, this.#quote);
    if (NOT_PLAIN.test(this.#text.slice(this.at, stop))) {
      this.#pieces = [this.#text.slice(this.#from, this.at)];
      return this.#readEscaped(this.#pieces);
    }
    this.at = stop;
    if (stop < this.#quote) return undefined;
    this.at = stop + 1;
    return this.#text.slice(this.#from, stop);
  }

  #readEscaped(pieces: string[]): string | undefined {
    let read = 0;
    // A surrogate pair has two units.
    while (read < ESCAPED_PIECE - 1) {
      const unit = this.#text.charCodeAt(this.at++);
      if (unit === QUOTE) {
        pieces.push(textOf(read));
        return pieces.join('');
      }
      if (unit === BACKSLASH) read = this.#escaped(read);
      // The comparison is false for NaN too, the end of the text.
      else if (unit >= SPACE) units[read++] = unit;
      else throw notJson(this.at - 1);
    }
    pieces.push(textOf(read));
    return undefined;
  }

  /** Reads an escape. @returns number of units read so far, including those of this escape */
  #escaped(read: number): number {
    const letter = this.#text.charAt(this.at++);
    if (letter !== 'u') {
      const unit = ESCAPES[letter];
      if (unit === undefined) throw notJson(this.at - 1);
      units[read] = unit;
      return read + 1;
    }
    const unit = this.#fourDigits();
    units[read] = unit;
    if (unit < 0xd800 || unit > 0xdfff) return read + 1;
    if (unit > 0xdbff || !this.#text.startsWith('\\u', this.at)) throw notJson(this.at);
    this.at += 2;
    const low = this.#fourDigits();
    if (low < 0xdc00 || low > 0xdfff) throw notJson(this.at);
    units[read + 1] = low;
    return read + 2;
  }

  /** Reads four hex digits. @returns the UTF-16 unit */
  #fourDigits(): number {
    const digits = this.#text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw notJson(this.at);
    this.at += 4;
    return Number.parseInt(digits, 16);
  }
}

function textOf(count: number): string {
  return String.fromCharCode.apply(null, units.subarray(0, count) as unknown as number[]);
}
