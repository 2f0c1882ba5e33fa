import assert from 'node:assert/strict';
import fs, { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BlockFiles } from '../../../src/chain/block-files.js';
import type { BlockPosition } from '../../../src/chain/block-store.js';
import { StoreDamaged } from '../../../src/storage/errors.js';

const magic = Uint8Array.of(0xfc, 0xc1, 0xb7, 0xdc);
/** The blocks of most tests are shorter than a header. */
const tiny = { magic, minRecordBytes: 0 };

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
  const files = new BlockFiles(directory, tiny);
  assert.deepEqual(files.append(Uint8Array.of(1, 2, 3)), { file: 0, offset: 8, size: 3 });
  assert.deepEqual(files.append(Uint8Array.of(4)), { file: 0, offset: 19, size: 1 });
  files.close();
  assert.equal(readFileSync(join(directory, 'blk00000.dat')).toString('hex'), 'fcc1b7dc03000000010203fcc1b7dc0100000004');
});

test('blocks can be read after a restart, from several files, also with more files than may be open at a time', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 100 });
  const at = Array.from({ length: 80 }, (_, i) => files.append(filled(50, i)));
  assert.deepEqual(at[1], { file: 1, offset: 8, size: 50 });
  assert.equal(files.sizeOnDisk, 80 * 58);
  files.close();
  const again = new BlockFiles(directory, { ...tiny, fileBytes: 100 });
  assert.deepEqual([...again.records()], at);
  for (const [i, position] of at.entries()) assert.deepEqual(Buffer.from(again.read(position)), Buffer.alloc(50, i));
  assert.equal(again.sizeOnDisk, 80 * 58);
  assert.deepEqual(again.append(filled(20, 0)), { file: 79, offset: 66, size: 20 });
  assert.deepEqual(again.append(filled(300, 0)), { file: 80, offset: 8, size: 300 });
  again.close();
});

const tails = [
  { name: 'part of a header', tail: 'fcc1b7' },
  { name: 'a header without all of its bytes', tail: 'fcc1b7dc0500000001020304' },
  { name: 'zeros', tail: '00'.repeat(500) },
];
for (const { name, tail } of tails) {
  test(`a torn record at the end is cut off when the files are opened: ${name}`, (t) => {
    const directory = directoryFor(t);
    const files = new BlockFiles(directory, { ...tiny, fileBytes: 100 });
    const at = [files.append(filled(10, 1)), files.append(filled(90, 2))];
    files.close();
    appendFileSync(join(directory, 'blk00001.dat'), Buffer.from(tail, 'hex'));
    const again = new BlockFiles(directory, { ...tiny, fileBytes: 200 });
    assert.deepEqual([...again.records()], at);
    assert.equal(again.sizeOnDisk, 18 + 98);
    at.push(again.append(filled(5, 3)));
    assert.deepEqual(at[2], { file: 1, offset: 106, size: 5 });
    assert.deepEqual([...again.records(at[0])], at.slice(1));
    assert.deepEqual([...again.records(at[1])], at.slice(2));
    again.close();
  });
}

test('damage in the middle is not cut off: later records are kept', (t) => {
  const directory = directoryFor(t);
  const path = join(directory, 'blk00000.dat');
  const files = new BlockFiles(directory, tiny);
  const at = [1, 2, 3].map((value) => files.append(filled(10, value)));
  files.close();
  writeFileSync(path, Buffer.from(readFileSync(path)).fill(9, 18, 22));
  const again = new BlockFiles(directory, tiny);
  assert.throws(() => again.read(at[1] as BlockPosition), StoreDamaged);
  assert.deepEqual(Buffer.from(again.read(at[2] as BlockPosition)), Buffer.alloc(10, 3));
  at.push(again.append(filled(1, 4)));
  assert.deepEqual([...again.records()], [at[0], at[2], at[3]], 'a rebuild skips the damaged one alone');
  again.close();
});

