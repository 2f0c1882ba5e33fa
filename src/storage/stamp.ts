/**
 * Identifies the contents of a column in a view: equal stamps mean equal contents, within this process. A text combines the stamps of
 * several layers.
 */
export type Stamp = number | string;

let last = 0;

/** A stamp that no view had before. */
export function newStamp(): number {
  last += 1;
  return last;
}

/** Stamps of the columns of a store. A column that was not written since the store was opened has the stamp of the opening. */
export class ColumnStamps {
  readonly #opened = newStamp();
  readonly #written = new Map<string, number>();

  of(column: string): Stamp {
    return this.#written.get(column) ?? this.#opened;
  }

  change(column: string): void {
    this.#written.set(column, newStamp());
  }
}
