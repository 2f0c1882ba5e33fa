import assert from 'node:assert/strict';
import { test } from 'node:test';
import { u32be } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { Column, PreparedRows } from '../../../src/storage/view.js';
import { WritePreparation } from '../../../src/storage/write-preparation.js';

const column: Column<number, number> = { name: 'test/numbers', key: u32be, value: u32be };

/** A preparation of an overlay with one row, in two steps, and the prepared rows that were dropped. */
function preparation() {
  const store = new MemoryStore();
  const overlay = new Overlay(store);
  overlay.put(column, 1, 1);
  const made: PreparedRows[] = [];
  const dropped: number[] = [];
  store.prepareRows = function* () {
    const index = made.length;
    const rows: PreparedRows = { write() {}, drop: () => void dropped.push(index) };
    made.push(rows);
    yield;
    return rows;
  };
  return { store, overlay, made, dropped, preparation: new WritePreparation(overlay, store) };
}

test('write preparation: complete after its last step, until the rows are taken', () => {
  const { preparation: prepared, made, dropped } = preparation();
  assert.deepEqual([prepared.hasBegun, prepared.isComplete, prepared.take()], [false, false, undefined]);
  const steps = prepared.run();
  steps.next();
  assert.deepEqual([prepared.hasBegun, prepared.isComplete], [true, false]);
  steps.next();
  assert.deepEqual([prepared.hasBegun, prepared.isComplete], [true, true]);
  assert.equal(prepared.take(), made[0]);
  assert.deepEqual([prepared.hasBegun, prepared.isComplete, prepared.take(), dropped], [false, false, undefined, []]);
});

test('write preparation: a change of the overlay makes the rows outdated, and they are dropped', () => {
  for (const stepsBefore of [1, 2]) {
    const { preparation: prepared, overlay, dropped } = preparation();
    const steps = prepared.run();
    for (let i = 0; i < stepsBefore; i++) steps.next();
    overlay.put(column, 2, 2);
    steps.next();
    assert.deepEqual([prepared.hasBegun, prepared.isComplete], [true, false]);
    assert.deepEqual([prepared.take(), dropped], [undefined, [0]]);
  }
});

test('write preparation: rows that are taken before they are complete are dropped when they are', () => {
  const { preparation: prepared, dropped } = preparation();
  const steps = prepared.run();
  steps.next();
  assert.deepEqual([prepared.take(), dropped], [undefined, []]);
  steps.next();
  assert.deepEqual([prepared.isComplete, prepared.take(), dropped], [false, undefined, [0]]);
});

test('write preparation: a second one drops the rows of the first', () => {
  const { preparation: prepared, made, dropped } = preparation();
  for (let run = 0; run < 2; run++) for (const _ of prepared.run());
  assert.deepEqual([dropped, prepared.take() === made[1]], [[0], true]);
});

test('write preparation: an error ends it, for the write will meet the same one', () => {
  const { preparation: prepared, store } = preparation();
  // biome-ignore lint/correctness/useYield: the first step fails
  store.prepareRows = function* () {
    throw new Error('disk');
  };
  for (const _ of prepared.run());
  assert.deepEqual([prepared.hasBegun, prepared.take()], [false, undefined]);
});

test('write preparation: at most 50,000 rows', () => {
  const { preparation: prepared, overlay, made } = preparation();
  for (let i = 0; i < 50_000; i++) overlay.put(column, i, i);
  for (const _ of prepared.run());
  assert.deepEqual([made.length, prepared.isComplete], [1, true]);
  overlay.put(column, 50_000, 1);
  for (const _ of prepared.run());
  assert.deepEqual([made.length, prepared.hasBegun], [1, false]);
});
