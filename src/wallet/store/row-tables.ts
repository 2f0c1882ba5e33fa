import { keyBytes, keyText } from '../../storage/cells.js';
import type { RawChange } from '../../storage/view.js';
import * as records from './records.js';

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Values by key. Both are texts of one char per byte, which take a sixth of the memory of byte arrays, except values that are wiped. */
type Table = Map<string, string | Uint8Array>;

const BATCH_ROWS = 32;
const BATCH_BYTES = 1 << 18;

/** Rows of a wallet in memory, by column and key. */
export class RowTables {
  readonly #tables = new Map<string, Table>();
  /** Bytes of all keys and values. */
  #liveBytes = 0;

  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Rows of a column, in no particular order. */
  *rows(column: string): Generator<Row> {
    for (const row of this.#tables.get(column) ?? []) yield unpacked(row);
  }

  /** True if the column has a row. */
  has(column: string): boolean {
    return (this.#tables.get(column)?.size ?? 0) > 0;
  }

  apply(batch: readonly RawChange[]): void {
    for (const { column, key, value } of batch) {
      const rows: Table = this.#tables.get(column) ?? new Map();
      this.#tables.set(column, rows);
      const text = keyText(key);
      const before = rows.get(text);
      if (before !== undefined) this.#liveBytes -= text.length + before.length;
      if (!value) {
        rows.delete(text);
        continue;
      }
      rows.set(text, column === records.keys.name ? value : keyText(value));
      this.#liveBytes += text.length + value.length;
    }
  }

  /** Snapshot of all rows, in batches of one column each. */
  batches(): Generator<readonly RawChange[]> {
    return allInBatches([...this.#tables].map(([column, rows]) => [column, [...rows]] as const));
  }

  clear(): void {
    this.#tables.clear();
    this.#liveBytes = 0;
  }
}

function unpacked([key, value]: readonly [string, string | Uint8Array]): Row {
  return { key: keyBytes(key), value: typeof value === 'string' ? keyBytes(value) : value };
}

function* allInBatches(
  tables: readonly (readonly [string, readonly (readonly [string, string | Uint8Array])[]])[],
): Generator<readonly RawChange[]> {
  for (const [column, rows] of tables) yield* inBatches(changesOf(column, rows));
}

/** Unpacks rows one by one: all of a large column at once would block the event loop. */
function* changesOf(column: string, rows: readonly (readonly [string, string | Uint8Array])[]): Generator<RawChange> {
  for (const row of rows) yield { column, ...unpacked(row) };
}

/** Splits changes into batches small enough to be encoded in a fraction of a slice. */
export function* inBatches(changes: Iterable<RawChange>): Generator<readonly RawChange[]> {
  let batch: RawChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    batch.push(change);
    bytes += change.key.length + (change.value?.length ?? 0);
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
