import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from '../../../src/metrics/registry.js';
import { observeStore } from '../../../src/metrics/store.js';
import { openRocks, temporaryDirectory } from '../storage/helpers.js';

async function valuesOf(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('dfi_store_'));
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
}

test('metrics of the store: batches, work of the engine and files', async (t) => {
  const registry = new Registry();
  const directory = temporaryDirectory();
  const store = await openRocks(t, directory);
  observeStore(registry, store);
  const before = await valuesOf(registry);
  const change = (i: number) => ({ column: 'test/a', key: Uint8Array.of(i), value: new Uint8Array(100) });
  store.write([change(1), change(2)]);
  store.write([change(3)]);
  store.write([]);
  const values = await valuesOf(registry);
  const grown = (name: string): number => (values[name] ?? 0) - (before[name] ?? 0);
  assert.deepEqual([grown('dfi_store_batches_total'), grown('dfi_store_rows_total')], [2, 3]);
  assert.ok((values.dfi_store_write_seconds_total ?? 0) > 0);
  assert.ok((values.dfi_store_log_bytes ?? 0) > (before.dfi_store_log_bytes ?? 0));
  assert.deepEqual([values.dfi_store_background_errors, values.dfi_store_writes_delayed], [0, 0]);
  for (const name of ['running_compactions', 'running_flushes', 'tables', 'table_bytes']) {
    assert.ok(Number.isInteger(values[`dfi_store_${name}`]), name);
  }
  await store.close();
  // A scrape while the node stops.
  assert.equal((await valuesOf(registry)).dfi_store_batches_total, values.dfi_store_batches_total);
});
