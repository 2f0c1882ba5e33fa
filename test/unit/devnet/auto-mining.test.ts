import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AutoMining } from '../../../src/devnet/auto-mining.js';
import { silentLogger } from '../../../src/util/logger.js';

/** A mempool that only counts, and a miner that empties it. */
function miningOf() {
  const listeners: (() => void)[] = [];
  const world = { size: 0, blocks: [] as number[], refuses: false };
  const pool = {
    get size() {
      return world.size;
    },
    on: (_event: string, listener: () => void) => {
      listeners.push(listener);
      return () => {};
    },
  };
  const mine = async () => {
    if (world.refuses) throw new Error('no masternode');
    world.blocks.push(world.size);
    world.size = 0;
  };
  const mining = new AutoMining({ mine, pool: pool as never, log: silentLogger });
  const add = () => {
    world.size += 1;
    for (const listener of listeners) listener();
  };
  return { world, mining, add };
}

test('tx: transactions of one turn get into one block, later ones into another', async () => {
  const { world, mining, add } = miningOf();
  mining.mode = 'tx';
  assert.equal(mining.pending, undefined);
  add();
  add();
  await mining.pending;
  assert.deepEqual(world.blocks, [2]);
  add();
  await mining.pending;
  assert.deepEqual([world.blocks, mining.pending], [[2, 1], undefined]);
});

test('off: nothing is minted; a change to tx mints what waits', async () => {
  const { world, mining, add } = miningOf();
  add();
  assert.deepEqual([mining.mode, mining.pending], ['off', undefined]);
  mining.mode = 'tx';
  await mining.pending;
  assert.deepEqual(world.blocks, [1]);
});

test('an interval mints without transactions, until it stops', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { world, mining } = miningOf();
  mining.mode = 3;
  t.mock.timers.tick(7000);
  assert.equal(world.blocks.length, 2);
  void mining.stop();
  t.mock.timers.tick(7000);
  assert.equal(world.blocks.length, 2);
});

test('a failure to mint leaves the answers alone', async () => {
  const { world, mining, add } = miningOf();
  mining.mode = 'tx';
  world.refuses = true;
  add();
  await mining.pending;
  world.refuses = false;
  add();
  await mining.pending;
  assert.deepEqual(world.blocks, [2]);
});
