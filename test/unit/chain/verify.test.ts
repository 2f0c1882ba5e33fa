import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { marks, undoLogs } from '../../../src/chain/records.js';
import { verifyChain } from '../../../src/chain/verify.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

const limits = [
  { name: 'none', maxRows: undefined, lowest: 1 },
  { name: 'one row, which the tip exceeds', maxRows: 1, lowest: 6 },
];
for (const { name, maxRows, lowest } of limits) {
  test(`a limit of rows bounds the blocks that are disconnected and connected again, but not those that are read: ${name}`, async () => {
    const clock = new FixedClock(1_600_000_000);
    const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
    extend(chain, 6);
    const read: number[] = [];
    const block = (entry: BlockIndexEntry) => {
      read.push(entry.height);
      return chain.block(entry);
    };
    const connected: number[] = [];
    // Ends the verification at the first block that would be connected.
    const contextOf = (parent: BlockIndexEntry): never => {
      connected.push(parent.height + 1);
      throw new BlockInvalid('bad-test');
    };
    const request = { level: 4, count: 0, tip: chain.tip, snapshot: chain.snapshot(), log: silentLogger, maxRows, contextOf };
    assert.equal(await verifyChain({ params, block }, request), false);
    assert.deepEqual([read.slice(0, 6), connected], [[6, 5, 4, 3, 2, 1], [lowest]]);
    assert.equal(await verifyChain({ params, block }, { ...request, level: 3 }), true);
  });
}

test('blocks below a snapshot that are stored but not validated yet are no fault, a lost undo record is one', async () => {
  const store = new MemoryStore();
  const blocks = new MemoryBlocks();
  const clock = new FixedClock(1_600_000_000);
  const logged: string[] = [];
  const log = { ...silentLogger, info: (text: string) => void logged.push(text) };
  const open = () => new Chain({ params, mayLackHistory: true }, { store, blocks, clock, log });
  const chain = open();
  extend(chain, 6);
  chain.close();
  const changes = new Overlay(store);
  for (let height = 1; height <= 4; height++) changes.delete(undoLogs, chain.entryAt(height)?.hash ?? assert.fail());
  store.write(changes.changes());
  assert.equal(await open().verify(4, 0), false);
  changes.put(marks, 'pruned', 5);
  store.write(changes.changes());
  assert.equal(await open().verify(4, 0), true);
  assert.ok(logged.includes('block verification stopping at height 4 (snapshot, no undo data)'));
  assert.equal(await open().verify(1, 0), true);
  changes.delete(undoLogs, chain.tip.hash);
  store.write(changes.changes());
  assert.equal(await open().verify(4, 0), false);
});

test('blocks that are pruned while they are verified are no fault', async () => {
  const clock = new FixedClock(1_600_000_000);
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger };
  const chain = new Chain({ params, prune: { targetBytes: 0 } }, deps);
  extend(chain, 300);
  const block = (entry: BlockIndexEntry) => {
    const found = chain.block(entry);
    if (entry.height === 1) void chain.pruneTo(10);
    return found;
  };
  const contextOf = () => assert.fail('a block above a pruned one is not connected');
  const request = { level: 4, count: 0, tip: chain.tip, snapshot: chain.snapshot(), log: silentLogger, contextOf };
  assert.equal(await verifyChain({ params, block }, request), true);
  assert.equal(chain.entryAt(10)?.isPruned, true);
  assert.equal(await chain.verify(4, 0), true);
});
