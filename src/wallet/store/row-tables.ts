import type { RawChange } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const BATCH_ROWS = 32;
const BATCH_BYTES = 1 << 18;

/** Rows of a wallet in memory, by column and key, as bytes. */
export class RowTables {
  readonly #tables = new Map<string, Map<string, Row>>();
  /** Bytes of all keys and values. */
  #liveBytes = 0;

  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Rows of a column, in no particular order. */
  rows(column: string): Iterable<Row> {
    return this.#tables.get(column)?.values() ?? [];
  }

  apply(batch: readonly RawChange[]): void {
    for (const { column, key, value } of batch) {
      const rows = this.#tables.get(column) ?? new Map<string, Row>();
      this.#tables.set(column, rows);
      const id = toHex(key);
      const before = rows.get(id);
      if (before) this.#liveBytes -= before.key.length + before.value.length;
      if (!value) {
        rows.delete(id);
        continue;
      }
      rows.set(id, { key, value });
      this.#liveBytes += key.length + value.length;
    }
  }

  /** Snapshot of all rows, in batches of one column each. */
  batches(): Generator<readonly RawChange[]> {
    return allInBatches([...this.#tables].map(([column, rows]) => [column, [...rows.values()]] as const));
  }

  clear(): void {
    this.#tables.clear();
    this.#liveBytes = 0;
  }
}

function* allInBatches(tables: readonly (readonly [string, readonly Row[]])[]): Generator<readonly RawChange[]> {
  for (const [column, rows] of tables) yield* inBatches(rows.map(({ key, value }) => ({ column, key, value })));
}

/** Splits changes into batches small enough to be encoded in a fraction of a slice. */
export function* inBatches(changes: readonly RawChange[]): Generator<readonly RawChange[]> {
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
