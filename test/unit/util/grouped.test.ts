import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped } from '../../../src/util/grouped.js';

test('groups are in the order of their first elements, elements in that of the list', () => {
  assert.deepEqual(
    grouped([5, 2, 7, 4, 9], (number) => (number % 2 === 0 ? 'even' : 'odd')),
    [
      [5, 7, 9],
      [2, 4],
    ],
  );
  assert.deepEqual(
    grouped([], () => ''),
    [],
  );
});
