import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { restBytes } from '../../../src/primitives/codec.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import type { AnyColumn, Column, RawChange, StateView } from '../../../src/storage/view.js';

export function byteColumn(name: string): Column<Uint8Array, Uint8Array> {
  return { name, key: restBytes, value: restBytes };
}

/** Columns whose names are prefixes of each other, in one family and in two. */
export const columns = ['test/a', 'test/a-b', 'test', 'other/a'].map(byteColumn);

const directories: string[] = [];

// After all tests, because hooks of a test run in the order in which they were added: the store might still be open.
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-store-'));
  directories.push(directory);
  return directory;
}

export async function openRocks(
  t: TestContext,
  directory = temporaryDirectory(),
  list: readonly AnyColumn[] = columns,
): Promise<RocksStore> {
  const store = await RocksStore.open(directory, list);
  t.after(() => store.close());
  return store;
}

export function hex(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString('hex');
}

/** Changes with their bytes as hex. */
export function readable(changes: Iterable<RawChange>): string[] {
  return [...changes].map(({ column, key, value }) => `${column} ${hex(key)}=${hex(value)}`);
}

export function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'hex');
}

/** Contents of all columns as lines of `key=value` in hex: equal for views with the same contents. */
export function dump(view: StateView): string[] {
  return columns.flatMap((column) => [...view.entries(column)].map(([key, value]) => `${column.name} ${hex(key)}=${hex(value)}`));
}
