import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSwaps, swapBuckets, swapSums, swaps } from '../../../src/ocean/index/swaps.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { StateView } from '../../../src/storage/view.js';
import { BOB, blockAt, swapTx, TIME } from './swap-blocks.js';

/** All rows of the index. */
function rowsOf(view: StateView) {
  return [swaps, swapBuckets, swapSums].map((column) => [...view.rows(column as typeof swaps)].map(([key, value]) => [key, [...value]]));
}

test('The swap of a block has a row, and its amount is added to the hour and the day', () => {
  const view = new Overlay(new MemoryStore());
  addSwaps(view, blockAt(100, TIME, TIME - 10, swapTx(1, {}), swapTx(2, { tokenFrom: 0, tokenTo: 1, amountFrom: 7n, to: BOB })));
  addSwaps(view, blockAt(101, TIME + 1, TIME, swapTx(1, {})));
  assert.deepEqual(
    [...view.entries(swaps)].map(([key, row]) => [key, row.amount, row.tokenFrom, row.sellsA, row.to.length]),
    [
      [{ pool: 2, height: 100, txno: 1 }, 25_00000000n, 1, true, 0],
      [{ pool: 2, height: 100, txno: 2 }, 7n, 0, false, 22],
      [{ pool: 2, height: 101, txno: 1 }, 25_00000000n, 1, true, 0],
    ],
  );
  const sums = [
    { tokenId: 0, amount: 7n },
    { tokenId: 1, amount: 50_00000000n },
  ];
  assert.deepEqual(
    [...view.entries(swapSums)],
    [
      [{ pool: 2, interval: 3600, bucket: 90_000 }, sums],
      [{ pool: 2, interval: 86_400, bucket: 86_400 }, sums],
    ],
  );
});

test('A swap along a path is listed in each of its pools with what entered the first', () => {
  const view = new Overlay(new MemoryStore());
  addSwaps(view, blockAt(100, TIME, TIME, swapTx(1, { tokenTo: 3 }, [2, 4]), swapTx(2, { tokenTo: 5 }, [2, 6])));
  assert.deepEqual(
    [...view.entries(swaps)].map(([{ pool }, row]) => [pool, row.amount, row.tokenFrom, row.tokenTo, row.sellsA]),
    // A is token A of the first pool; DFI is token B of the second, and token A of the third.
    [
      [2, 25_00000000n, 1, 3, true],
      [2, 25_00000000n, 1, 5, true],
      [4, 25_00000000n, 1, 3, false],
      [6, 25_00000000n, 1, 5, true],
    ],
  );
  assert.deepEqual(view.get(swapSums, { pool: 4, interval: 3600, bucket: 90_000 }), [{ tokenId: 1, amount: 25_00000000n }]);
});

test('A swap without a path uses the pool of its two tokens, and one without a pool has no row', () => {
  const view = new Overlay(new MemoryStore());
  addSwaps(view, blockAt(100, TIME, TIME, swapTx(1, { tokenFrom: 0, tokenTo: 3 }, []), swapTx(2, { tokenFrom: 1, tokenTo: 3 })));
  assert.deepEqual(
    [...view.entries(swaps)].map(([key]) => key),
    [{ pool: 4, height: 100, txno: 1 }],
  );
});

test('A sum may exceed 64 bits, because coins may be swapped to and fro', () => {
  const view = new Overlay(new MemoryStore());
  const most = 2n ** 63n - 1n;
  for (let height = 100; height < 104; height++) addSwaps(view, blockAt(height, TIME, TIME, swapTx(1, { amountFrom: most })));
  const sums = view.get(swapSums, { pool: 2, interval: 3600, bucket: 90_000 }) ?? [];
  assert.deepEqual(sums, [{ tokenId: 1, amount: 4n * most }]);
  assert.deepEqual(decode(swapSums.value, encode(swapSums.value, sums)), sums);
});

test('A bucket is opened by the first block whose median time is in it', () => {
  const view = new Overlay(new MemoryStore());
  addSwaps(view, blockAt(0, 50, undefined));
  addSwaps(view, blockAt(1, 3599, 50));
  addSwaps(view, blockAt(2, 3600, 3599));
  addSwaps(view, blockAt(3, 3600, 3600));
  addSwaps(view, blockAt(4, 86_400, 3600));
  assert.deepEqual(
    [...view.entries(swapBuckets)].map(([{ interval, bucket }, height]) => [interval, bucket, height]),
    [
      [3600, 0, 0],
      [3600, 3600, 2],
      [3600, 86_400, 4],
      [86_400, 0, 0],
      [86_400, 86_400, 4],
    ],
  );
});

test('A block that is undone leaves the rows that were there before', () => {
  const store = new MemoryStore();
  const view = new Overlay(store);
  addSwaps(view, blockAt(100, TIME, undefined, swapTx(1, {})));
  const before = rowsOf(view);
  const changes = new Overlay(view);
  addSwaps(changes, blockAt(101, TIME + 86_400, TIME, swapTx(1, { tokenTo: 3 }, [2, 4]), swapTx(2, {})));
  const log = changes.undo();
  changes.commit();
  assert.notDeepEqual(rowsOf(view), before);
  view.restore(log);
  assert.deepEqual(rowsOf(view), before);
});
