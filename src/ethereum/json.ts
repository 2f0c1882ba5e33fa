import { JsonNumber, quoteJson } from '../util/json.js';
import type { Steps } from '../util/slicer.js';

/** Result of a method. Members that are undefined are left out; a `JsonNumber` is written as its text. */
export type EthereumJson = null | boolean | number | string | JsonNumber | readonly EthereumJson[] | EthereumObject;

/** Object of a result, whose members are written in their order. */
export interface EthereumObject {
  readonly [name: string]: EthereumJson | undefined;
}

/** Characters of an answer that are written between two points of interruption. */
const PIECE = 16 * 1024;

/** Writes a result as JSON; stops between the elements of its arrays. @throws {AnswerTooLong} beyond `maxLength` characters */
export function* writeAnswer(value: EthereumJson, maxLength: number): Steps<string> {
  const out = new Output(maxLength);
  yield* write(value, out);
  return out.text();
}

/** The answer is longer than the server may send. */
export class AnswerTooLong extends Error {}

class Output {
  piece = '';
  readonly #pieces: string[] = [];
  #length = 0;

  constructor(readonly maxLength: number) {}

  get isFull(): boolean {
    return this.piece.length >= PIECE;
  }

  flush(): void {
    this.#length += this.piece.length;
    if (this.#length > this.maxLength) throw new AnswerTooLong();
    this.#pieces.push(this.piece);
    this.piece = '';
  }

  text(): string {
    this.flush();
    return this.#pieces.join('');
  }
}

function* write(value: EthereumJson, out: Output): Steps<void> {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) out.piece += scalar(value);
  else if (isArray(value)) {
    out.piece += '[';
    for (let i = 0; i < value.length; i++) {
      if (i > 0) out.piece += ',';
      const item = value[i] as EthereumJson;
      if (typeof item === 'string') out.piece += quoteJson(item);
      else yield* write(item, out);
      if (out.isFull) {
        out.flush();
        yield;
      }
    }
    out.piece += ']';
  } else {
    out.piece += '{';
    let separator = '';
    for (const name in value) {
      const member = value[name];
      if (member === undefined) continue;
      out.piece += `${separator}${quoteJson(name)}:`;
      separator = ',';
      if (typeof member === 'string') out.piece += quoteJson(member);
      else yield* write(member, out);
    }
    out.piece += '}';
  }
}

function scalar(value: null | boolean | number | string | JsonNumber): string {
  if (typeof value === 'string') return quoteJson(value);
  return value instanceof JsonNumber ? value.text : String(value);
}

function isArray(value: object): value is readonly EthereumJson[] {
  return Array.isArray(value);
}
