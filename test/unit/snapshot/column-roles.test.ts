import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainColumns } from '../../../src/chain/database.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { eventColumns } from '../../../src/events/columns.js';
import { indexColumns } from '../../../src/indexes/index.js';
import { oceanColumns } from '../../../src/ocean/index/ocean-index.js';
import { columnsWithRoles, roleOf } from '../../../src/snapshot/column-roles.js';
import { meta } from '../../../src/storage/version.js';

const names = [...chainColumns, ...dfiColumns, ...indexColumns, ...oceanColumns, ...eventColumns, meta].map(({ name }) => name);

test('every column of the database has one role in snapshots, and every role a column', () => {
  assert.deepEqual([...columnsWithRoles].sort(), [...new Set(names)].sort());
});

test('a column without a role is refused', () => {
  assert.throws(() => roleOf('dfi/new'), /has no role/);
});
