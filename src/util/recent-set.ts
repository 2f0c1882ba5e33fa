/**
 * A bounded set of texts that drops old members in bulk: it has between half of its limit and the limit. Cheaper than an LRU set; for
 * uses in which a dropped member only causes repeated work.
 */
export class RecentSet {
  readonly #halfSize: number;
  #young = new Set<string>();
  #old = new Set<string>();

  /** @param maxEntries limit; 0 stores nothing */
  constructor(maxEntries: number) {
    this.#halfSize = Math.floor(maxEntries / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  add(key: string): void {
    if (this.#halfSize === 0 || this.has(key)) return;
    if (this.#young.size >= this.#halfSize) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
  }

  delete(key: string): void {
    if (!this.#young.delete(key)) this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
