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
