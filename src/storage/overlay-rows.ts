import type { Cell, CellView, KeyRange } from './cells.js';
import { Table } from './table.js';
import type { RowChange } from './view.js';

/** State of one key in an overlay, and the change of it that is written. */
export interface Row extends RowChange {
  /** Undefined if the key is absent or deleted. */
  cell: Cell | undefined;
  /** False for a row that was only read. */
  changed: boolean;
  /** Cell of the parent, undefined if it is not read yet. An undefined `below.cell` means that the key is absent there. */
  below: { readonly cell: Cell | undefined } | undefined;
}

/** Rows of a column in an overlay. */
export class Rows extends Table<Row> {
  /** Undefined while all rows are only read. */
  stamp: number | undefined;
}

/** Shared value for absent keys, because most keys that a block writes are new. */
export const ABSENT = { cell: undefined } as const;

/** True if the row is a change that a store must write, and not the deletion of a key that is known to be absent below. */
export function isWritten({ changed, cell, below }: Row): boolean {
  return changed && !(cell === undefined && below !== undefined && below.cell === undefined);
}

/** Rows of the parent in the range with the changes of the overlay; the parent is scanned from the first step on. */
export function* mergedRows(table: Rows, parent: CellView, column: string, range: KeyRange): Generator<readonly [string, Cell]> {
  const isBefore = range.reverse ? (a: string, b: string) => a > b : (a: string, b: string) => a < b;
  const own = changedRows(table, range);
  try {
    let next = own.next();
    for (const [key, cell] of parent.scan(column, range)) {
      while (!next.done && isBefore(next.value[0], key)) {
        if (next.value[1].cell) yield [next.value[0], next.value[1].cell];
        next = own.next();
      }
      if (!next.done && next.value[0] === key) next = own.next();
      const row = table.get(key);
      const current = row?.changed ? row.cell : cell;
      if (current) yield [key, current];
    }
    for (; !next.done; next = own.next()) if (next.value[1].cell) yield [next.value[0], next.value[1].cell];
  } finally {
    own.return(undefined);
  }
}

function* changedRows(table: Rows, range: KeyRange): Generator<readonly [string, Row]> {
  for (const entry of table.scan(range)) if (entry[1].changed) yield entry;
}

/** Reads the parent's cells of all changed rows whose old value is not known yet, in one batch. */
export function readBelow(table: Rows, parent: CellView, column: string): void {
  const keys: string[] = [];
  const unknown: Row[] = [];
  for (const row of table.rows()) {
    if (!row.changed || row.below) continue;
    keys.push(row.key);
    unknown.push(row);
  }
  if (keys.length === 0) return;
  const found = parent.cells(column, keys);
  for (let i = 0; i < unknown.length; i++) {
    const cell = found[i];
    (unknown[i] as Row).below = cell ? { cell } : ABSENT;
  }
}
