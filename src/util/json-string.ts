/** Reading of JSON string literals: of any length, in pieces. */

/** An escape, or a control character, which a string may not hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are refused
export const NOT_PLAIN = /[\\\u0000-\u001f]/;
const ESCAPES: Readonly<Record<string, number>> = { '"': 0x22, '\\': 0x5c, '/': 0x2f, b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Characters of a stretch without escapes that are looked at in one go. */
const PLAIN_PIECE = 1 << 18;
/** Characters that are read one by one in one go. */
const ESCAPED_PIECE = 1 << 13;

/** Used within one call only, so all readers share it. */
const units = new Uint16Array(ESCAPED_PIECE);

/** Where and why a text is no JSON. */
export function notJson(at: number): SyntaxError {
  return new SyntaxError(`not JSON at character ${at}`);
}

/** Reads one string literal, a piece per call. Text up to the first escape is sliced: a block in hex costs one slice. */
export class JsonStringReader {
  /** Position of the next character to look at; behind the closing quote once the string is read. */
  at: number;
  readonly #text: string;
  readonly #from: number;
  /** First quote, which ends the string unless there are escapes. */
  readonly #quote: number;
  /** What precedes `at`; undefined while no escape has been met. */
  #pieces: string[] | undefined;

  /** @param from position behind the opening quote @throws {SyntaxError} where no quote follows */
  constructor(text: string, from: number) {
    this.#text = text;
    this.#from = from;
    this.at = from;
    this.#quote = text.indexOf('"', from);
    if (this.#quote < 0) throw notJson(from);
  }

  /** Reads a piece. @returns the string once it is complete @throws {SyntaxError} on what a string may not hold */
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
    // A surrogate pair takes two units.
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

  /** @returns how many units are read with those of this escape */
  #escaped(read: number): number {
    const letter = this.#text.charAt(this.at++);
    if (letter !== 'u') {
      const meant = ESCAPES[letter];
      if (meant === undefined) throw notJson(this.at - 1);
      units[read] = meant;
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

  /** @returns the unit of four hex digits at the position */
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
