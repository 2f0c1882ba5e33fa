import type { Hash256 } from '../../primitives/hash.js';

/** Results of expensive computations on the state of the tip, computed once for each tip. */
export class TipCache {
  readonly #tip: () => Hash256;
  #of: Hash256 | undefined;
  #results = new Map<string, Promise<unknown>>();

  /** @param tip hash of the tip, the same object until it changes */
  constructor(tip: () => Hash256) {
    this.#tip = tip;
  }

  /**
   * @param name of the computation with its arguments; one name stands for one type of result
   * @returns the result at this tip, computed now if it is not known; a failure is not kept
   */
  get<T>(name: string, compute: () => Promise<T>): Promise<T> {
    const tip = this.#tip();
    if (tip !== this.#of) {
      this.#of = tip;
      this.#results = new Map();
    }
    const known = this.#results.get(name);
    if (known) return known as Promise<T>;
    const results = this.#results;
    const result = compute();
    results.set(name, result);
    result.catch(() => results.delete(name));
    return result;
  }
}
