import { encodeText } from '../../primitives/codec.js';
import type { Column, StateView } from '../../storage/view.js';
import { firstOf } from '../../util/first-of.js';

/** Part of a column in descending order. */
export interface RowsBelow<K> {
  /** Bytes with which the keys begin; undefined for the whole column. */
  readonly prefix?: Uint8Array | undefined;
  /** Key below which the rows begin, whether it exists or not; undefined for the highest. */
  readonly key?: K | undefined;
  readonly count: number;
}

/** At most `count` rows of a column, the highest key first. */
export function rowsBelow<K, V>(view: StateView, column: Column<K, V>, { prefix, key, count }: RowsBelow<K>): (readonly [K, V])[] {
  const range = { reverse: true, ...(prefix && { prefix }) };
  if (key === undefined) return firstOf(view.entries(column, range), count);
  const excluded = encodeText(column.key, key);
  const found = firstOf(view.entries(column, { ...range, from: key }), count + 1);
  return found.filter(([each]) => encodeText(column.key, each) !== excluded).slice(0, count);
}
