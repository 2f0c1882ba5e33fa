import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { chainColumns } from '../../../src/chain/database.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../../src/params/index.js';
import { SnapshotExports } from '../../../src/snapshot/exports.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

test('an export whose pending changes cannot be written ends with that error, and another one can begin', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-exports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger };
  const chain = new Chain({ params }, deps);
  let failure: Error | undefined = new Error('No space left on device');
  const exports = new SnapshotExports({
    snapshot: () => {
      if (failure) throw failure;
      return chain.snapshot();
    },
    columns: [...chainColumns, ...dfiColumns],
    options: [],
    log: silentLogger,
    signal: new AbortController().signal,
  });
  const path = join(folder, 'snapshot');
  assert.throws(() => exports.request(path, undefined), /No space left/);
  await new Promise((resolve) => setImmediate(resolve));
  failure = undefined;
  while (!exports.request(path, undefined).result) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(existsSync(path));
});
