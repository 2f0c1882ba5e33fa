import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../src/util/random.js';

test('random numbers of the system lie in the range of those of Math.random, in all parts of it', () => {
  const values = Array.from({ length: 10_000 }, systemRandom);
  assert.ok(values.every((value) => value >= 0 && value < 1));
  assert.equal(new Set(values.map((value) => Math.floor(value * 10))).size, 10);
});
