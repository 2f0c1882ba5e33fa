import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { TransactionIndex } from '../../../src/indexes/transactions.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { Slicer } from '../../../src/util/slicer.js';

test('an index of a one-block chain is in sync immediately, even if the time slice is used up', () => {
  const params = networkParams({ network: 'regtest' });
  const chain = new Chain(
    { params },
    { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_579_045_065), log: silentLogger },
  );
  const index = new TransactionIndex({ store: new MemoryStore(), chain, log: silentLogger });
  const slicer = new Slicer();
  while (!slicer.pause());
  index.start();
  assert.ok(index.synced);
  index.stop();
});
