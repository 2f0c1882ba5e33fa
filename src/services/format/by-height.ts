import type { Steps } from '../../util/slicer.js';

/** Records grouped by height; within a height in order of insertion. */
export class ByHeight<T> {
  readonly #records = new Map<number, T[]>();

  add(height: number, record: T): void {
    const others = this.#records.get(height);
    if (others) others.push(record);
    else this.#records.set(height, [record]);
  }

  /** All records, those of the largest height first. */
  *newestFirst(): Steps<T[]> {
    const all: T[] = [];
    for (const height of [...this.#records.keys()].sort((a, b) => b - a)) {
      for (const record of this.#records.get(height) ?? []) all.push(record);
      yield;
    }
    return all;
  }
}
