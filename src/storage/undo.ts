import { type Codec, list, optional, struct, varBytes, varString } from '../primitives/codec.js';
import type { RawChange, UndoLog } from './view.js';

interface ColumnUndo {
  readonly column: string;
  readonly rows: readonly Omit<RawChange, 'column'>[];
}

const columns: Codec<readonly ColumnUndo[]> = list(
  struct<ColumnUndo>({
    column: varString,
    rows: list(struct<Omit<RawChange, 'column'>>({ key: varBytes, value: optional(varBytes) })),
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