const badLengths = [
  { name: 'a length that ends in the next record', length: 15, found: [0, 1, 2, 3] },
  { name: 'a length beyond the end of the file', length: 100, found: [0, 2, 3] },
  { name: 'a length that is too short', length: 4, found: [0, 1, 2, 3] },
];
for (const { name, length, found } of badLengths) {
  test(`records behind ${name} are found, in the last file and in others`, (t) => {
    const directory = directoryFor(t);
    const files = new BlockFiles(directory, tiny);
    const at = [1, 2, 3, 4].map((value) => files.append(filled(10, value)));
    files.close();
    const path = join(directory, 'blk00000.dat');
    writeFileSync(path, Buffer.from(readFileSync(path)).fill(length, 22, 23));
    for (const fileBytes of [1_000, 60]) {
      const again = new BlockFiles(directory, { ...tiny, fileBytes });
      again.append(filled(1, 5));
      const offsets = [...again.records()].filter(({ file }) => file === 0).map(({ offset }) => offset);
      assert.deepEqual(
        offsets.slice(0, found.length),
        found.map((i) => at[i]?.offset),
      );
      again.close();
    }
  });
}

test('a record within the last block is no end of it', (t) => {
  const directory = directoryFor(t);
  const path = join(directory, 'blk00000.dat');
  const files = new BlockFiles(directory, tiny);
  const inner = Buffer.concat([magic, Uint8Array.of(1, 0, 0, 0, 7), magic, Uint8Array.of(0, 0, 1, 0)]);
  const at = files.append(inner);
  files.close();
  appendFileSync(path, Buffer.alloc(100));
  const again = new BlockFiles(directory, tiny);
  assert.equal(readFileSync(path).length, at.offset + at.size);
  assert.deepEqual(Buffer.from(again.read(at)), inner);
  again.close();
});

/** Bytes read from files, and the number of reads. */
function countReads(t: TestContext): { reads: number; bytes: number } {
  const counted = { reads: 0, bytes: 0 };
  const { readSync } = fs;
  t.mock.method(fs, 'readSync', (fd: number, buffer: Uint8Array, offset: number, length: number, position: number) => {
    counted.reads += 1;
    counted.bytes += length;
    return readSync(fd, buffer, offset, length, position);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return counted;
}

/** Bytes at the beginning of records that are none, repeated in a block of 4 MiB. */
const hostileBytes = [
  { name: 'magics', unit: magic },
  { name: 'magics and lengths of records that are too short', unit: Buffer.concat([magic, Uint8Array.of(79, 0, 0, 0)]) },
  { name: 'magics and lengths beyond the end', unit: Buffer.concat([magic, Uint8Array.of(0, 0, 128, 0)]) },
];
for (const { name, unit } of hostileBytes) {
  test(`a last block full of ${name} is searched with few reads when the files are opened`, (t) => {
    const directory = directoryFor(t);
    const path = join(directory, 'blk00000.dat');
    const formerMagic = Uint8Array.of(9, 8, 7, 6);
    const files = new BlockFiles(directory, { magic, formerMagic });
    const at = files.append(Buffer.alloc(4 * 2 ** 20, unit));
    files.close();
    appendFileSync(path, Buffer.alloc(100));
    const counted = countReads(t);
    const again = new BlockFiles(directory, { magic, formerMagic });
    assert.ok(counted.reads <= 70 && counted.bytes < 5 * 2 ** 20, `${counted.reads} reads of ${counted.bytes} bytes`);
    assert.deepEqual([...again.records()], [at]);
    again.close();
    assert.equal(readFileSync(path).length, at.offset + at.size);
  });
}

test('a last block full of records that nothing follows costs a small read for each', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { magic });
  const record = Buffer.concat([magic, Uint8Array.of(0, 0, 3, 0, 1, 1, 1, 1)]);
  const at = files.append(Buffer.concat([Buffer.alloc(12 * 20_000, record), Buffer.alloc(2 ** 20)]));
  files.close();
  appendFileSync(join(directory, 'blk00000.dat'), Buffer.alloc(100));
  const counted = countReads(t);
  const again = new BlockFiles(directory, { magic });
  assert.ok(counted.reads < 20_100 && counted.bytes < 3 * 2 ** 20, `${counted.reads} reads of ${counted.bytes} bytes`);
  assert.deepEqual([...again.records()], [at]);
  again.close();
});

