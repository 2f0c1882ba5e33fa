import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feeForSize, feeRateOf } from '../../../src/mempool/fee-rate.js';

test('the fee of a size is rounded towards zero, but is not 0 unless the size or the rate is', () => {
  const rows: readonly (readonly [rate: bigint, size: number, fee: bigint])[] = [
    [1_000n, 250, 250n],
    [1_999n, 1, 1n],
    [999n, 2, 1n],
    [999n, 1, 1n],
    [1n, 10, 1n],
    [-1n, 10, -1n],
    [-1_999n, 1, -1n],
    [1_000n, 0, 0n],
    [0n, 1_000, 0n],
  ];
  for (const [rate, size, fee] of rows) assert.equal(feeForSize(rate, size), fee, `${size} bytes at ${rate}`);
});

test('the fee rate of a fee is rounded towards zero', () => {
  assert.deepEqual([feeRateOf(250n, 250), feeRateOf(1n, 3), feeRateOf(-1n, 3), feeRateOf(5n, 0)], [1_000n, 333n, -333n, 0n]);
});
