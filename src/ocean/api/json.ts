import { JsonNumber, JsonObject, type JsonValue } from '../../util/json.js';

/** A value of an answer. Members that are undefined are left out. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/**
 * Typed access to the answer of an operation, whose numbers keep their texts. The answers are our own, so a member of another type is a
 * fault of this module.
 */
export class Reader {
  constructor(readonly value: JsonValue | undefined) {}

  /** True if there is a value that is not null. */
  get isThere(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Member of an object; an empty reader if the object has no member of that name. */
  get(name: string): Reader {
    return new Reader(this.value instanceof JsonObject ? this.value.get(name) : undefined);
  }

  /** Elements of an array. @throws {Error} if it is none */
  list(): Reader[] {
    if (!Array.isArray(this.value)) throw this.#wrong('an array');
    return this.value.map((each: JsonValue) => new Reader(each));
  }

  /** Members of an object with their names. @throws {Error} if it is none */
  members(): (readonly [string, Reader])[] {
    if (!(this.value instanceof JsonObject)) throw this.#wrong('an object');
    return this.value.entries.map(([name, value]) => [name, new Reader(value)]);
  }

  /** @throws {Error} if it is no text */
  text(): string {
    if (typeof this.value !== 'string') throw this.#wrong('a text');
    return this.value;
  }

  /** Text of a number or of a string. Some operations return amounts as numbers, others as strings. */
  digits(): string {
    if (this.value instanceof JsonNumber) return this.value.text;
    return this.text();
  }

  /** Whole number, e.g. a height. @throws {Error} if it is no number */
  number(): number {
    return Number(this.digits());
  }

  /** @throws {Error} if it is no boolean */
  flag(): boolean {
    if (typeof this.value !== 'boolean') throw this.#wrong('a boolean');
    return this.value;
  }

  #wrong(wanted: string): Error {
    const kind = this.value instanceof JsonObject ? 'an object' : Array.isArray(this.value) ? 'an array' : String(this.value);
    return new Error(`the answer of an operation has ${kind} in place of ${wanted}`);
  }
}

/** The value as an answer shows it; numbers become doubles, which is exact for heights and the like but not for amounts. */
export function looseJson(value: JsonValue): Json {
  if (value instanceof JsonNumber) return Number(value.text);
  if (value instanceof JsonObject) return Object.fromEntries(value.entries.map(([name, each]) => [name, looseJson(each)]));
  if (Array.isArray(value)) return value.map((each: JsonValue) => looseJson(each));
  return value as null | boolean | string;
}
