import assert from 'node:assert/strict';
import { test } from 'node:test';
import { u32be } from '../../../src/primitives/codec.js';
import { type Change, inBatches } from '../../../src/storage/batches.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { Column } from '../../../src/storage/view.js';

const column: Column<number, number> = { name: 'test/numbers', key: u32be, value: u32be };

/** Makes this number of changes. @returns numbers of rows that each write had, and what the store contains then */
async function written(count: number) {
  const store = new MemoryStore();
  const sizes: number[] = [];
  const { write } = store;
  store.write = (changes) => {
    const rows = [...changes];
    sizes.push(rows.length);
    write.call(store, rows);
  };
  // A change sees those before it, also if they are in an earlier write.
  const changes = Array.from({ length: count }, (_, i): Change => {
    return (batch) => batch.put(column, i, i === 0 ? 1 : (batch.get(column, i - 1) ?? 0) + 1);
  });
  await inBatches(store, changes);
  return { sizes, last: store.get(column, count - 1) };
}

test('changes of a store are written by 5,000', async () => {
  assert.deepEqual(await written(3), { sizes: [3], last: 3 });
  assert.deepEqual(await written(5_000), { sizes: [5_000, 0], last: 5_000 });
  assert.deepEqual(await written(10_001), { sizes: [5_000, 5_000, 1], last: 10_001 });
});

test('the event loop runs between two writes', async () => {
  let turns = 0;
  const turn = () => {
    turns += 1;
    running = setImmediate(turn);
  };
  let running = setImmediate(turn);
  const seen: number[] = [];
  const changes = Array.from({ length: 10_001 }, (_, i): Change => {
    return () => {
      if (i % 5_000 === 0) seen.push(turns);
    };
  });
  await inBatches(new MemoryStore(), changes);
  clearImmediate(running);
  assert.deepEqual(
    seen.map((each, i) => i === 0 || each > (seen[i - 1] ?? each)),
    [true, true, true],
  );
});
