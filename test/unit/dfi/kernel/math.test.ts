import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divideAmounts, low64, multiplyAmounts, multiplyDivide, safeAdd } from '../../../../src/dfi/kernel/math.js';

const MAX = 0x7fff_ffff_ffff_ffffn;

test('products and quotients are rounded down', () => {
  assert.equal(multiplyAmounts(150_000_000n, 50_000_001n), 75_000_001n);
  assert.equal(divideAmounts(100_000_000n, 300_000_000n), 33_333_333n);
  assert.equal(multiplyDivide(7n, 3n, 4n), 5n);
});

test('products keep their lowest 64 bits', () => {
  assert.equal(multiplyAmounts(MAX, MAX), 5052176373565820498n);
  assert.equal(low64(1n << 63n), -(1n << 63n));
  assert.equal(low64(1n << 64n), 0n);
});

test('a negative amount -n counts as 2^64 - n', () => {
  assert.equal(multiplyDivide(-1n, 1n, 1n), -1n);
  assert.equal(multiplyAmounts(-1n, 100_000_000n), -1n);
  assert.equal(multiplyAmounts(-1n, 1n), 184_467_440_737n);
});

test('a division by zero throws', () => {
  assert.throws(() => divideAmounts(1n, 0n), RangeError);
});

test('safeAdd rejects negative amounts and sums above 2^63 - 1', () => {
  assert.equal(safeAdd(MAX - 1n, 1n), MAX);
  assert.throws(() => safeAdd(MAX, 1n), { message: 'overflow' });
  assert.throws(() => safeAdd(-1n, 1n), { message: 'negative amount' });
  assert.throws(() => safeAdd(1n, -1n), { message: 'negative amount' });
});