/** Bytes of the last file as a power failure may leave them: some of what was written since the last sync is missing. */
const failures = [
  { name: 'all was written', lose: (bytes: Buffer) => bytes, kept: [0, 1, 2, 3] },
  { name: 'the last block was not', lose: (bytes: Buffer) => bytes.fill(0, 18 * 3, 18 * 4), kept: [0, 1, 2] },
  { name: 'only the header of the last block was', lose: (bytes: Buffer) => bytes.fill(0, 18 * 3 + 8, 18 * 4), kept: [0, 1, 2, 3] },
  { name: 'the last block but one was not', lose: (bytes: Buffer) => bytes.fill(0, 18 * 2, 18 * 3), kept: [0, 1, 3] },
];
for (const { name, lose, kept } of failures) {
  test(`synced blocks are kept, and later ones are appended, after a power failure: ${name}`, (t) => {
    const directory = directoryFor(t);
    const path = join(directory, 'blk00000.dat');
    const files = new BlockFiles(directory, tiny);
    const at: BlockPosition[] = [];
    for (const value of [1, 2]) {
      at.push(files.append(filled(10, value)));
      files.sync();
    }
    assert.ok(readFileSync(path).length > 4 * 18, 'there are zeros at the end');
    assert.equal(files.sizeOnDisk, 2 * 18);
    at.push(files.append(filled(10, 3)), files.append(filled(10, 4)));
    const left = lose(readFileSync(path));
    files.close();
    assert.equal(readFileSync(path).length, 4 * 18, 'closing cuts them off');
    writeFileSync(path, left);
    const again = new BlockFiles(directory, tiny);
    const found = kept.map((i) => at[i]);
    assert.deepEqual([...again.records()], found);
    for (const value of [1, 2]) assert.deepEqual(Buffer.from(again.read(at[value - 1] as BlockPosition)), Buffer.alloc(10, value));
    const more = again.append(filled(10, 5));
    assert.deepEqual([...again.records()], [...found, more]);
    again.close();
    const last = new BlockFiles(directory, tiny);
    assert.deepEqual([...last.records()], [...found, more]);
    last.close();
  });
}

test('zeros are not written after large batches, nor past the size of a file, and are cut off when a file is full', (t) => {
  const directory = directoryFor(t);
  const size = (file: number) => readFileSync(join(directory, `blk0000${file}.dat`)).length;
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 500_000 });
  files.append(filled(200_000, 1));
  files.sync();
  assert.equal(size(0), 200_008);
  files.append(filled(10, 2));
  files.sync();
  assert.equal(size(0), 200_026 + 256 * 1024);
  files.append(filled(262_100, 3));
  files.append(filled(10, 4));
  files.sync();
  assert.equal(size(0), 462_170);
  files.append(filled(11, 5));
  files.sync();
  assert.equal(size(0), 500_000);
  files.append(filled(100_000, 6));
  assert.deepEqual([size(0), size(1)], [462_171, 100_008]);
  assert.equal(files.sizeOnDisk, size(0) + size(1));
  files.close();
});

const damages = [
  { name: 'another magic', spoil: (path: string) => writeFileSync(path, Buffer.concat([Buffer.alloc(4), readFileSync(path).subarray(4)])) },
  { name: 'another length', spoil: (path: string) => writeFileSync(path, Buffer.from(readFileSync(path)).fill(9, 4, 5)) },
  { name: 'a file that is too short', spoil: (path: string) => truncateSync(path, 17) },
];
for (const { name, spoil } of damages) {
  test(`a damaged record is reported with advice to reindex: ${name}`, (t) => {
    const directory = directoryFor(t);
    const files = new BlockFiles(directory, tiny);
    const at = files.append(filled(10, 1));
    files.close();
    spoil(join(directory, 'blk00000.dat'));
    const again = new BlockFiles(directory, tiny);
    assert.throws(
      () => again.read(at),
      (error: Error) => error instanceof StoreDamaged && error.message.includes('-reindex'),
    );
    again.close();
  });
}

test('records of a former magic are read, and others appended to them', (t) => {
  const directory = directoryFor(t);
  const before = new BlockFiles(directory, { ...tiny, magic: Uint8Array.of(9, 8, 7, 6) });
  const first = before.append(filled(10, 1));
  before.close();
  const files = new BlockFiles(directory, { ...tiny, formerMagic: Uint8Array.of(9, 8, 7, 6) });
  const second = files.append(filled(10, 2));
  assert.deepEqual([...files.records()], [first, second]);
  assert.deepEqual(
    [first, second].map((at) => files.read(at)[0]),
    [1, 2],
  );
  files.close();
  assert.deepEqual(readFileSync(join(directory, 'blk00000.dat')).subarray(18, 22), Buffer.from(magic));
});

test('a file missing from the middle is damage', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 10 });
  for (let i = 0; i < 3; i++) files.append(filled(10, i));
  files.close();
  rmSync(join(directory, 'blk00001.dat'));
  assert.throws(() => new BlockFiles(directory, tiny), StoreDamaged);
});

