import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { propertyName } from './names.js';
import type { Options } from './options.js';

/** Values that an answer may have to be made at once: a few milliseconds of work. */
export const SHORT_VALUES = 4096;

/** In the shape of gen/ts. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * Takes the number of values that a message holds from `left`, and stops below zero: a long message is known as such before
 * much of it was looked at.
 * @returns what is left
 */
export type Weigh = (value: unknown, left: number) => number;

/** Weighs messages: what is long takes long to write. Compiled per message; one whose size its type settles has no weight. */
export class Weights {
  readonly #messages = new Map<DescMessage, Weigh | undefined>();
  readonly #sizes = new Map<DescMessage, number>();

  constructor(readonly options: Options) {}

  /** @returns undefined for messages that are never long */
  message(desc: DescMessage): Weigh | undefined {
    if (this.#messages.has(desc)) return this.#messages.get(desc);
    // Messages may hold each other: what is open is known first, and compiled when it is first weighed.
    let compiled: Weigh | undefined;
    const weigh: Weigh = (value, left) => {
      compiled ??= this.#compile(desc);
      return compiled(value, left);
    };
    const found = this.#isOpen(desc, new Set()) ? weigh : undefined;
    this.#messages.set(desc, found);
    return found;
  }

  /** The same for a field's value. */
  field(field: DescField): Weigh | undefined {
    if (field.fieldKind === 'message') return this.message(field.message);
    const size = field.message ? this.#size(field.message) : 1;
    const each = field.message && this.message(field.message);
    if (field.fieldKind === 'list') return listWeight(size, each);
    return field.fieldKind === 'map' ? mapWeight(size, each) : undefined;
  }

  #compile(desc: DescMessage): Weigh {
    const fields = desc.fields.flatMap((field) => {
      const weigh = this.field(field);
      return weigh ? [{ valueIn: memberReader(field), weigh }] : [];
    });
    return (value, left) => {
      let rest = left;
      for (const { valueIn, weigh } of fields) {
        const member = valueIn(value as Message);
        if (member !== undefined && member !== null) rest = weigh(member, rest);
        if (rest < 0) break;
      }
      return rest;
    };
  }

  /** Whether its type leaves open how much a message holds. Free-form JSON is only sent back to whoever sent it. */
  #isOpen(desc: DescMessage, outer: ReadonlySet<DescMessage>): boolean {
    const { text, tuple } = this.options.shape(desc);
    if (outer.has(desc) || text !== '' || tuple || desc.typeName.startsWith('google.protobuf.')) return false;
    const within = new Set([...outer, desc]);
    return desc.fields.some(({ fieldKind, message }) =>
      fieldKind === 'message' ? this.#isOpen(message, within) : fieldKind === 'list' || fieldKind === 'map',
    );
  }

  /** Values of a message without those in lists and maps. */
  #size(desc: DescMessage): number {
    const known = this.#sizes.get(desc);
    if (known !== undefined) return known;
    this.#sizes.set(desc, 1);
    let size = 1;
    for (const { fieldKind, message } of desc.fields) size += fieldKind === 'message' ? this.#size(message) : 1;
    this.#sizes.set(desc, size);
    return size;
  }
}

/** Reads a field's value out of a message; undefined where it is not set. */
export function memberReader(field: DescField): (message: Message) => unknown {
  const property = propertyName(field.oneof ?? field);
  if (!field.oneof) return (message) => message[property];
  const name = propertyName(field);
  return (message) => {
    const set = message[property] as { readonly $case: string; readonly value: unknown } | undefined;
    return set?.$case === name ? set.value : undefined;
  };
}

function listWeight(size: number, each: Weigh | undefined): Weigh {
  return (value, left) => {
    const values = value as readonly unknown[];
    let rest = left - values.length * size;
    if (each) for (let i = 0; i < values.length && rest >= 0; i++) rest = each(values[i], rest);
    return rest;
  };
}

function mapWeight(size: number, each: Weigh | undefined): Weigh {
  return (value, left) => {
    const isMap = value instanceof Map;
    let rest = left - (isMap ? value.size : keysOf(value as object).length) * size;
    if (!each) return rest;
    for (const [, member] of entriesOf(value)) {
      if (rest < 0) break;
      rest = each(member, rest);
    }
    return rest;
  };
}

/** Keys and values of a map in either form of gen/ts. */
export function entriesOf(map: unknown): Iterable<readonly [unknown, unknown]> {
  return map instanceof Map ? map : entriesOfObject(map as Readonly<Record<string, unknown>>);
}

function* entriesOfObject(map: Readonly<Record<string, unknown>>): Generator<readonly [string, unknown], void> {
  for (const key of keysOf(map)) yield [key, map[key]];
}

const KEPT_KEYS = 1_000;
const keptKeys = new WeakMap<object, readonly string[]>();

/** To list the keys of a large object takes so long that it is done once per answer. */
function keysOf(map: object): readonly string[] {
  const kept = keptKeys.get(map);
  if (kept) return kept;
  const keys = Object.keys(map);
  if (keys.length >= KEPT_KEYS) keptKeys.set(map, keys);
  return keys;
}
