import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../src/util/random.js';

test('systemRandom covers the range of Math.random', () => {
  const values = Array.from({ length: 10_000 }, systemRandom);
  assert.ok(values.every((value) => value >= 0 && value < 1));
  assert.equal(new Set(values.map((value) => Math.floor(value * 10))).size, 10);
});