test('a full file that is deleted while the node runs is damage, and is not created again', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 10 });
  const [first] = Array.from({ length: 40 }, (_, i) => files.append(filled(10, i)));
  // The files opened last are still open, the first one is not.
  rmSync(join(directory, 'blk00000.dat'));
  assert.throws(() => files.read(first as BlockPosition), StoreDamaged);
  files.close();
  assert.throws(() => new BlockFiles(directory, tiny), StoreDamaged);
});

test('full files are opened for reading only', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 10 });
  const positions = Array.from({ length: 3 }, (_, i) => files.append(filled(10, i)));
  files.close();
  const open = t.mock.method(fs, 'openSync');
  syncBuiltinESMExports();
  t.after(syncBuiltinESMExports);
  const again = new BlockFiles(directory, { ...tiny, fileBytes: 10 });
  for (const position of positions) again.read(position);
  again.append(filled(10, 3));
  assert.deepEqual([...again.records()].length, 4);
  const flags = open.mock.calls.map(({ arguments: [path, mode] }) => [String(path).slice(-12), Number(mode) & fs.constants.O_RDWR]);
  assert.deepEqual(new Set(flags.filter(([, mode]) => mode !== 0).map(([path]) => path)), new Set(['blk00002.dat', 'blk00003.dat']));
  again.close();
});

test('after files behind a gap are deleted, the file before it is filled', (t) => {
  const directory = directoryFor(t);
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 40 });
  for (let i = 0; i < 4; i++) files.append(filled(30, i));
  files.close();
  rmSync(join(directory, 'blk00001.dat'));
  const again = new BlockFiles(directory, { ...tiny, fileBytes: 100, pruned: true });
  assert.equal([...again.records()].length, 3);
  assert.equal(again.removeBehindGap(), 2);
  assert.equal(again.append(filled(30, 9)).file, 0);
  again.close();
});

test('a read outside the files is damage, not a crash', (t) => {
  const files = new BlockFiles(directoryFor(t), tiny);
  assert.throws(() => files.read({ file: 3, offset: 8, size: 1 }), StoreDamaged);
  assert.throws(() => files.read({ file: 0, offset: 0, size: 1 }), StoreDamaged);
  files.close();
});

