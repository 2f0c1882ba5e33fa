import { JsonObject, type JsonValue } from '../util/json.js';
import { shown, Unreadable, wrongType } from './unreadable.js';

/** Readers of the members of an object, by name. */
export type Readers = Readonly<Record<string, (value: JsonValue) => unknown>>;

/** Values of the members that were given. */
export type Members<R extends Readers> = { readonly [K in keyof R]: ReturnType<R[K]> | undefined };

/** An object of a parameter. */
export interface ObjectShape<R extends Readers> {
  /** As `defid` calls it in errors. */
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
export function readMembers<const R extends Readers>(value: JsonValue, shape: ObjectShape<R>): Members<R> {
  if (Array.isArray(value)) return readElements(value as readonly JsonValue[], shape);
  const given = entriesOf(value, shape.name);
  const { readers, named = Object.keys(readers) } = shape;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(readers)) members[name] = undefined;
  const seen = new Set<string>();
  forEach(given, ([name, member]) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (!read) throw new Unreadable(`unknown field \`${shown(name)}\`, expected ${alternatives(named)}`, 'name');
    if (seen.has(name)) throw new Unreadable(`duplicate field \`${name}\``, 'name');
    seen.add(name);
    if (member !== null) members[name] = read(member);
  });
  return members as Members<R>;
}

function readElements<R extends Readers>(values: readonly JsonValue[], shape: ObjectShape<R>): Members<R> {
  const { name, readers, named: names = Object.keys(readers), omissible } = shape;
  const members: Record<string, unknown> = {};
  for (const [i, member] of names.entries()) {
    const value = values[i];
    if (value === undefined && !omissible?.includes(member)) throw tooShort(i, name, names.length);
    members[member] = value === undefined || value === null ? undefined : readAt(i, () => readers[member]?.(value));
  }
  checkLength(values, names.length);
  return members as Members<R>;
}

/** An array with fewer elements than the object whose place it takes has members. */
function tooShort(length: number, name: string, members: number): Unreadable {
  return new Unreadable(`invalid length ${length}, expected struct ${name} with ${members} elements`);
}

/** Reads an object that needs all of its members, and may have others; an array may take its place. @throws {Unreadable} */
export function readWhole<const R extends Readers>(
  value: JsonValue,
  { name, readers }: ObjectShape<R>,
): { [K in keyof R]: ReturnType<R[K]> } {
  const names = Object.keys(readers);
  const members = new Map<string, unknown>();
  if (Array.isArray(value)) {
    const values = value as readonly JsonValue[];
    for (const [i, member] of names.entries()) {
      const element = values[i];
      if (element === undefined) throw tooShort(i, name, names.length);
      members.set(
        member,
        readAt(i, () => readers[member]?.(element)),
      );
    }
    checkLength(values, names.length);
  } else {
    forEach(entriesOf(value, name), ([member, given]) => {
      if (!Object.hasOwn(readers, member)) return;
      if (members.has(member)) throw new Unreadable(`duplicate field \`${member}\``, 'name');
      members.set(member, readers[member]?.(given));
    });
  }
  const missing = names.find((member) => !members.has(member));
  if (missing !== undefined) throw new Unreadable(`missing field \`${missing}\``);
  return Object.fromEntries(members) as { [K in keyof R]: ReturnType<R[K]> };
}

function checkLength(values: readonly JsonValue[], most: number): void {
  if (values.length > most) throw new Unreadable('trailing characters', 'start', 1).within(most);
}

/** Reads each element of an array. @throws {Unreadable} */
export function readList<T>(value: JsonValue, read: (item: JsonValue) => T): readonly T[] {
  if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
  const items: T[] = [];
  forEach(value as readonly JsonValue[], (item) => items.push(read(item)));
  return items;
}

/** Reads an object whose names are values too. @throws {Unreadable} */
export function readMap<K, V>(value: JsonValue, readKey: (name: string) => K, read: (value: JsonValue) => V): readonly (readonly [K, V])[] {
  if (!(value instanceof JsonObject)) throw wrongType(value, 'a map');
  const entries: (readonly [K, V])[] = [];
  forEach(value.entries, ([name, member]) => {
    entries.push([nameOf(name, readKey), read(member)]);
  });
  return entries;
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
    throw error instanceof Unreadable ? error.within(position) : error;
  }
}

function forEach<T>(items: readonly T[], read: (item: T) => void): void {
  let position = 0;
  try {
    for (; position < items.length; position++) read(items[position] as T);
  } catch (error) {
    throw error instanceof Unreadable ? error.within(position) : error;
  }
}

function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length > 2 ? `one of ${quoted.join(', ')}` : quoted.join(' or ');
}
