import { JsonObject, type JsonValue, writeJson } from '../util/json.js';
import { afterBlanks, valueAt } from '../util/json-places.js';
import { type Steps, UnitCount } from '../util/slicer.js';
import { type EthereumError, invalidParams } from './errors.js';
import { placed } from './members.js';
import { debugText, Unreadable } from './unreadable.js';

/** Parameters of a call as the client sent them. */
export interface Params {
  /** An array by position, an object by name; undefined or null for none. */
  readonly value: JsonValue | undefined;
  /** Source text of the value, without white space around it. Read for errors only, which name places in it; empty if it would take long. */
  text(): string;
}

/**
 * Reads a value, with points of interruption if it may be long. `isStrict` is true to refuse all that `defid` refuses, `units` counts the
 * items that were read.
 * @throws {Unreadable}
 */
export type Read<T> =
  | ((value: JsonValue, isStrict: boolean) => T)
  | { readonly steps: (value: JsonValue, units: UnitCount, isStrict: boolean) => Steps<T> };

/** Parameter of a method. */
export interface Param<T> {
  /** Name as `defid` spells it. Clients that name parameters may write it in camel case too. */
  readonly name: string;
  readonly read: Read<T>;
  /** Value of a parameter that is missing or null; undefined if the caller must give it. */
  readonly missing: { readonly value: T } | undefined;
}

/** Values of parameters, in their order. */
export type Values<P extends readonly Param<unknown>[]> = { readonly [I in keyof P]: P[I] extends Param<infer T> ? T : never };

/** A parameter that the caller must give. */
export function required<T>(name: string, read: Read<T>): Param<T> {
  return { name, read, missing: undefined };
}

/** A parameter that may be missing or null. */
export function optional<T, D>(name: string, read: Read<T>, missing: D): Param<T | D> {
  return { name, read, missing: { value: missing } };
}

/** Parameters that a program made. */
export function paramsOf(value: JsonValue | undefined): Params {
  return { value, text: () => writeJson(value ?? null) };
}

/**
 * Reads the parameters of a call in their order; further ones are ignored, as in `defid`.
 * @throws {EthereumError} with the text of the decoder of `defid`
 */
export function* readParams<const P extends readonly Param<unknown>[]>(declared: P, params: Params, isStrict: boolean): Steps<Values<P>> {
  const { value = null } = params;
  const values: unknown[] = [];
  if (declared.length === 0) return values as unknown as Values<P>;
  if (value instanceof JsonObject) return (yield* readNamed(declared, value, params, isStrict)) as unknown as Values<P>;
  if (value !== null && !Array.isArray(value)) {
    throw invalidParams(`Invalid params. Expected one of '[', ']' or ',' but found ${debugText(params.text())}`);
  }
  const given = (value ?? []) as readonly JsonValue[];
  for (const [i, param] of declared.entries()) {
    const item = given[i];
    if (item === undefined || (item === null && param.missing)) {
      values.push((param.missing ?? missing(i, params)).value);
      continue;
    }
    try {
      values.push(yield* readWith(param, item, isStrict));
    } catch (error) {
      throw error instanceof Unreadable ? refused(error.within(i), params.text(), (text) => startOf(text, i)) : error;
    }
  }
  return values as unknown as Values<P>;
}

function* readWith({ read }: Param<unknown>, value: JsonValue, isStrict: boolean): Steps<unknown> {
  return typeof read === 'function' ? read(value, isStrict) : yield* read.steps(value, new UnitCount(), isStrict);
}

/** @throws {EthereumError} for a parameter that the caller must give */
function missing(position: number, params: Params): never {
  const text = params.text();
  // The decoder does not notice that an array is empty if white space is in it.
  if (position === 0 && text.startsWith('[') && text !== '[]') {
    throw refused(new Unreadable('expected value', 'opened'), text, () => 1);
  }
  throw invalidParams('No more params');
}

function* readNamed(declared: readonly Param<unknown>[], given: JsonObject, params: Params, isStrict: boolean): Steps<unknown[]> {
  const found = new Map<Param<unknown>, unknown>();
  try {
    for (const [i, [name, value]] of given.entries.entries()) {
      const param = declared.find((each) => each.name === name || camelCase(each.name) === name);
      if (!param) continue;
      if (found.has(param)) throw new Unreadable(`duplicate field \`${param.name}\``, 'name').within(i);
      try {
        found.set(param, value === null && param.missing ? param.missing.value : yield* readWith(param, value, isStrict));
      } catch (error) {
        throw placed(error, i);
      }
    }
    return declared.map((param) => {
      if (found.has(param)) return found.get(param);
      if (!param.missing) throw new Unreadable(`missing field \`${param.name}\``);
      return param.missing.value;
    });
  } catch (error) {
    throw error instanceof Unreadable ? refused(error, params.text(), () => 0) : error;
  }
}

function camelCase(name: string): string {
  return name.replace(/_./g, (letter) => letter.charAt(1).toUpperCase());
}

function refused(error: Unreadable, text: string, from: (text: string) => number): EthereumError {
  return invalidParams(text === '' ? error.text : error.describe(text, from(text)));
}

/** Index of the first character that `defid` decodes for a parameter: that after the bracket or comma. */
function startOf(text: string, position: number): number {
  return position === 0 ? 1 : afterBlanks(text, valueAt(text, [position - 1]).end) + 1;
}
