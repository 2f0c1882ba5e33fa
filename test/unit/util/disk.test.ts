import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceFile } from '../../../src/util/disk.js';

test('a file is created with its permissions, replaced, and kept if the new one cannot be written', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-disk-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'file');
  replaceFile(path, 'first', 0o600);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  replaceFile(path, 'x', 0o600);
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(directory)], ['x', ['file']]);
  mkdirSync(`${path}.new`);
  assert.throws(() => replaceFile(path, 'third', 0o600), { code: 'EISDIR' });
  assert.equal(readFileSync(path, 'utf8'), 'x');
});
