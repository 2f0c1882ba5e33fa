import { compareOwners } from '../../../dfi/kernel/amounts.js';

/** Key of a column that is ordered by owner. */
interface OwnedKey {
  readonly owner: Uint8Array;
}

/** Rows of a column that is ordered by owner, read by one scan for many owners. */
export class OwnerRows<K extends OwnedKey, V> {
  readonly #rows: Iterator<readonly [K, V]>;
  #next: IteratorResult<readonly [K, V]>;

  constructor(rows: Iterable<readonly [K, V]>) {
    this.#rows = rows[Symbol.iterator]();
    this.#next = this.#rows.next();
  }

  /** Rows of an owner. Owners must ascend from call to call. */
  of(owner: Uint8Array): readonly (readonly [K, V])[] {
    const found: (readonly [K, V])[] = [];
    for (; !this.#next.done; this.#next = this.#rows.next()) {
      const order = compareOwners(this.#next.value[0].owner, owner);
      if (order > 0) break;
      if (order === 0) found.push(this.#next.value);
    }
    return found;
  }

  close(): void {
    this.#rows.return?.();
  }
}
