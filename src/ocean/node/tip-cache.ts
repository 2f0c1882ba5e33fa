import type { Hash256 } from '../../primitives/hash.js';

interface Kept {
  readonly of: string;
  readonly result: Promise<unknown>;
}

/** Results of expensive computations on one state, each computed once. */
export class Results {
  readonly #kept = new Map<string, Kept>();

  /**
   * @param name of the computation with its arguments; one name stands for one type of result
   * @param of second input of the computation, besides the state. A result of another one is replaced, so that each name has one
   * @returns the result, computed now if it is not known; a failure is not kept
   */
  get<T>(name: string, compute: () => Promise<T>, of = ''): Promise<T> {
    const known = this.#kept.get(name);
    if (known?.of === of) return known.result as Promise<T>;
    const result = compute();
    const kept = { of, result };
    this.#kept.set(name, kept);
    result.catch(() => {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
    });
    return result;
  }
}

/** Results on the state of the tip, computed once for each tip. */
export class TipCache {
  readonly #tip: () => Hash256;
  #of: Hash256 | undefined;
  #results = new Results();

  /** @param tip hash of the tip, the same object until it changes */
  constructor(tip: () => Hash256) {
    this.#tip = tip;
  }

  /**
   * @param compute reads the state of the tip alone, and no earlier result, which may be of an earlier tip
   * @returns the result at this tip, as {@link Results.get}
   */
  get<T>(name: string, compute: () => Promise<T>, of?: string): Promise<T> {
    const tip = this.#tip();
    if (tip !== this.#of) {
      this.#of = tip;
      this.#results = new Results();
    }
    return this.#results.get(name, compute, of);
  }
}
