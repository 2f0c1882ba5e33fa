import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Redraws } from '../../../src/explorer/redraws.js';

test('redraws: one at a time, the next after four times the duration of the last', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const ends: (() => void)[] = [];
  const redraws = new Redraws(
    () => new Promise((resolve) => ends.push(resolve)),
    () => nowMs,
  );
  const pass = (ms: number): void => {
    nowMs += ms;
    mock.timers.tick(ms);
  };
  redraws.request();
  redraws.request();
  pass(999);
  assert.equal(ends.length, 0);
  pass(1);
  assert.equal(ends.length, 1);
  redraws.request();
  pass(3000);
  assert.equal(ends.length, 1, 'the first drawing still waits for answers');
  ends[0]?.();
  await turn();
  pass(11_999);
  assert.equal(ends.length, 1);
  pass(1);
  assert.equal(ends.length, 2, 'the news during the drawing are drawn');
  ends[1]?.();
  await turn();
  pass(60_000);
  assert.equal(ends.length, 2, 'without news there is nothing to draw');
  redraws.request();
  redraws.stop();
  redraws.request();
  pass(60_000);
  assert.equal(ends.length, 2);
});
