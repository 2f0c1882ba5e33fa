import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentSet } from '../../../src/util/recent-set.js';

test('RecentSet: keeps recent members within its limit', () => {
  const set = new RecentSet(10);
  for (let i = 0; i < 100; i++) {
    set.add(`${i}`);
    assert.ok(set.size <= 10);
    for (let back = 0; back < 5 && i - back >= 0; back++) assert.ok(set.has(`${i - back}`), `${i - back} at ${i}`);
  }
  assert.equal(set.has('0'), false);
});

test('RecentSet: a member counts once and can be deleted', () => {
  const set = new RecentSet(10);
  set.add('a');
  set.add('a');
  assert.equal(set.size, 1);
  set.delete('a');
  assert.deepEqual([set.has('a'), set.size], [false, 0]);
});

test('RecentSet: a limit of 0 stores nothing', () => {
  const set = new RecentSet(0);
  set.add('a');
  assert.equal(set.has('a'), false);
});
