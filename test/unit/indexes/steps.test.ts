import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainEvent } from '../../../src/chain/chain.js';
import { Follower } from '../../../src/indexes/follower.js';
import { u32, u32be } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { Column, StateView } from '../../../src/storage/view.js';
import { silentLogger } from '../../../src/util/logger.js';
import { Slicer, type Steps } from '../../../src/util/slicer.js';
import { extend } from '../../chains/block-builder.js';
import { until } from '../../until.js';
import { chainWithCoins } from './full-blocks.js';

/** Number of transactions of each block, complete only after the last step of a block. */
const counts: Column<number, number> = { name: 'test/count', key: u32be, value: u32 };

/** While true, large blocks take step after step without an end. */
let isHeld = false;

/** Takes a step for each transaction, on an overlay of its own, like an index with undo records. */
function* addInSteps(view: Overlay, { block, entry }: ChainEvent): Steps<void> {
  const changes = new Overlay(view);
  for (const [i] of block.transactions.entries()) {
    changes.put(counts, entry.height, i + 1);
    yield;
  }
  while (isHeld && block.transactions.length > 1) yield;
  changes.commit();
}

class Counter extends Follower {
  override get view(): StateView {
    return super.view;
  }
}

/** A chain with an index that counts, and a function that connects a block of 150 transactions. */
async function countedChain(store: MemoryStore) {
  const { chain, connectNext } = chainWithCoins(148);
  const index = new Counter({ name: 'test', add: addInSteps }, { store, chain, log: silentLogger });
  index.start();
  await until(() => index.synced, 'the index is in sync');
  const connect = (): number => {
    connectNext();
    return chain.tip.height;
  };
  return { chain, index, connectNext: connect };
}

/** Uses up the time of this turn and the next ones, so that a step waits for the next turn. */
function busy(): void {
  const slicer = new Slicer();
  while (!slicer.pause());
}

test('a large block is indexed in several turns, and as a whole for a read in between', async () => {
  const { index, connectNext } = await countedChain(new MemoryStore());
  const height = connectNext();
  busy();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(index.view.get(counts, height), 150);
  const next = connectNext();
  await until(() => index.view.get(counts, next) === 150, 'the next block is indexed');
  index.stop();
});

test('rows of blocks before one that is being indexed are not lost when they are written', async () => {
  const store = new MemoryStore();
  const { chain, index, connectNext } = await countedChain(store);
  extend(chain, 1);
  const small = chain.tip.height;
  const large = connectNext();
  // The write of the small block's rows is due while the large one is indexed.
  isHeld = true;
  await new Promise((resolve) => setTimeout(resolve, 500));
  isHeld = false;
  assert.equal(store.get(counts, small), undefined);
  index.stop();
  assert.deepEqual(
    [small, large].map((height) => store.get(counts, height)),
    [1, 150],
  );
});

test('an index that is stopped within a block continues with that block', async () => {
  const store = new MemoryStore();
  const { chain, index, connectNext } = await countedChain(store);
  index.stop();
  const height = connectNext();
  const second = new Counter({ name: 'test', add: addInSteps }, { store, chain, log: silentLogger });
  busy();
  second.start();
  second.stop();
  assert.equal(store.get(counts, height), undefined);
  const third = new Counter({ name: 'test', add: addInSteps }, { store, chain, log: silentLogger });
  third.start();
  await until(() => third.synced, 'the index is in sync');
  third.stop();
  assert.equal(store.get(counts, height), 150);
});
