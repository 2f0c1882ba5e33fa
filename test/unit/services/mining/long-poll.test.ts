import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryBlocks } from '../../../../src/chain/block-store.js';
import { Chain } from '../../../../src/chain/chain.js';
import { networkParams } from '../../../../src/params/index.js';
import { waitForChange } from '../../../../src/services/mining/long-poll.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { FixedClock } from '../../../../src/util/clock.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { extend } from '../../../chains/block-builder.js';

function setUp() {
  const params = networkParams({ network: 'regtest', dummyPos: true });
  const clock = new FixedClock(1_600_000_000);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const pool = { updates: 5 };
  const stopping = new AbortController();
  const caller = new AbortController();
  let over = false;
  const wait = (poolUpdates: number, pauses = { firstMs: 30, thenMs: 5 }) =>
    waitForChange(
      { chain, mempool: { pool }, stopping: stopping.signal },
      { tip: chain.tip.hash, poolUpdates },
      caller.signal,
      pauses,
    ).finally(() => {
      over = true;
    });
  return { chain, pool, stopping, caller, wait, isOver: () => over };
}

test('a changed mempool counts only after the first pause', async () => {
  const { wait } = setUp();
  const start = performance.now();
  await wait(4);
  assert.ok(performance.now() - start >= 29);
});

test('while the mempool is unchanged it is polled repeatedly', async () => {
  const { pool, wait, isOver } = setUp();
  const waiting = wait(5);
  await sleep(60);
  assert.equal(isOver(), false);
  pool.updates = 6;
  await waiting;
});

test('a new tip ends the long poll immediately', async () => {
  const { chain, wait } = setUp();
  const waiting = wait(5, { firstMs: 60_000, thenMs: 10_000 });
  extend(chain, 1);
  await waiting;
});

test('events that do not change the tip are ignored', async () => {
  const { chain, wait, isOver } = setUp();
  extend(chain, 2);
  const { tip } = chain;
  const waiting = wait(5, { firstMs: 60_000, thenMs: 10_000 });
  chain.precious(tip);
  await sleep(5);
  assert.equal(isOver(), false);
  chain.invalidate(tip);
  await waiting;
});

test('shutdown of the node and disconnection of the caller are errors', async () => {
  const pauses = { firstMs: 60_000, thenMs: 10_000 };
  const one = setUp();
  const stopped = one.wait(5, pauses);
  one.stopping.abort();
  await assert.rejects(stopped, { kind: 'not-connected', message: 'Shutting down' });
  await assert.rejects(one.wait(5, pauses), { kind: 'not-connected' });
  const two = setUp();
  const left = two.wait(5, pauses);
  two.caller.abort();
  await assert.rejects(left, { kind: 'cancelled' });
});
