import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Resender } from '../../../src/wallet/resend.js';

const HALF_HOUR = 1_800;

/** A wallet with one unconfirmed transaction, received at second 1,000. */
function setUp({ inMempool = true, broadcast = true, initialDownload = false } = {}) {
  const announced: number[] = [];
  let now = 0;
  const tx = { name: 'own' };
  const wtx = { tx, isAbandoned: false, receivedAt: 1_000 };
  const wallet = {
    unspent: { unconfirmedTransactions: () => [wtx] },
    isInMempool: () => inMempool,
    deps: {
      chain: { isInitialDownload: () => initialDownload },
      mempool: { accept: () => ({ status: 'rejected' }) },
      settings: { broadcast, maxFee: 1n },
      relay: { announce: () => announced.push(now) },
    },
  };
  const resender = new Resender(wallet as never, () => HALF_HOUR - 1);
  return {
    announced,
    tick: (at: number) => {
      now = at;
      resender.tick(at);
    },
    block: (at: number) => resender.blockConnected(at),
  };
}

test('a transaction is announced again after a block at least five minutes later, once per block', () => {
  const { announced, tick, block } = setUp();
  tick(1_001);
  block(1_300);
  tick(1_001 + HALF_HOUR - 2);
  assert.deepEqual(announced, [], 'before the next due time');
  tick(1_001 + HALF_HOUR);
  assert.deepEqual(announced, [2_801]);
  tick(2_801 + HALF_HOUR);
  assert.deepEqual(announced, [2_801], 'no block since');
  block(5_000);
  tick(2_801 + 2 * HALF_HOUR);
  assert.deepEqual(announced, [2_801, 6_401]);
});

test('a transaction younger than five minutes at the last block is not announced again', () => {
  const { announced, tick, block } = setUp();
  tick(1_001);
  block(1_299);
  tick(1_001 + HALF_HOUR);
  assert.deepEqual(announced, []);
});

test('nothing is announced without -walletbroadcast, in initial block download, or if the mempool rejects it', () => {
  for (const options of [{ broadcast: false }, { initialDownload: true }, { inMempool: false }]) {
    const { announced, tick, block } = setUp(options);
    tick(1_001);
    block(1_300);
    tick(1_001 + HALF_HOUR);
    assert.deepEqual(announced, [], JSON.stringify(options));
  }
});
