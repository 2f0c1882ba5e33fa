interface Entry<K, V> {
  readonly key: K;
  value: V;
  /** Next entry in the direction of the least recently used. */
  older: Entry<K, V> | undefined;
  /** Next entry in the direction of the most recently used. */
  newer: Entry<K, V> | undefined;
}

/**
 * A map that evicts the least recently used entry when it exceeds its limit. The order is a linked list: a `Map` keeps the slots of deleted
 * entries for a while, and a search for its first entry walks over all of them. Compared with `lru-cache` in docs/decisions/own-code.md.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;

  constructor(private readonly maxEntries: number) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#use(entry);
    return entry.value;
  }

  /** Values from the least to the most recently used. */
  *values(): Iterable<V> {
    for (let entry = this.#oldest; entry; entry = entry.newer) yield entry.value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    const known = this.#entries.get(key);
    if (known) {
      known.value = value;
      this.#use(known);
      return;
    }
    const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    if (this.#entries.size > this.maxEntries && this.#oldest) this.delete(this.#oldest.key);
  }

  /** Deletes the least recently used entry. @returns its value */
  deleteOldest(): V | undefined {
    const oldest = this.#oldest;
    if (oldest) this.delete(oldest.key);
    return oldest?.value;
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
  }

  #use(entry: Entry<K, V>): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<K, V>): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
