import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RollingFee } from '../../../src/mempool/rolling-fee.js';
import { FixedClock } from '../../../src/util/clock.js';
import { DFI, describe as describeVerdict, NOW, output, PoolNode } from './fixture.js';

describe('expiry', () => {
  const HOUR = 3600;

  test('expired transactions are removed with descendants when another is accepted', () => {
    const node = new PoolNode({ coins: 4, expirySec: HOUR });
    const old = node.pay([node.coin(0)], [DFI]);
    const below = node.pay([output(old)], [DFI / 2n]);
    const young = node.pay([node.coin(1)], [DFI]);
    node.add(old);
    node.clock.set(NOW + 1);
    node.add(below);
    node.add(young);
    node.clock.set(NOW + HOUR);
    node.add(node.pay([node.coin(2)], [DFI]));
    assert.equal(node.pool.size, 4);
    node.clock.set(NOW + HOUR + 1);
    node.add(node.pay([node.coin(3)], [DFI]));
    assert.deepEqual([node.has(old), node.has(below), node.has(young), node.pool.size], [false, false, true, 3]);
  });

  test('a transaction with an expired entry time is rejected', () => {
    const node = new PoolNode({ coins: 1, expirySec: HOUR });
    const verdict = node.mempool.accept(node.pay([node.coin(0)], [DFI]), { time: NOW - HOUR - 1 });
    assert.equal(describeVerdict(verdict), 'mempool full (code 66)');
    assert.equal(node.pool.size, 0);
  });
});

describe('a full pool', () => {
  const FEES = [5_000n, 1_000n, 3_000n, 9_000n];
  const fill = (maxBytes: number) => {
    const node = new PoolNode({ coins: 6, maxBytes });
    const txs = FEES.map((fee, i) => node.pay([node.coin(i)], [node.subsidy(1) - fee]));
    return { node, txs };
  };
  const room = (count: number) => {
    const { node, txs } = fill(1_000_000);
    for (const tx of txs.slice(0, count)) node.add(tx);
    return node.pool.memoryUsage;
  };

  test('evicts the lowest fee rate, and raises the minimum above it', () => {
    const { node, txs } = fill(room(3));
    assert.equal(node.mempool.minimumFeeRate(), 1_000n);
    for (const tx of txs) node.add(tx);
    assert.deepEqual(
      txs.map((tx) => node.has(tx)),
      [true, false, true, true],
    );
    const size = BigInt(txs[0]?.raw.length ?? 0);
    const rate = (1_000n * 1_000n) / size + 1_000n;
    assert.equal(node.mempool.minimumFeeRate(), rate);
    const least = (rate * size) / 1_000n;
    const of = (fee: bigint) => node.pay([node.coin(4)], [node.subsidy(1) - fee]);
    assert.equal(node.tell(of(least - 1n)), `mempool min fee not met, ${least - 1n} < ${least} (code 66)`);
    assert.equal(node.tell(of(least)), 'allowed');
  });

  test('rejects a transaction that would be evicted at once', () => {
    const { node, txs } = fill(room(2));
    const [first, , third, last] = txs;
    for (const tx of [first, last]) node.add(tx as NonNullable<typeof tx>);
    assert.equal(describeVerdict(node.mempool.accept(third as NonNullable<typeof third>)), 'mempool full (code 66)');
    assert.equal(node.pool.size, 2);
  });

  test('keeps a parent of low fee rate for its child, and evicts both together', () => {
    const node = new PoolNode({ coins: 6, maxBytes: 1_000_000 });
    const parent = node.pay([node.coin(0)], [DFI, node.subsidy(1) - DFI - 200n]);
    const child = node.pay([output(parent)], [DFI - 20_000n]);
    node.add(parent);
    node.add(child);
    const other = node.pay([node.coin(1)], [node.subsidy(2) - 5_000n]);
    node.add(other);
    assert.equal(node.pool.worst?.tx, other);
    node.mempool.prioritise(child.txid, -20_000n);
    assert.equal(node.pool.worst?.tx, child);
  });
});

describe('the rolling minimum', () => {
  const HALF = 12 * 3600;
  const options = { maxBytes: 1_000, incrementalRelayFeeRate: 1_000n };
  const raised = () => {
    const clock = new FixedClock(NOW);
    const fee = new RollingFee(options, clock);
    fee.evicted(99_000n);
    return { clock, fee };
  };

  test('does not decay until a block is connected', () => {
    const { clock, fee } = raised();
    clock.set(NOW + 10 * HALF);
    assert.equal(fee.minimum(1_000), 100_000n);
  });

  test('halves in 12 hours, in 6 below half full, in 3 below a quarter full', () => {
    for (const [usage, seconds] of [
      [500, HALF],
      [499, HALF / 2],
      [250, HALF / 2],
      [249, HALF / 4],
    ] as const) {
      const { clock, fee } = raised();
      fee.blockConnected();
      clock.set(NOW + seconds);
      assert.equal(fee.minimum(usage), 50_000n, `${usage}`);
    }
  });

  test('decays from one question to the next, and stays 0 once it is below half of the increment', () => {
    const { clock, fee } = raised();
    fee.blockConnected();
    const after = (halves: number) => {
      clock.set(NOW + halves * HALF);
      return fee.minimum(1_000);
    };
    assert.deepEqual([1, 2, 3].map(after), [50_000n, 25_000n, 12_500n]);
    // 100,000 / 2^7 is 781, 2^8 makes 390: half of the increment is 500.
    assert.deepEqual([7, 8, 8, 9].map(after), [1_000n, 0n, 0n, 0n]);
    fee.evicted(1_000n);
    assert.equal(fee.minimum(1_000), 2_000n);
  });

  test('is updated at most every 10 seconds', () => {
    const { clock, fee } = raised();
    fee.blockConnected();
    clock.set(NOW + 10);
    assert.equal(fee.minimum(1_000), 100_000n);
    clock.set(NOW + 11);
    assert.equal(fee.minimum(1_000), 99_982n);
  });

  test('is 0 or at least the incremental rate, and drops to 0 below half of it', () => {
    const { clock, fee } = raised();
    fee.blockConnected();
    clock.set(NOW + 7 * HALF);
    assert.equal(fee.minimum(1_000), 1_000n); // 781 by decay
    clock.set(NOW + 8 * HALF);
    assert.equal(fee.minimum(1_000), 0n); // 390 by decay
  });

  test('is not lowered by an eviction of lower fee rate', () => {
    const { fee } = raised();
    fee.evicted(1_000n);
    assert.equal(fee.minimum(1_000), 100_000n);
    fee.evicted(99_001n);
    assert.equal(fee.minimum(1_000), 100_001n);
  });
});
