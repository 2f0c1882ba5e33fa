import { JsonObject, type JsonValue } from '../util/json.js';
import type { Steps, UnitCount } from '../util/slicer.js';
import { shown, Unreadable, wrongType } from './unreadable.js';

/** Reader of a value that may be long, with points of interruption. */
export interface SteppedReader<T> {
  /** @param units count of the items that were read @throws {Unreadable} */
  readonly steps: (value: JsonValue, units: UnitCount) => Steps<T>;
}

/** Reader of a value. @throws {Unreadable} */
export type Reader<T> = ((value: JsonValue) => T) | SteppedReader<T>;

type ValueOf<R> = R extends SteppedReader<infer T> ? T : R extends (value: JsonValue) => infer T ? T : never;

/** Readers of the members of an object, by name. */
export type Readers = Readonly<Record<string, Reader<unknown>>>;

/** Values of the members that were given. */
export type Members<R extends Readers> = { readonly [K in keyof R]: ValueOf<R[K]> | undefined };

/** An object of a parameter. */
export interface ObjectShape<R extends Readers> {
  /** Name in errors of `defid`. */
  readonly name: string;
  readonly readers: R;
  /** Members that errors name, and that an array in the place of the object has; all by default. */
  readonly named?: readonly (keyof R & string)[];
  /** Members that an array in the place of the object may leave out. */
  readonly omissible?: readonly (keyof R & string)[];
}

/**
 * Reads an object whose members are all optional. Null counts as missing. As in `defid`, an array may take its place, with the values in
 * the order of the members.
 * @throws {Unreadable} for other members or values
 */
export function* readMembers<const R extends Readers>(value: JsonValue, shape: ObjectShape<R>, units: UnitCount): Steps<Members<R>> {
  if (Array.isArray(value)) return yield* readElements(value as readonly JsonValue[], shape, units);
  const given = entriesOf(value, shape.name);
  const { readers, named = Object.keys(readers) } = shape;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(readers)) members[name] = undefined;
  const seen = new Set<string>();
  const readNamed = function* readNamed([name, member]: JsonObject['entries'][number]): Steps<void> {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (!read) throw new Unreadable(`unknown field \`${shown(name)}\`, expected ${alternatives(named)}`, 'name');
    if (seen.has(name)) throw new Unreadable(`duplicate field \`${name}\``, 'name');
    seen.add(name);
    if (member !== null) members[name] = yield* readWith(read, member, units);
  };
  yield* readEach(given, { steps: readNamed }, units);
  return members as Members<R>;
}

function* readElements<R extends Readers>(values: readonly JsonValue[], shape: ObjectShape<R>, units: UnitCount): Steps<Members<R>> {
  const { name, readers, named: names = Object.keys(readers), omissible } = shape;
  const members: Record<string, unknown> = {};
  for (const [i, member] of names.entries()) {
    const value = values[i];
    if (value === undefined && !omissible?.includes(member)) throw tooShort(i, name, names.length);
    const read = readers[member] as Reader<unknown>;
    members[member] = value === undefined || value === null ? undefined : yield* readElement(i, value, read, units);
  }
  checkLength(values, names.length);
  return members as Members<R>;
}

/** An array with fewer elements than the object whose place it takes has members. */
function tooShort(length: number, name: string, members: number): Unreadable {
  return new Unreadable(`invalid length ${length}, expected struct ${name} with ${members} elements`);
}

