import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PendingRows } from '../../../src/indexes/pending-rows.js';
import { u32be } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { Column } from '../../../src/storage/view.js';

const numbers: Column<number, number> = { name: 'test/numbers', key: u32be, value: u32be };
/** Key of the row that the owner adds before each write. */
const POSITION = 1_000_000;
const WRITE_AFTER_MS = 200;

/** Pending rows of an owner that notes what is asked of it. Time passes with `tick`. */
function pending(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = new MemoryStore();
  const state = { isAdding: false, written: 0, completed: 0 };
  const rows = new PendingRows(store, {
    complete: (overlay) => {
      state.completed += 1;
      overlay.put(numbers, POSITION, state.completed);
    },
    isAdding: () => state.isAdding,
    written: () => {
      state.written += 1;
    },
    guard: (write) => write(),
  });
  const add = (...keys: number[]) => {
    for (const key of keys) rows.open().put(numbers, key, key);
    rows.noteChange();
  };
  const tick = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const stored = () => [...store.entries(numbers)].map(([key]) => key);
  return { store, state, rows, add, tick, stored };
}

test('rows are found at once, and written together after 200 ms', async (t) => {
  const { state, rows, add, tick, stored } = pending(t);
  add(1);
  await tick(WRITE_AFTER_MS - 1);
  add(2);
  assert.deepEqual([rows.view.get(numbers, 1), rows.view.get(numbers, 2), stored()], [1, 2, []]);
  await tick(1);
  assert.deepEqual([stored(), state.written, state.completed], [[1, 2, POSITION], 1, 1]);
  assert.equal(rows.view.get(numbers, 2), 2);
  await tick(10 * WRITE_AFTER_MS);
  assert.equal(state.written, 1);
});

test('4,000 rows are written at once', (t) => {
  const { state, add, stored } = pending(t);
  add(...Array.from({ length: 3_999 }, (_, key) => key));
  assert.equal(state.written, 0);
  add(3_999);
  assert.deepEqual([state.written, stored().length], [1, 4_001]);
});

test('while a block is being added nothing is written, but soon after', async (t) => {
  const { state, add, tick, stored } = pending(t);
  add(1);
  state.isAdding = true;
  for (let round = 0; round < 3; round++) await tick(WRITE_AFTER_MS);
  assert.deepEqual([state.written, stored()], [0, []]);
  state.isAdding = false;
  await tick(WRITE_AFTER_MS);
  assert.deepEqual([state.written, stored()], [1, [1, POSITION]]);
});

test('rows that change while their write is prepared are written as they are at the end', async (t) => {
  const { store, state, rows, add, tick } = pending(t);
  const { prepareRows } = store;
  const dropped: number[] = [];
  store.prepareRows = function* (changes) {
    const prepared = yield* prepareRows.call(store, changes);
    rows.open().put(numbers, 1, 7);
    return { write: () => prepared.write(), drop: () => void dropped.push(1) };
  };
  add(1);
  await tick(WRITE_AFTER_MS);
  assert.deepEqual([store.get(numbers, 1), state.written, dropped], [7, 1, [1]]);
});

test('rows that are dropped are not written', async (t) => {
  const { state, rows, add, tick, stored } = pending(t);
  add(1);
  rows.drop();
  await tick(WRITE_AFTER_MS);
  rows.write();
  assert.deepEqual([stored(), state.written, rows.view.get(numbers, 1)], [[], 0, undefined]);
});
