/** Iterators of short scans by column and direction, which all scans share until the next write. */
export class Cursors<Iterator> {
  readonly #open = new Map<string, Iterator>();
  readonly #create: (column: string, reverse: boolean) => Iterator;
  readonly #release: (iterator: Iterator) => void;

  constructor(create: (column: string, reverse: boolean) => Iterator, release: (iterator: Iterator) => void) {
    this.#create = create;
    this.#release = release;
  }

  get(column: string, reverse: boolean): Iterator {
    const name = `${reverse ? '<' : '>'}${column}`;
    let cursor = this.#open.get(name);
    if (!cursor) {
      cursor = this.#create(column, reverse);
      this.#open.set(name, cursor);
    }
    return cursor;
  }

  close(): void {
    for (const cursor of this.#open.values()) this.#release(cursor);
    this.#open.clear();
  }
}
