import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BlockFiles } from '../../../src/chain/block-files.js';
import { StoreDamaged } from '../../../src/storage/errors.js';

const magic = Uint8Array.of(0xfc, 0xc1, 0xb7, 0xdc);

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-blocks-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function filled(size: number, value: number): Uint8Array {
  return new Uint8Array(size).fill(value);
}

test('a record is magic, length and the bytes', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { magic });
  assert.deepEqual(files.append(Uint8Array.of(1, 2, 3)), { file: 0, offset: 8, size: 3 });
  assert.deepEqual(files.append(Uint8Array.of(4)), { file: 0, offset: 19, size: 1 });
  files.close();
  assert.equal(readFileSync(join(directory, 'blk00000.dat')).toString('hex'), 'fcc1b7dc03000000010203fcc1b7dc0100000004');
});

test('blocks come back after a restart, from several files, also with more files than may be open at once', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { magic, fileBytes: 100 });
  const at = Array.from({ length: 80 }, (_, i) => files.append(filled(50, i)));
  assert.deepEqual(at[1], { file: 1, offset: 8, size: 50 });
  assert.equal(files.sizeOnDisk, 80 * 58);
  files.close();
  const again = new BlockFiles(directory, { magic, fileBytes: 100 });
  assert.deepEqual([...again.records()], at);
  for (const [i, position] of at.entries()) assert.deepEqual(Buffer.from(again.read(position)), Buffer.alloc(50, i));
  assert.equal(again.sizeOnDisk, 80 * 58);
  assert.deepEqual(again.append(filled(20, 0)), { file: 79, offset: 66, size: 20 });
  assert.deepEqual(again.append(filled(300, 0)), { file: 80, offset: 8, size: 300 });
  again.close();
});

test('a torn tail is cut, whole records and files behind the last known block too', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { magic, fileBytes: 100 });
  const kept = files.append(filled(10, 1));
  files.append(filled(20, 2));
  files.append(filled(90, 3));
  files.close();
  appendFileSync(join(directory, 'blk00001.dat'), Uint8Array.of(0xfc, 0xc1, 0xb7));
  const again = new BlockFiles(directory, { magic, fileBytes: 100 });
  assert.equal([...again.records()].length, 3);
  again.cutAfter(kept);
  assert.deepEqual(readdirSync(directory), ['blk00000.dat']);
  assert.equal(again.sizeOnDisk, 18);
  assert.deepEqual(again.append(filled(5, 4)), { file: 0, offset: 26, size: 5 });
  assert.deepEqual([...again.records()].length, 2);
  again.cutAfter(undefined);
  assert.equal(again.sizeOnDisk, 0);
  assert.deepEqual(again.append(filled(5, 5)), { file: 0, offset: 8, size: 5 });
  again.close();
});

const damages = [
  { name: 'another magic', spoil: (path: string) => writeFileSync(path, Buffer.concat([Buffer.alloc(4), readFileSync(path).subarray(4)])) },
  { name: 'another length', spoil: (path: string) => writeFileSync(path, Buffer.from(readFileSync(path)).fill(9, 4, 5)) },
  { name: 'a file that is too short', spoil: (path: string) => truncateSync(path, 17) },
];
for (const { name, spoil } of damages) {
  test(`a damaged record is told with the flag that repairs: ${name}`, (t) => {
    const directory = directoryFor(t);
    const files = new BlockFiles(directory, { magic });
    const at = files.append(filled(10, 1));
    files.close();
    spoil(join(directory, 'blk00000.dat'));
    const again = new BlockFiles(directory, { magic });
    for (const use of [() => again.read(at), () => again.cutAfter(at)]) {
      assert.throws(use, (error: Error) => error instanceof StoreDamaged && error.message.includes('-reindex'));
    }
    again.close();
  });
}

test('a file missing from the middle is damage', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { magic, fileBytes: 10 });
  for (let i = 0; i < 3; i++) files.append(filled(10, i));
  files.close();
  rmSync(join(directory, 'blk00001.dat'));
  assert.throws(() => new BlockFiles(directory, { magic }), StoreDamaged);
});

test('a read outside the files is damage, not a crash', (t) => {
  const files = new BlockFiles(directoryFor(t), { magic });
  assert.throws(() => files.read({ file: 3, offset: 8, size: 1 }), StoreDamaged);
  assert.throws(() => files.read({ file: 0, offset: 0, size: 1 }), StoreDamaged);
  files.close();
});
