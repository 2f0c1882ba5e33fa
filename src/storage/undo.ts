import { ByteWriter, type Codec, compactSize, list, optional, struct, varBytes, varString } from '../primitives/codec.js';
import { toHex } from '../util/bytes.js';
import type { RawChange, UndoLog } from './view.js';

/** Text that identifies a row among those of all columns. */
export function rowName({ column, key }: Pick<RawChange, 'column' | 'key'>): string {
  return `${column} ${toHex(key)}`;
}

interface ColumnUndo {
  readonly column: string;
  readonly rows: readonly Omit<RawChange, 'column'>[];
}

const oldValue = optional(varBytes);

const columns: Codec<readonly ColumnUndo[]> = list(
  struct<ColumnUndo>({
    column: varString,
    rows: list(struct<Omit<RawChange, 'column'>>({ key: varBytes, value: oldValue })),
  }),
);

/** By column: its name, then its keys, each with the optional old value. */
export const undoLog: Codec<UndoLog> = {
  write(w, log) {
    const byColumn = new Map<string, RawChange[]>();
    for (const change of log) {
      const rows = byColumn.get(change.column);
      if (rows) rows.push(change);
      else byColumn.set(change.column, [change]);
    }
    columns.write(
      w,
      [...byColumn].map(([column, rows]) => ({ column, rows })),
    );
  },
  read: (r) => columns.read(r).flatMap(({ column, rows }) => rows.map(({ key, value }) => ({ column, key, value }))),
};

/** Estimated bytes of a row, to reserve memory for. */
const ROW_BYTES = 96;

/** Writes an undo log in the format of {@link undoLog} row by row, without an object for each of them. */
export class UndoWriter {
  readonly #w: ByteWriter;

  constructor(columnCount: number, rowCount: number) {
    this.#w = new ByteWriter((rowCount + 1) * ROW_BYTES);
    compactSize.write(this.#w, columnCount);
  }

  /** Begins a column, of which `rowCount` rows must follow. */
  column(name: string, rowCount: number): void {
    varString.write(this.#w, name);
    compactSize.write(this.#w, rowCount);
  }

  /** @param key text of one char per byte */
  row(key: string, value: Uint8Array | undefined): void {
    compactSize.write(this.#w, key.length);
    this.#w.latin1(key);
    oldValue.write(this.#w, value);
  }

  finish(): Uint8Array {
    return this.#w.finish();
  }
}
