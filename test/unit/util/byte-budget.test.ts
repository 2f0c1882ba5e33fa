import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from '../../../src/util/byte-budget.js';

test('byte budget: a reservation that does not fit waits until enough is released', () => {
  const budget = new ByteBudget(100, 5);
  const granted: string[] = [];
  const first = budget.reserve(80, () => granted.push('first'));
  const second = budget.reserve(50, () => granted.push('second'));
  assert.deepEqual([granted, budget.used], [['first'], 80]);
  first?.shrink(60);
  assert.deepEqual(granted, ['first']);
  first?.shrink(50);
  assert.deepEqual([granted, budget.used], [['first', 'second'], 100]);
  second?.release();
  second?.release();
  first?.release();
  assert.equal(budget.used, 0);
});

test('byte budget: waiting reservations are granted in order, and a cancelled one leaves the queue', () => {
  const budget = new ByteBudget(10, 2);
  const granted: string[] = [];
  const first = budget.reserve(10, () => {});
  const large = budget.reserve(9, () => granted.push('large'));
  budget.reserve(1, () => granted.push('small'));
  assert.equal(
    budget.reserve(1, () => granted.push('too many')),
    undefined,
  );
  first?.shrink(5);
  assert.deepEqual(granted, []);
  large?.release();
  assert.deepEqual([granted, budget.used], [['small'], 6]);
});
