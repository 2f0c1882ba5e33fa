import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyLimit, pageLimit } from '../../../../src/services/format/page.js';
import { letterCategory } from '../../../../src/services/format/type-letter.js';

const rows: readonly { readonly given: bigint | undefined; readonly page: number; readonly history: number }[] = [
  { given: undefined, page: 100, history: 100 },
  { given: 0n, page: Number.POSITIVE_INFINITY, history: 0xffffffff },
  { given: 7n, page: 7, history: 7 },
  { given: 2n ** 32n, page: 2 ** 32, history: 0xffffffff },
  { given: 2n ** 32n + 7n, page: 2 ** 32 + 7, history: 7 },
  { given: -1n, page: 2 ** 64, history: 0xffffffff },
];
for (const { given, page, history } of rows) {
  test(`limit ${given ?? 'of no request'}: 64 bits in lists, 32 bits in histories`, () => {
    assert.deepEqual([pageLimit(given), historyLimit(given)], [page, history]);
  });
}

test('a type is filtered by one byte alone: unknown ones count as 0, longer texts are ignored', () => {
  assert.deepEqual(['B', '%', '', 'BB', 'é', undefined].map(letterCategory), [66, 0, undefined, undefined, undefined, undefined]);
});
