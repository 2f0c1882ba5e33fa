import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallStats } from '../../../src/rpc/call-stats.js';

test('statistics keep the extremes, an average in whole numbers and the last five calls', () => {
  let now = 1_700_000_000_000;
  const stats = new CallStats(() => now);
  for (const [latency, size] of [
    [3.9, 100],
    [0.2, 50],
    [10, 70],
    [1, 70],
    [1, 70],
    [2, 70],
  ] as const) {
    stats.record('getblock', latency, size);
    now += 1_999;
  }
  stats.record('echo', 1, 10);
  const getblock = stats.get('getblock');
  assert.deepEqual(getblock?.latency, { min: 0, avg: 4, max: 10 });
  assert.deepEqual(getblock?.payload, { min: 50, avg: 73, max: 100 });
  assert.equal(getblock?.count, 6);
  assert.equal(getblock?.lastUsedTime, 1_700_000_009);
  assert.deepEqual(
    getblock?.history.map(({ timestamp }) => timestamp - 1_700_000_000),
    [1, 3, 5, 7, 9],
  );
  assert.deepEqual(
    stats.list().map(({ name }) => name),
    ['echo', 'getblock'],
  );
  assert.equal(stats.get('stop'), undefined);
});
