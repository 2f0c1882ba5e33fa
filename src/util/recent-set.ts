/**
 * A bounded set of texts that forgets old ones in bulk: it holds between half of its bound and the bound. Cheaper than keeping
 * the order of use, and right where a member that is missing is only work done twice.
 */
export class RecentSet {
  readonly #halfSize: number;
  #young = new Set<string>();
  #old = new Set<string>();

  /** @param maxEntries 0 keeps nothing */
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
