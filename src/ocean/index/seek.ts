import { encodeText } from '../../primitives/codec.js';
import type { Column, StateView } from '../../storage/view.js';
import { firstOf } from '../../util/first-of.js';

/** Place in a column at which a page begins. */
export interface Place<K> {
  /** Bytes that all keys of the list begin with; undefined for the whole column. */
  readonly prefix?: Uint8Array;
  /** Last key of the page before, which need not exist any more; undefined for the first page. */
  readonly behind: K | undefined;
  /** True for a list in descending order of keys. */
  readonly reverse?: boolean;
}

/** At most `count` rows behind a key, found by their key: the time does not depend on the number of rows before it. */
export function rowsBehind<K, V>(
  view: StateView,
  column: Column<K, V>,
  { behind, ...range }: Place<K>,
  count: number,
): (readonly [K, V])[] {
  if (behind === undefined) return firstOf(view.entries(column, range), count);
  const start = encodeText(column.key, behind);
  const rows = firstOf(view.entries(column, { ...range, from: behind }), count + 1);
  const [first] = rows;
  const isRepeated = first !== undefined && encodeText(column.key, first[0]) === start;
  return isRepeated ? rows.slice(1) : rows.slice(0, count);
}
