import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closingAfter } from '../../../src/storage/closing.js';

const full = () => Promise.reject(new Error('No space left on device'));
const done = async () => 7;

/** A store that can be closed or not, and the number of times that it was. */
function storeOf(closes: boolean) {
  const store = {
    closed: 0,
    async close() {
      store.closed += 1;
      if (!closes) throw new Error('Seen error. Skip writing buffer.');
    },
  };
  return store;
}

test('a store is closed once, after work that succeeds and after work that fails', async () => {
  const store = storeOf(true);
  assert.equal(await closingAfter(store, done), 7);
  assert.equal(store.closed, 1);
  await assert.rejects(closingAfter(store, full), /No space left/);
  assert.equal(store.closed, 2);
});

test('a store that cannot be closed does not hide why the work failed', async () => {
  await assert.rejects(closingAfter(storeOf(false), full), /No space left/);
  await assert.rejects(closingAfter(storeOf(false), done), /Seen error/);
});