/** Counts the syncs of files, and makes those on another thread fail with `error`, if there is one. */
function countSyncs(t: TestContext, error: Error | null = null): { here: number; elsewhere: number } {
  const counted = { here: 0, elsewhere: 0 };
  t.mock.method(fs, 'fdatasyncSync', () => {
    counted.here += 1;
  });
  t.mock.method(fs, 'fdatasync', (_: number, done: (error: Error | null) => void) => {
    counted.elsewhere += 1;
    setImmediate(done, error);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return counted;
}

test('a sync ahead leaves nothing to a sync, except what is appended meanwhile', async (t) => {
  const files = new BlockFiles(directoryFor(t), tiny);
  files.append(filled(10, 0));
  files.sync();
  const syncs = countSyncs(t);
  files.append(filled(10, 1));
  await files.syncAhead();
  files.sync();
  assert.deepEqual(syncs, { here: 0, elsewhere: 1 });
  files.append(filled(10, 2));
  const ahead = files.syncAhead();
  files.append(filled(10, 3));
  await ahead;
  files.sync();
  assert.deepEqual(syncs, { here: 1, elsewhere: 2 });
  files.close();
});

test('a new file is left to the next sync by a sync ahead', async (t) => {
  const files = new BlockFiles(directoryFor(t), tiny);
  const syncs = countSyncs(t);
  files.append(filled(10, 1));
  await files.syncAhead();
  assert.deepEqual(syncs, { here: 0, elsewhere: 0 });
  files.sync();
  assert.deepEqual(syncs, { here: 1, elsewhere: 0 });
  files.close();
});

/**
 * A disk that drops the bytes of syncs that fail, and reports that once, as Linux does. What was written is in memory until then.
 * @returns the bytes that are on the disk
 */
function losingDisk(t: TestContext): { failures: number; isSyncAheadLate: boolean; stored: (path: string) => Buffer } {
  const disk = new Map<number, Map<number, Buffer>>();
  const waiting = new Map<number, Map<number, Buffer>>();
  const inodeOf = (fd: number) => fs.fstatSync(fd).ino;
  const rowsOf = (rows: Map<number, Map<number, Buffer>>, inode: number) => {
    if (!rows.has(inode)) rows.set(inode, new Map());
    return rows.get(inode) as Map<number, Buffer>;
  };
  const { writeSync } = fs;
  const state = {
    failures: 0,
    isSyncAheadLate: false,
    stored: (path: string) => {
      const bytes = Buffer.alloc(fs.statSync(path).size);
      for (const [at, part] of rowsOf(disk, fs.statSync(path).ino)) part.copy(bytes, at);
      return bytes;
    },
  };
  t.mock.method(fs, 'writeSync', (fd: number, bytes: Uint8Array, offset: number, length: number, position: number) => {
    rowsOf(waiting, inodeOf(fd)).set(position, Buffer.from(bytes.subarray(offset, offset + length)));
    return writeSync(fd, bytes, offset, length, position);
  });
  const sync = (fd: number): Error | null => {
    const written = rowsOf(waiting, inodeOf(fd));
    const parts = [...written];
    written.clear();
    if (state.failures > 0) {
      state.failures -= 1;
      return Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
    }
    for (const [at, part] of parts) rowsOf(disk, inodeOf(fd)).set(at, part);
    return null;
  };
  t.mock.method(fs, 'fdatasyncSync', (fd: number) => {
    const error = sync(fd);
    if (error) throw error;
  });
  t.mock.method(fs, 'fdatasync', (fd: number, done: (error: Error | null) => void) => {
    if (state.isSyncAheadLate) setImmediate(() => done(sync(fd)));
    else setImmediate(done, sync(fd));
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return state;
}

const failedSyncs = [
  { name: 'of a sync', ahead: false, failures: 1 },
  { name: 'of a sync, twice', ahead: false, failures: 2 },
  { name: 'of a sync ahead', ahead: true, failures: 1 },
  { name: 'of a sync ahead and of the next one', ahead: true, failures: 2 },
];
for (const { name, ahead, failures } of failedSyncs) {
  test(`a sync that succeeds has stored all blocks, also those of a failure ${name}`, async (t) => {
    const directory = directoryFor(t);
    const files = new BlockFiles(directory, { ...tiny, fileBytes: 1_000 });
    const disk = losingDisk(t);
    files.append(filled(10, 1));
    files.sync();
    for (let i = 2; i < 5; i++) files.append(filled(10, i));
    disk.failures = failures;
    let left = failures;
    if (ahead) {
      await files.syncAhead();
      left -= 1;
    }
    for (; left > 0; left--) assert.throws(() => files.sync(), /EIO/);
    files.append(filled(10, 5));
    files.sync();
    const path = join(directory, 'blk00000.dat');
    assert.deepEqual(disk.stored(path).subarray(0, 5 * 18), readFileSync(path).subarray(0, 5 * 18));
    files.close();
  });
}

for (const failing of ['the one ahead', 'the other one'] as const) {
  test(`of a sync ahead and one meanwhile, ${failing} fails: the next one stores all blocks`, async (t) => {
    const directory = directoryFor(t);
    const files = new BlockFiles(directory, tiny);
    const disk = losingDisk(t);
    files.append(filled(10, 1));
    files.sync();
    files.append(filled(10, 2));
    disk.failures = failing === 'the one ahead' ? 1 : 0;
    disk.isSyncAheadLate = failing !== 'the one ahead';
    const ahead = files.syncAhead();
    if (failing === 'the one ahead') files.sync();
    else {
      disk.failures = 1;
      assert.throws(() => files.sync(), /EIO/);
    }
    await ahead;
    files.sync();
    const path = join(directory, 'blk00000.dat');
    assert.deepEqual(disk.stored(path).subarray(0, 36), readFileSync(path).subarray(0, 36));
    files.close();
  });
}

test('blocks that a start finds in the files are synced before they are referred to', (t) => {
  const directory = directoryFor(t);
  const killed = new BlockFiles(directory, { ...tiny, fileBytes: 40 });
  const positions = Array.from({ length: 5 }, (_, i) => killed.append(filled(10, i)));
  const files = new BlockFiles(directory, { ...tiny, fileBytes: 40 });
  const syncs = countSyncs(t);
  assert.equal([...files.records(positions[1])].length, 3);
  files.sync();
  assert.equal(syncs.here, 2);
  files.sync();
  assert.equal(syncs.here, 2);
  files.close();
});
