import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableRows } from '../../tools/tables.js';

const PAGE = `## 1. First
### 1.1 Names
| a | b |
|---|---|
| \`x\` | 1 |
| y \\| z | |

Text.

| c |
|:--|
| 2 |
### 1.10 Others
| d |
|---|
| 3 |
`;

test('rows of all tables of a section, without their heads', () => {
  assert.deepEqual(tableRows(PAGE, '1.1'), [['x', '1'], ['y \\| z', ''], ['2']]);
  assert.deepEqual(tableRows(PAGE, '1.10'), [['3']]);
  assert.deepEqual(tableRows(PAGE, '1'), []);
});

test('a section that is not there', () => assert.throws(() => tableRows(PAGE, '1.2'), /no section 1.2/));
