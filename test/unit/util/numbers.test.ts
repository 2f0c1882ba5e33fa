import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBigints, roundedQuotient } from '../../../src/util/numbers.js';

test('Quotients are rounded to the nearest integer, halves away from zero', () => {
  assert.deepEqual(
    [5n, 6n, 7n, -5n, -6n, -7n].map((dividend) => roundedQuotient(dividend, 4n)),
    [1n, 2n, 2n, -1n, -2n, -2n],
  );
  assert.equal(roundedQuotient(4n, 3n), 1n);
});

test('integers are compared in ascending order', () => {
  assert.deepEqual([compareBigints(-1n, 1n), compareBigints(1n, -1n), compareBigints(1n, 1n)], [-1, 1, 0]);
});
