import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { indexPositions } from '../../../src/indexes/position.js';
import { TransactionIndex, transactionPositions } from '../../../src/indexes/transactions.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { StoreClosed, StoreDamaged } from '../../../src/storage/errors.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';
import { Slicer } from '../../../src/util/slicer.js';
import { chainWithCoins } from './full-blocks.js';

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

/** A node with an index, and blocks that each have `size` transactions. */
async function indexedChain(size: number, store = new MemoryStore(), log: Logger = silentLogger) {
  const { chain, connectNext } = chainWithCoins(size);
  const index = new TransactionIndex({ store, chain, log });
  index.start();
  while (!index.synced) await new Promise((resolve) => setImmediate(resolve));
  return { chain, store, index, connectNext };
}

function positionsIn(store: MemoryStore, transactions: readonly Transaction[]): number {
  return transactions.filter(({ txid }) => store.get(transactionPositions, txid) !== undefined).length;
}

test('blocks are found at once and written later, several in a batch', async () => {
  for (const size of [20, 200]) {
    const { chain, store, index, connectNext } = await indexedChain(size);
    const slicer = new Slicer();
    while (!slicer.pause());
    const blocks = [connectNext(), connectNext()];
    for (const transactions of blocks) {
      assert.equal(positionsIn(store, transactions), 0);
      const found = transactions.map(({ txid }) => index.find(txid)?.position);
      assert.deepEqual(
        found,
        transactions.map((_, i) => i + 1),
      );
    }
    assert.ok(index.synced);
    assert.equal(index.position, chain.tip);
    while (positionsIn(store, blocks[1] as readonly Transaction[]) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const transactions of blocks) assert.equal(positionsIn(store, transactions), transactions.length);
    index.stop();
  }
});

test('a block stays in the index when it is disconnected; the next one is indexed above its parent', async () => {
  const { chain, store, index, connectNext } = await indexedChain(200);
  const disconnected = connectNext();
  chain.invalidate(chain.tip);
  assert.equal(index.position, chain.tip);
  const stopped = connectNext();
  index.stop();
  for (const transactions of [disconnected, stopped]) assert.equal(positionsIn(store, transactions), transactions.length);
});

test('blocks whose rows were not written before an unclean shutdown are indexed by the next start', async () => {
  const { chain, store, index, connectNext } = await indexedChain(20);
  const blocks = [connectNext(), connectNext()];
  const copy = new MemoryStore();
  copy.write([...store.entries(indexPositions)].map(([name, hashes]) => rowOf(name, hashes)));
  const restarted = new TransactionIndex({ store: copy, chain, log: silentLogger });
  restarted.start();
  while (!restarted.synced) await new Promise((resolve) => setImmediate(resolve));
  for (const transactions of blocks) assert.equal(positionsIn(copy, transactions), transactions.length);
  restarted.stop();
  index.stop();
});

function rowOf(name: string, hashes: readonly Uint8Array[]) {
  return { column: indexPositions.name, key: encode(indexPositions.key, name), value: encode(indexPositions.value, hashes) };
}

test('few rows and large blocks wait in memory', async () => {
  const { store, index, connectNext } = await indexedChain(1_000);
  const slicer = new Slicer();
  while (!slicer.pause());
  const blocks = Array.from({ length: 12 }, connectNext);
  assert.ok(blocks.filter((transactions) => positionsIn(store, transactions) === 0).length <= 8);
  index.stop();
});

/** Store whose writes can fail. */
class FailingStore extends MemoryStore {
  error: Error | undefined;
  override writeRows(...args: Parameters<MemoryStore['writeRows']>): void {
    if (this.error) throw this.error;
    super.writeRows(...args);
  }
}

const NO_SPACE = Object.assign(new Error('IO error: No space left on device'), { code: 'LEVEL_IO_ERROR' });

test('after a full disk an index catches up without a gap; the failure is logged once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = new FailingStore();
  const errors: string[] = [];
  const log = { ...silentLogger, error: (text: string) => errors.push(text) };
  const { chain, index, connectNext } = await indexedChain(20, store, log);
  const lost = connectNext();
  store.error = NO_SPACE;
  t.mock.timers.tick(200);
  await nextTurns();
  assert.ok(!index.synced);
  const later = connectNext();
  for (let attempt = 0; attempt < 3; attempt++) {
    t.mock.timers.tick(2_000);
    await nextTurns();
    assert.ok(!index.synced);
  }
  store.error = undefined;
  t.mock.timers.tick(2_000);
  while (!index.synced) await nextTurns();
  assert.equal(index.position, chain.tip);
  for (const transactions of [lost, later]) assert.equal(positionsIn(store, transactions), transactions.length);
  assert.deepEqual(errors, ['index halted after a storage failure, will retry']);
  index.stop();
});

test('an index that cannot read the chain catches up once it can: the database may be closed and opened again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const name of ['forkPoint', 'next'] as const) {
    const { chain, connectNext } = chainWithCoins(20);
    const index = new TransactionIndex({ store: new MemoryStore(), chain, log: silentLogger });
    const read = t.mock.method(chain, name, () => {
      throw new StoreClosed('the store is closed');
    });
    index.start();
    await nextTurns();
    assert.ok(!index.synced);
    read.mock.restore();
    t.mock.timers.tick(2_000);
    while (!index.synced) await nextTurns();
    connectNext();
    assert.equal(index.position, chain.tip);
    index.stop();
  }
});

test('an index whose position cannot be read when its rows are due catches up', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { chain, store, index, connectNext } = await indexedChain(20);
  const block = connectNext();
  const read = t.mock.method(chain.tip, 'ancestor', () => {
    throw new StoreClosed('the store is closed');
  });
  t.mock.timers.tick(200);
  await nextTurns();
  assert.ok(!index.synced);
  read.mock.restore();
  t.mock.timers.tick(2_000);
  while (!index.synced) await nextTurns();
  assert.equal(positionsIn(store, block), block.length);
  index.stop();
});

test('an index with damaged rows stays stopped', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = new FailingStore();
  const { index, connectNext } = await indexedChain(20, store);
  connectNext();
  store.error = new StoreDamaged('damaged');
  t.mock.timers.tick(200);
  await nextTurns();
  store.error = undefined;
  t.mock.timers.tick(10_000);
  await nextTurns();
  assert.ok(!index.synced);
  index.stop();
});

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
