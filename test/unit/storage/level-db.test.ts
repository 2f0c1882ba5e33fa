import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLevelDb, isRocksDb } from '../../../src/storage/level-db.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import { contentsOf, LEVEL_FILES, writeLevelDb } from '../../level-db.js';
import { columns, openRocks, temporaryDirectory } from './helpers.js';

for (const age of ['young', 'old'] as const) {
  test(`a LevelDB is refused and not changed: ${LEVEL_FILES[age].join(', ')}`, async () => {
    const directory = join(temporaryDirectory(), 'chainstate');
    writeLevelDb(directory, age);
    const before = contentsOf(directory);
    assert.deepEqual([isLevelDb(directory), isRocksDb(directory)], [true, false]);
    await assert.rejects(RocksStore.open(directory, columns), {
      name: 'ForeignData',
      message: `${directory} is a database of defid, which this program cannot use. Nothing was changed; choose another directory with -datadir`,
    });
    assert.deepEqual(contentsOf(directory), before);
  });
}

test('tables of a LevelDB are recognised next to files that an aborted start of RocksDB left', () => {
  const directory = temporaryDirectory();
  writeLevelDb(directory, 'old');
  writeFileSync(join(directory, 'IDENTITY'), 'x');
  assert.deepEqual([isLevelDb(directory), isRocksDb(directory)], [true, false]);
});

test('a database of this program is none of defid, open or closed, and without any one of its files', async (t) => {
  const directory = temporaryDirectory();
  const store = await RocksStore.open(directory, columns);
  assert.deepEqual([isLevelDb(directory), isRocksDb(directory)], [false, true]);
  await store.close();
  for (const lost of ['IDENTITY', 'CURRENT']) {
    rmSync(join(directory, lost));
    assert.deepEqual([isLevelDb(directory), isRocksDb(directory)], [false, true], lost);
  }
  await openRocks(t, temporaryDirectory());
});

const neither = [
  { name: 'a missing directory', make: () => {} },
  { name: 'an empty directory', make: (path: string) => mkdirSync(path) },
  { name: 'the lock of an interrupted creation', make: (path: string) => [mkdirSync(path), writeFileSync(join(path, 'LOCK'), '')] },
  { name: 'a file', make: (path: string) => writeFileSync(path, '') },
  { name: 'a database in a folder below', make: (path: string) => writeLevelDb(join(path, '.lock'), 'young') },
];
for (const { name, make } of neither) {
  test(`no database: ${name}`, () => {
    const path = join(temporaryDirectory(), 'x');
    make(path);
    assert.deepEqual([isLevelDb(path), isRocksDb(path)], [false, false]);
  });
}
