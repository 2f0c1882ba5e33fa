import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FeeEstimator } from '../../../src/mempool/fee-estimator.js';
import { FeeHistory } from '../../../src/mempool/fee-history.js';
import { DFI, PoolNode } from './fixture.js';

const VSIZE = 1_000;
let unique = 0;

/** Feeds an estimator with blocks; each transaction has a fee rate and a number of blocks until confirmation. */
class Feed {
  readonly estimator = new FeeEstimator();
  #height = 0;
  readonly #due = new Map<number, { key: string }[]>();

  constructor() {
    this.block();
  }

  send(rate: bigint, waits: number, count = 1): void {
    for (let i = 0; i < count; i++) {
      const tx = { key: `${unique++}`, height: this.#height, fee: rate, vsize: VSIZE };
      this.estimator.trackTransaction(tx);
      const at = this.#height + waits;
      this.#due.set(at, [...(this.#due.get(at) ?? []), tx]);
    }
  }

  block(): void {
    this.#height += 1;
    this.estimator.blockConnected(this.#height, this.#due.get(this.#height) ?? []);
    this.#due.delete(this.#height);
  }
}

test('without data there is no estimate, and its target is 0', () => {
  assert.deepEqual(new FeeEstimator().estimate(6, true), { rate: undefined, blocks: 0 });
  assert.equal(new FeeEstimator().maxTarget, 1_008);
});

test('the estimate falls with the target if cheap transactions confirm later', () => {
  const feed = new Feed();
  for (let i = 0; i < 120; i++) {
    feed.send(100_000n, 1, 5);
    feed.send(20_000n, 5, 5);
    feed.send(5_000n, 11, 5);
    feed.block();
  }
  const at = (target: number) => feed.estimator.estimate(target, false).rate;
  assert.deepEqual([at(1), at(2), at(6), at(12)], [100_000n, 100_000n, 100_000n, 20_000n]);
  assert.equal(feed.estimator.estimate(1, false).blocks, 2);
  assert.equal(feed.estimator.estimate(24, false).rate, 5_000n);
});

test('a target outside of 1 to 1,008 blocks has no estimate', () => {
  const feed = new Feed();
  for (let i = 0; i < 41; i++) {
    feed.send(10_000n, 1, 5);
    feed.block();
  }
  assert.deepEqual(
    [1, 1_008].map((target) => feed.estimator.estimate(target, false).rate),
    [10_000n, 10_000n],
  );
  assert.deepEqual(
    [-1, 0, 1_009].map((target) => feed.estimator.estimate(target, false).rate),
    [undefined, undefined, undefined],
  );
});

test('an estimate of 0, from transactions without a fee, is none', () => {
  const rateOf = (fee: bigint) => {
    const feed = new Feed();
    for (let i = 0; i < 41; i++) {
      feed.send(fee, 1, 5);
      feed.block();
    }
    return feed.estimator.estimate(2, true);
  };
  assert.deepEqual(rateOf(1n), { rate: 1n, blocks: 2 });
  assert.deepEqual(rateOf(0n), { rate: undefined, blocks: 2 });
});

test('a target beyond the recorded blocks is lowered', () => {
  const feed = new Feed();
  for (let i = 0; i < 41; i++) {
    feed.send(10_000n, 1, 5);
    feed.block();
  }
  assert.deepEqual(feed.estimator.estimate(1_008, true), { rate: 10_000n, blocks: 20 });
});

test('too few transactions yield no estimate', () => {
  const feed = new Feed();
  for (let i = 0; i < 40; i++) {
    if (i % 20 === 0) feed.send(10_000n, 1);
    feed.block();
  }
  assert.equal(feed.estimator.estimate(4, true).rate, undefined);
});

test('transactions removed unconfirmed count as failures of their rate', () => {
  const feed = new Feed();
  const history: { key: string }[] = [];
  for (let i = 0; i < 60; i++) {
    feed.send(50_000n, 1, 5);
    for (let k = 0; k < 5; k++) {
      feed.send(8_000n, i % 2 === 0 ? 1 : 10_000);
      if (i % 2 === 1) history.push({ key: `${unique - 1}` });
    }
    feed.block();
    if (i % 10 === 9) for (const tx of history.splice(0)) feed.estimator.untrackTransaction(tx);
  }
  assert.equal(feed.estimator.estimate(2, false).rate, 50_000n);
});

test('a transaction that entered at another height than the last block is not tracked', () => {
  const estimator = new FeeEstimator();
  estimator.blockConnected(5, []);
  for (const height of [4, 6]) estimator.trackTransaction({ key: `${height}`, height, fee: 5_000n, vsize: VSIZE });
  assert.equal(estimator.trackedCount, 0);
  estimator.trackTransaction({ key: 'x', height: 5, fee: 5_000n, vsize: VSIZE });
  assert.equal(estimator.trackedCount, 1);
});

test('histories decay', () => {
  const history = new FeeHistory({ periods: 12, blocksPerPeriod: 1, decay: 0.5 }, 3);
  const evidence = { transactionsPerBlock: 1, success: 0.85 };
  for (let i = 0; i < 4; i++) history.confirmed(1, 1, 700);
  assert.equal(history.rateFor(1, evidence, 0), 700);
  history.blockArrived(1);
  assert.equal(history.rateFor(1, evidence, 1), 700); // two are left, as many as are needed
  history.blockArrived(2);
  assert.equal(history.rateFor(1, evidence, 2), undefined);
});

test('unconfirmed transactions older than the target count as failures of their rate', () => {
  const evidence = { transactionsPerBlock: 1, success: 0.85 };
  const of = (bestHeight: number, target: number) => {
    const history = new FeeHistory({ periods: 12, blocksPerPeriod: 1, decay: 0.5 }, 3);
    for (let i = 0; i < 4; i++) history.confirmed(1, 1, 700);
    history.track({ height: 10, bucket: 1 });
    return history.rateFor(target, evidence, bestHeight);
  };
  assert.equal(of(12, 3), 700);
  assert.equal(of(13, 3), undefined);
});

test('a chain shorter than the history counts some unconfirmed transactions twice, as defid does', () => {
  const evidence = { transactionsPerBlock: 1, success: 0.75 };
  const of = (bestHeight: number, height: number) => {
    const history = new FeeHistory({ periods: 12, blocksPerPeriod: 1, decay: 0.5 }, 3);
    for (let i = 0; i < 4; i++) history.confirmed(1, 1, 700);
    history.track({ height, bucket: 1 });
    return history.rateFor(2, evidence, bestHeight);
  };
  // Nine blocks before block 5 is -4, which wraps to the row of block 0. Long after, no height is below 0.
  assert.equal(of(5, 0), undefined);
  assert.equal(of(17, 12), 700);
});

describe('fee estimator of a pool', () => {
  const current = (node: PoolNode) => node.clock.set(node.chain.tip.time + 60);

  test('tracks transactions without parents that replace none', () => {
    const node = new PoolNode({ coins: 4 });
    current(node);
    const parent = node.pay([node.coin(0)], [DFI], { sequence: 1_000 });
    const { feeEstimator } = node.mempool;
    assert.equal(node.chain.isInitialDownload(), false);
    node.add(node.pay([node.coin(1)], [DFI], { sequence: 0xfffffffd }));
    assert.equal(feeEstimator.trackedCount, 1);
    assert.match(node.tell(parent), /^non-BIP68/);
    const first = node.pay([node.coin(0)], [DFI]);
    node.add(first);
    node.add(node.pay([{ txid: first.txid, vout: 0 }], [DFI / 2n]));
    assert.equal(feeEstimator.trackedCount, 2, 'a child is not tracked');
    node.add(node.pay([node.coin(1)], [DFI / 2n]));
    assert.equal(feeEstimator.trackedCount, 1, 'a replacement is not tracked, nor is the replaced transaction any more');
    node.mine([first]);
    assert.equal(feeEstimator.trackedCount, 0);
  });

  test('tracks nothing while the tip is old', () => {
    const node = new PoolNode({ coins: 2 });
    current(node);
    assert.equal(node.chain.isInitialDownload(), false);
    node.clock.set(node.chain.tip.time + 3 * 3600 + 1);
    node.add(node.pay([node.coin(0)], [DFI]));
    assert.equal(node.mempool.feeEstimator.trackedCount, 0);
    node.clock.set(node.chain.tip.time + 3 * 3600);
    node.add(node.pay([node.coin(1)], [DFI]));
    assert.equal(node.mempool.feeEstimator.trackedCount, 1);
  });
});
