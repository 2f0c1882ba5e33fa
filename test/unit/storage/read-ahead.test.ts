import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadAhead } from '../../../src/storage/read-ahead.js';
import { bytes } from './helpers.js';

const family = 'test';
const keys = (count: number) => Array.from({ length: count }, () => bytes('00'));

/** Reads that end when the test says so. */
function heldReads() {
  const sizes: number[] = [];
  const ends: (() => void)[] = [];
  const ahead = new ReadAhead<string>((part) => {
    sizes.push(part.length);
    return new Promise<void>((resolve) => ends.push(resolve));
  });
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { ahead, sizes, endAll };
}

test('reading ahead is useful at the start and after slow reads, not after fast ones', () => {
  const { ahead } = heldReads();
  assert.equal(ahead.isUseful, true);
  for (let i = 0; i < 100; i++) ahead.note(100, 0.4);
  assert.equal(ahead.isUseful, false);
  ahead.note(10, 50);
  assert.equal(ahead.isUseful, false, 'a pause during one read');
  for (let i = 0; i < 100; i++) ahead.note(1, 0.1);
  assert.equal(ahead.isUseful, true);
});

test('rows are read in parts, up to a bound that counts those which are still being read', async () => {
  const { ahead, sizes, endAll } = heldReads();
  ahead.begin(keys(20), family);
  assert.deepEqual(sizes, [16, 4]);
  ahead.begin(keys(5_000), family);
  const read = () => sizes.reduce((sum, size) => sum + size, 0);
  assert.equal(read(), 1_028);
  ahead.begin(keys(10), family);
  assert.equal(read(), 1_028);
  const ended = ahead.end();
  endAll();
  await ended;
  ahead.begin(keys(10), family);
  assert.equal(read(), 1_038);
});

test('the end waits for running reads, and a failed one is no error', async () => {
  const failing = new ReadAhead<string>(() => Promise.reject(new Error('disk')));
  failing.begin(keys(1), family);
  await failing.end();
});
