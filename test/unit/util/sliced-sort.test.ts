import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortInSlices } from '../../../src/util/sliced-sort.js';
import { Slicer } from '../../../src/util/slicer.js';

test('sortInSlices is stable', async () => {
  for (const size of [0, 1, 1_999, 2_000, 2_001, 11_000]) {
    const items = Array.from({ length: size }, (_, n) => ({ key: (n * 7_919) % 1_000, n }));
    const sorted = await sortInSlices(items, (a, b) => a.key < b.key, new Slicer());
    const expected = [...items].sort((a, b) => a.key - b.key || a.n - b.n);
    assert.deepEqual(sorted, expected, `${size} items`);
  }
});

test('sortInSlices pauses after each run and each part of a merge, and continues only after the pause', async () => {
  let pauses = 0;
  let isPaused = false;
  const slicer = {
    async pause() {
      assert.equal(isPaused, false);
      pauses += 1;
      isPaused = true;
      await new Promise((resolve) => setImmediate(resolve));
      isPaused = false;
    },
  };
  const items = Array.from({ length: 8_000 }, (_, n) => (n * 7_919) % 8_000);
  const isBefore = (a: number, b: number) => {
    assert.equal(isPaused, false);
    return a < b;
  };
  await sortInSlices(items, isBefore, slicer as unknown as Slicer);
  // Four runs, which are merged in two rounds.
  assert.equal(pauses, 4 + 4 + 4);
});
