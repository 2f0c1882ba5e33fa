/** An item that stores its index in a heap; it can be in one heap at a time. */
export interface HeapItem {
  /** -1 outside of a heap. */
  heapIndex: number;
}

/** A binary heap whose items can change their rank or be removed at any position. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];

  /** @param before true if the first item ranks above the second */
  constructor(private readonly before: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.#items.length;
  }

  /** The item that ranks above all others. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.heapIndex = this.#items.length;
    this.#items.push(item);
    this.#rise(item);
  }

  /** Moves an item to its position after its rank has changed. */
  update(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  delete(item: T): void {
    const last = this.#items.pop() as T;
    if (last !== item) {
      this.#place(last, item.heapIndex);
      this.update(last);
    }
    item.heapIndex = -1;
  }

  #place(item: T, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }

  #rise(item: T): void {
    for (let at = item.heapIndex; at > 0; at = item.heapIndex) {
      const above = this.#items[(at - 1) >> 1] as T;
      if (!this.before(item, above)) return;
      this.#place(item, above.heapIndex);
      this.#place(above, at);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const at = item.heapIndex;
      const left = this.#items[2 * at + 1];
      const right = this.#items[2 * at + 2];
      const best = right && left && this.before(right, left) ? right : left;
      if (!best || !this.before(best, item)) return;
      this.#place(item, best.heapIndex);
      this.#place(best, at);
    }
  }
}