/** Reads an object that needs all of its members, and may have others; an array may take its place. @throws {Unreadable} */
export function* readWhole<const R extends Readers>(
  value: JsonValue,
  { name, readers }: ObjectShape<R>,
  units: UnitCount,
): Steps<{ [K in keyof R]: ValueOf<R[K]> }> {
  const names = Object.keys(readers);
  const members = new Map<string, unknown>();
  if (Array.isArray(value)) {
    const values = value as readonly JsonValue[];
    for (const [i, member] of names.entries()) {
      const element = values[i];
      if (element === undefined) throw tooShort(i, name, names.length);
      members.set(member, yield* readElement(i, element, readers[member] as Reader<unknown>, units));
    }
    checkLength(values, names.length);
  } else {
    const readNamed = function* readNamed([member, given]: JsonObject['entries'][number]): Steps<void> {
      const read = Object.hasOwn(readers, member) ? readers[member] : undefined;
      if (!read) return;
      if (members.has(member)) throw new Unreadable(`duplicate field \`${member}\``, 'name');
      members.set(member, yield* readWith(read, given, units));
    };
    yield* readEach(entriesOf(value, name), { steps: readNamed }, units);
  }
  const missing = names.find((member) => !members.has(member));
  if (missing !== undefined) throw new Unreadable(`missing field \`${missing}\``);
  return Object.fromEntries(members) as { [K in keyof R]: ValueOf<R[K]> };
}

function checkLength(values: readonly JsonValue[], most: number): void {
  if (values.length > most) throw new Unreadable('trailing characters', 'start', 1).within(most);
}

/** Reads each element of an array. @throws {Unreadable} */
export function* readList<T>(value: JsonValue, read: Reader<T>, units: UnitCount): Steps<readonly T[]> {
  if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
  return yield* readEach(value as readonly JsonValue[], read, units);
}

/** Reads an object whose names are values too. @throws {Unreadable} */
export function* readMap<K, V>(
  value: JsonValue,
  readKey: (name: string) => K,
  read: Reader<V>,
  units: UnitCount,
): Steps<readonly (readonly [K, V])[]> {
  if (!(value instanceof JsonObject)) throw wrongType(value, 'a map');
  const { entries } = value;
  if (typeof read === 'function')
    return yield* readEach(entries, ([name, member]) => [nameOf(name, readKey), read(member)] as const, units);
  const readEntry = function* readEntry([name, member]: JsonObject['entries'][number]): Steps<readonly [K, V]> {
    return [nameOf(name, readKey), yield* read.steps(member, units)] as const;
  };
  return yield* readEach(entries, { steps: readEntry }, units);
}

function nameOf<K>(name: string, read: (name: string) => K): K {
  try {
    return read(name);
  } catch (error) {
    throw error instanceof Unreadable ? new Unreadable(error.text, 'name') : error;
  }
}

function entriesOf(value: JsonValue, name: string): JsonObject['entries'] {
  if (!(value instanceof JsonObject)) throw wrongType(value, `struct ${name}`);
  return value.entries;
}

/** Reads the element at a position of its container. @throws {Unreadable} with the position */
export function readAt<T>(position: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw placed(error, position);
  }
}

/** Reads the element at a position of its container with a reader. */
function* readElement<T>(position: number, value: JsonValue, read: Reader<T>, units: UnitCount): Steps<T> {
  try {
    return yield* readWith(read, value, units);
  } catch (error) {
    throw placed(error, position);
  }
}

function* readWith<T>(read: Reader<T>, value: JsonValue, units: UnitCount): Steps<T> {
  return typeof read === 'function' ? read(value) : yield* read.steps(value, units);
}

/** Reads all items of a container. @throws {Unreadable} with the position */
function* readEach<I, T>(
  items: readonly I[],
  read: ((item: I) => T) | { readonly steps: (item: I, units: UnitCount) => Steps<T> },
  units: UnitCount,
): Steps<readonly T[]> {
  const values: T[] = [];
  try {
    while (values.length < items.length) {
      const item = items[values.length] as I;
      values.push(typeof read === 'function' ? read(item) : yield* read.steps(item, units));
      if (units.add()) yield;
    }
  } catch (error) {
    throw placed(error, values.length);
  }
  return values;
}

/** An error of an item, with the position of the item in its container. */
export function placed(error: unknown, position: number): unknown {
  return error instanceof Unreadable ? error.within(position) : error;
}

function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length > 2 ? `one of ${quoted.join(', ')}` : quoted.join(' or ');
}
