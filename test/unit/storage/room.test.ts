import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { DiskFull } from '../../../src/storage/errors.js';
import { requireRoomIn } from '../../../src/storage/room.js';
import { openRocks, temporaryDirectory } from './helpers.js';

test('room is what the file system of a directory has free', () => {
  requireRoomIn(tmpdir(), 0);
  assert.throws(() => requireRoomIn(tmpdir(), 2 ** 60), DiskFull);
});

test('more than was left at the last measurement is measured again, whatever was written since', () => {
  const directory = temporaryDirectory();
  requireRoomIn(directory, 0);
  const { bavail, bsize } = statfsSync(directory);
  assert.throws(() => requireRoomIn(directory, bavail * bsize), DiskFull);
  // The refused bytes are not counted.
  requireRoomIn(directory, 0);
});

test('a store on disk names its own directory', async (t) => {
  const directory = temporaryDirectory();
  const store = await openRocks(t, directory);
  store.requireRoom(0);
  assert.throws(
    () => store.requireRoom(2 ** 60),
    (error) => error instanceof DiskFull && error.directory === directory,
  );
});
