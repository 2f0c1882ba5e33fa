import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { observeSync } from '../../../src/metrics/sync.js';

test('metrics of the sync are read on scrape', async () => {
  const registry = new Registry();
  const sync = {
    blocksInFlight: 0,
    orphanBlocks: 1,
    orphanTransactions: 2,
    progress: { headersShare: () => 0.5, blocksShare: () => 0.25 },
  };
  observeSync(registry, sync);
  sync.blocksInFlight = 16;
  const text = await registry.metrics();
  for (const line of [
    'dfi_sync_blocks_in_flight 16',
    'dfi_sync_headers_ratio 0.5',
    'dfi_sync_blocks_ratio 0.25',
    'dfi_sync_orphan_blocks 1',
    'dfi_sync_orphan_transactions 2',
  ]) {
    assert.ok(text.split('\n').includes(line), line);
  }
});
