import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WorkReport, WorkReporter } from '../../../src/util/work-report.js';

test('work is reported at its start, in steps of 5 percent, and at its end', () => {
  const seen: WorkReport[] = [];
  const reporter = new WorkReporter({ work: 'scanning', wallet: 'a' }, (report) => seen.push(report));
  reporter.end();
  assert.deepEqual(seen, [], 'work that did not begin has no end');
  for (let i = 0; i < 1_000; i++) reporter.update(i / 1_000);
  reporter.end();
  assert.equal(seen.length, 21);
  assert.deepEqual(seen[0], { work: 'scanning', wallet: 'a', percent: 0, isOver: false });
  assert.deepEqual(seen[7], { work: 'scanning', wallet: 'a', percent: 35, isOver: false });
  assert.deepEqual(seen[20], { work: 'scanning', wallet: 'a', percent: 99, isOver: true });
  reporter.update(1);
  assert.deepEqual(seen[21], { work: 'scanning', wallet: 'a', percent: 100, isOver: false });
});
