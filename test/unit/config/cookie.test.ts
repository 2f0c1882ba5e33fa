import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeCookie } from '../../../src/config/cookie.js';
import { ConfigError } from '../../../src/config/errors.js';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'dfi-cookie-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test('writeCookie: a new secret at each start, readable by its owner only', (t) => {
  const inside = folder(t);
  const path = join(inside, '.cookie');
  writeFileSync(path, 'old', { mode: 0o666 });
  const cookie = writeCookie(path);
  assert.match(cookie, /^__cookie__:[0-9a-f]{64}$/);
  assert.equal(readFileSync(path, 'utf8'), cookie);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.notEqual(writeCookie(path), cookie);
  assert.deepEqual(readdirSync(inside), ['.cookie']);
});

test('writeCookie: an existing link with a predictable name is not followed', (t) => {
  const inside = folder(t);
  const path = join(inside, '.cookie');
  const foreign = join(inside, 'foreign');
  writeFileSync(foreign, 'foreign', { mode: 0o666 });
  symlinkSync(foreign, `${path}.tmp`);
  const cookie = writeCookie(path);
  assert.equal(readFileSync(foreign, 'utf8'), 'foreign');
  assert.equal(readFileSync(path, 'utf8'), cookie);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('writeCookie: no part of a cookie remains on a disk that is full', (t) => {
  const inside = folder(t);
  const { writeFileSync: whole } = fs;
  t.mock.method(fs, 'writeFileSync', (path: string) => {
    whole(path, '');
    throw new Error('ENOSPC: no space left on device, write');
  });
  syncBuiltinESMExports();
  try {
    assert.throws(() => writeCookie(join(inside, '.cookie')), /ENOSPC/);
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(readdirSync(inside), []);
});

test('writeCookie: a file that cannot be replaced is named', (t) => {
  const inside = folder(t);
  const path = join(inside, '.cookie');
  mkdirSync(path);
  assert.throws(
    () => writeCookie(path),
    (error) =>
      error instanceof ConfigError && error.message.startsWith(`Unable to write the cookie file '${path}' (-rpccookiefile): EISDIR`),
  );
  assert.deepEqual(readdirSync(inside), ['.cookie']);
});
