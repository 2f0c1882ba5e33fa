import { mapEntries } from './long-map.js';

/** The list of an answer, wherever in the answer it is, and the keys of its elements. All messages are in the shape of gen/ts. */

type Message = Readonly<Record<string, unknown>>;

/** Member of a oneof that is set. */
interface Case {
  readonly $case: string;
  readonly value: unknown;
}

/** A list, or a map as the list of its entries. */
export interface FoundList {
  readonly entries: readonly Entry[];
  /** The whole answer with other elements in place of these. */
  readonly withEntries: (entries: readonly Entry[]) => object;
}

/** An element of a list, or an entry of a map, which has a name. */
export interface Entry {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** Part of a key. Numbers of all types are texts of digits. */
export type KeyPart = string;

/** Name of the key of a map, or of a list of scalars. */
const ITSELF = '@';

/**
 * Finds the list of an answer: by its name, in the message itself or in the members that are set of its oneofs.
 * @param names names that the list may have, depending on the form of the answer
 * @returns undefined for an answer in a form without a list
 */
export function findList(message: object, names: readonly string[]): FoundList | undefined {
  for (const [property, value] of Object.entries(message)) {
    const replace = (other: unknown): object => ({ ...message, [property]: other });
    if (names.includes(property)) return listOf(value, replace);
    const inner = isCase(value) ? value.value : value;
    if (!isMessage(inner)) continue;
    const found = findList(inner, names);
    if (!found) continue;
    const wrap = (other: object): unknown => (isCase(value) ? { $case: value.$case, value: other } : other);
    return { ...found, withEntries: (entries) => replace(wrap(found.withEntries(entries))) };
  }
  return undefined;
}

function listOf(value: unknown, replace: (value: unknown) => object): FoundList {
  if (Array.isArray(value)) {
    const entries = value.map((each: unknown): Entry => ({ name: undefined, value: each }));
    return { entries, withEntries: (kept) => replace(kept.map((each) => each.value)) };
  }
  const entries = mapEntries(value ?? {}).map(([name, each]): Entry => ({ name: String(name), value: each }));
  return { entries, withEntries: (kept) => replace(Object.fromEntries(kept.map((each) => [each.name, each.value]))) };
}

/** @param path properties with dots; `@` is the key of a map, or the element of a list itself */
export function keyPart(entry: Entry, path: string): KeyPart {
  if (path === ITSELF) return entry.name ?? textOf(entry.value);
  return textOf(path.split('.').reduce<unknown>(memberOf, entry.value));
}

/** Member of a message by its name; of a oneof, that of the message that is set. */
export function memberOf(message: unknown, name: string): unknown {
  if (typeof message !== 'object' || message === null) return undefined;
  const value = (message as Message)[name];
  if (value !== undefined) return isCase(value) ? value.value : value;
  for (const each of Object.values(message)) {
    const found = !isCase(each) ? undefined : each.$case === name ? each.value : memberOf(each.value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: unknown): KeyPart {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  // A message that is shown as a map with one member is named by that member.
  return Object.keys(value).join();
}

function isCase(value: unknown): value is Case {
  return typeof value === 'object' && value !== null && '$case' in value;
}

function isMessage(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

const DIGITS = /^(0|[1-9]\d*)$/;

/** Orders key parts: numbers by their value before all other texts. */
export function compareParts(a: KeyPart, b: KeyPart): number {
  if (a === b) return 0;
  const [isNumberA, isNumberB] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Bytes of a number as text. */
const NUMBER_BYTES = 12;

/** Estimate of the size of a value in JSON, which is about that of its message or larger. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : NUMBER_BYTES;
  if (value instanceof Uint8Array) return 2 * value.length + 2;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + sizeOf(each) + 1, 2);
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + sizeOf(each) + 4, 2);
}
