import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockFacts } from '../../../src/ocean/index/blocks.js';
import { OceanIndex } from '../../../src/ocean/index/ocean-index.js';
import { scriptColumns } from '../../../src/ocean/index/script-columns.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { StateView } from '../../../src/storage/view.js';
import { toHex } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';
import { oceanChain, payAddress, spendFromAddress } from './chain-world.js';

function rowsOf(view: StateView): readonly string[] {
  return [blockFacts, ...scriptColumns].flatMap((column) =>
    [...view.rows(column)].map(([key, value]) => `${column.name} ${toHex(Buffer.from(key, 'latin1'))} ${toHex(value)}`),
  );
}

test('after a reorganisation the index equals one that is built from genesis', async () => {
  const world = await oceanChain();
  const { chain } = world;
  const first = payAddress(world, 500n, 600n, 700n);
  const fork = chain.tip;
  spendFromAddress(world, first, 0, 2);
  spendFromAddress(world, payAddress(world, 800n), 0);
  const before = rowsOf(world.rows.view);
  chain.invalidate(chain.entryAt(fork.height + 1) ?? fork);
  spendFromAddress(world, first, 1);
  extend(chain, 3, 7);
  const built = new OceanIndex({ store: new MemoryStore(), chain, log: silentLogger, state: () => chain.state, params: chain.params });
  built.start();
  while (!built.synced) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(rowsOf(world.rows.view), rowsOf(built.view));
  assert.notDeepEqual(rowsOf(built.view), before);
  built.stop();
  world.stop();
});
