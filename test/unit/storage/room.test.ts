import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { DiskFull } from '../../../src/storage/errors.js';
import { requireRoomIn } from '../../../src/storage/room.js';
import { openRocks, temporaryDirectory } from './helpers.js';

test('room is what the file system of a directory has free', () => {
  requireRoomIn(tmpdir(), 0);
  assert.throws(() => requireRoomIn(tmpdir(), 2 ** 60), DiskFull);
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
