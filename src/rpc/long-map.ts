/** Maps with more names are kept as they are; those with fewer become objects, as gen/ts has them. */
const MAX_OBJECT = 500;

/**
 * A map of an answer that may be long, in order of insertion. V8 grows and enumerates an object without pause, which takes tens of
 * milliseconds with 100,000 names. No operation of this class takes longer with more names.
 */
export class LongMap<V> {
  readonly #entries: [name: string, value: V][] = [];
  /** Entries by the last two characters of their names, and by their names: each of many small maps is grown quickly. */
  readonly #byEnd = new Map<string, Map<string, [name: string, value: V]>>();

  get entries(): readonly (readonly [name: string, value: V])[] {
    return this.#entries;
  }

  get(name: string): V | undefined {
    return this.#byEnd.get(name.slice(-2))?.get(name)?.[1];
  }

  /** Adds an entry, or replaces the value of the one with this name. @param name not a number, which objects would move to the front */
  set(name: string, value: V): void {
    const end = name.slice(-2);
    let names = this.#byEnd.get(end);
    if (!names) {
      names = new Map();
      this.#byEnd.set(end, names);
    }
    const known = names.get(name);
    if (known) {
      known[1] = value;
      return;
    }
    const entry: [string, V] = [name, value];
    names.set(name, entry);
    this.#entries.push(entry);
  }

  /** The map as a property of a message. A long one is no object with these names: it is read with `mapEntries`. */
  inMessage(): Record<string, V> {
    return this.#entries.length > MAX_OBJECT ? (this as unknown as Record<string, V>) : Object.fromEntries(this.#entries);
  }
}

/** Entries of a map of a message, in their order. */
export function mapEntries(map: unknown): readonly (readonly [name: unknown, value: unknown])[] {
  if (map instanceof LongMap) return map.entries;
  return map instanceof Map ? [...map] : Object.entries(map as object);
}
