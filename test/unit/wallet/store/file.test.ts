import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import type { ByteReader, ByteWriter } from '../../../../src/primitives/codec.js';
import type { RawChange } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { WalletFile } from '../../../../src/wallet/store/file.js';
import { WalletNotWritten, WalletUnloaded } from '../../../../src/wallet/store/file-errors.js';
import { HEADER_SIZE, WalletDamaged, WalletTooNew } from '../../../../src/wallet/store/file-format.js';
import { isTemporary } from '../../../../src/wallet/store/file-names.js';
import { UNCHANGED } from '../../../../src/wallet/store/replacement.js';
import { WalletStore } from '../../../../src/wallet/store/store.js';
import { withBrokenDisk } from '../broken-disk.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-file-'));
after(() => rmSync(directory, { recursive: true }));

const { signal } = new AbortController();
const ID = Uint8Array.from({ length: 16 }, (_, i) => i);
let files = 0;
const newPath = () => join(directory, `${++files}.dat`);
const row = (key: number, value: number | undefined) => ({
  column: 'a',
  key: Uint8Array.of(key),
  value: value === undefined ? undefined : Uint8Array.of(value),
});
const rowsOf = (file: WalletFile) => [...file.rows('a')].map(({ key, value }) => `${toHex(key)}=${toHex(value)}`).sort();

function written(path: string): WalletFile {
  const file = WalletFile.create(path, ID);
  file.write([row(1, 10), row(2, 20)], { sync: true });
  file.write([row(2, 21), row(3, 30)], { sync: false });
  file.write([row(1, undefined)], { sync: true });
  return file;
}

test('rows are present after the file is reopened', () => {
  const path = newPath();
  const file = written(path);
  assert.deepEqual(rowsOf(file), ['02=15', '03=1e']);
  file.close();
  const again = WalletFile.open(path);
  assert.deepEqual(rowsOf(again), ['02=15', '03=1e']);
  assert.deepEqual([...again.id], [...ID]);
  again.close();
  assert.throws(() => WalletFile.create(path, ID), /exists/);
});

test('a file truncated at any offset opens with the complete batches', () => {
  const path = newPath();
  written(path).close();
  const whole = readFileSync(path);
  const seen = new Set<string>();
  const first = HEADER_SIZE + 24 + whole.readUInt32LE(HEADER_SIZE);
  for (let size = HEADER_SIZE; size < first; size++) {
    writeFileSync(path, whole.subarray(0, size));
    assert.throws(() => WalletFile.open(path), /has no complete record/);
  }
  for (let size = first; size <= whole.length; size++) {
    writeFileSync(path, whole);
    truncateSync(path, size);
    const file = WalletFile.open(path);
    seen.add(rowsOf(file).join(' '));
    // The file is writable, and the incomplete end does not reappear.
    file.write([row(9, 90)], { sync: true });
    file.close();
    const again = WalletFile.open(path);
    assert.ok(rowsOf(again).includes('09=5a'), `cut at ${size}`);
    again.close();
  }
  assert.deepEqual([...seen], ['01=0a 02=14', '01=0a 02=15 03=1e', '02=15 03=1e']);
});

const copies: readonly { readonly name: string; readonly make: (file: WalletFile, path: string) => Promise<string> | string }[] = [
  {
    name: 'backup',
    make: (file) => {
      const copy = newPath();
      file.copyTo(copy);
      return copy;
    },
  },
  {
    name: 'backup in slices',
    make: async (file) => {
      const copy = newPath();
      await file.copyInSlices(copy, { signal: new AbortController().signal, beforeRename: () => {} });
      return copy;
    },
  },
  {
    name: 'file without history',
    make: (file, path) => {
      file.rewrite();
      return path;
    },
  },
  { name: 'compacted file', make: async (file, path) => ((await file.compact()) ? path : '') },
];
for (const { name, make } of copies) {
  test(`a ${name} truncated at any offset is refused and stays unchanged`, async () => {
    const path = newPath();
    const file = written(path);
    // Two columns are two frames.
    file.write([{ ...row(4, 40), column: 'b' }], { sync: true });
    const copy = await make(file, path);
    file.close();
    const whole = readFileSync(copy);
    const cut = newPath();
    for (let size = 0; size < whole.length; size++) {
      writeFileSync(cut, whole.subarray(0, size));
      assert.throws(() => WalletFile.open(cut), WalletDamaged, `cut at ${size}`);
      assert.ok(readFileSync(cut).equals(whole.subarray(0, size)), `cut at ${size}`);
    }
    const opened = WalletFile.open(copy);
    assert.deepEqual(rowsOf(opened), ['02=15', '03=1e']);
    assert.equal([...opened.rows('b')].length, 1);
    opened.close();
  });
}

test('garbage after the last batch is removed, damage before it is an error', () => {
  const path = newPath();
  written(path).close();
  appendFileSync(path, Buffer.alloc(7, 0xff));
  const file = WalletFile.open(path);
  assert.deepEqual(rowsOf(file), ['02=15', '03=1e']);
  file.close();
  const bytes = readFileSync(path);
  bytes[45] = (bytes[45] as number) ^ 1;
  writeFileSync(path, bytes);
  assert.throws(() => WalletFile.open(path), WalletDamaged);
});

test('other files and later formats are refused', () => {
  const path = newPath();
  writeFileSync(path, 'something else that is long enough to be a header');
  assert.equal(WalletFile.isWallet(path), false);
  assert.throws(() => WalletFile.open(path), WalletDamaged);
  const later = newPath();
  written(later).close();
  const bytes = readFileSync(later);
  bytes.writeUInt32LE(3, 8);
  writeFileSync(later, bytes);
  assert.equal(WalletFile.isWallet(later), true);
  assert.throws(() => WalletFile.open(later), WalletTooNew);
});

test('a rewritten file has the present rows and no history', () => {
  const path = newPath();
  const file = WalletFile.create(path, ID);
  const secret = Buffer.from('a secret that is replaced');
  file.write([{ column: 'a', key: Uint8Array.of(1), value: secret }], { sync: true });
  file.write([row(1, 7)], { sync: true });
  assert.ok(readFileSync(path).includes(secret));
  file.rewrite();
  assert.ok(!readFileSync(path).includes(secret));
  file.write([row(2, 8)], { sync: true });
  file.close();
  const again = WalletFile.open(path);
  assert.deepEqual(rowsOf(again), ['01=07', '02=08']);
  const copy = newPath();
  again.copyTo(copy);
  again.close();
  const copied = WalletFile.open(copy);
  assert.deepEqual(rowsOf(copied), ['01=07', '02=08']);
  copied.close();
});

test('a file that is mostly history is compacted during writes, and has their rows', async () => {
  const path = newPath();
  const file = WalletFile.create(path, ID);
  const big = (n: number) => ({ column: 'b', key: Uint8Array.of(n % 7), value: new Uint8Array(60_000).fill(n) });
  for (let n = 0; n < 70; n++) file.write([big(n)], { sync: n === 0 });
  const before = readFileSync(path).length;
  assert.equal(file.isWasteful, true);
  const compacting = file.compact();
  file.write([row(1, 10), row(2, 20)], { sync: true });
  file.write([row(1, undefined), big(69)], { sync: false });
  assert.equal(await compacting, true);
  file.write([row(3, 30)], { sync: true });
  assert.equal(file.isWasteful, false);
  assert.ok(readFileSync(path).length < before / 5);
  file.close();
  const again = WalletFile.open(path);
  assert.deepEqual(rowsOf(again), ['02=14', '03=1e']);
  assert.deepEqual([...again.rows('b')].map(({ value }) => value[0]).sort(), [63, 64, 65, 66, 67, 68, 69]);
  again.close();
});

test('a symbolic link to a file remains one, and its target is replaced', async () => {
  const link = newPath();
  const elsewhere = join(directory, 'elsewhere');
  mkdirSync(elsewhere);
  const target = join(elsewhere, 'target.dat');
  symlinkSync(join('elsewhere', 'target.dat'), link);
  const holds = (...rows: string[]) => {
    assert.ok(lstatSync(link).isSymbolicLink());
    const file = WalletFile.open(target);
    assert.deepEqual(rowsOf(file), rows);
    file.close();
    assert.deepEqual(readdirSync(elsewhere), ['target.dat']);
  };
  // The target of a link may be missing.
  written(link).close();
  holds('02=15', '03=1e');
  writeFileSync(`${target}.being-compacted`, 'half a copy');
  const file = WalletFile.open(link);
  file.write([row(4, 40)], { sync: true });
  file.rewrite();
  assert.equal(await file.compact(), true);
  file.write([row(5, 50)], { sync: true });
  file.close();
  holds('02=15', '03=1e', '04=28', '05=32');
  const other = written(newPath());
  other.copyTo(link);
  other.close();
  holds('02=15', '03=1e');
});

test('a compaction is aborted when the file is rewritten or closed, and leaves no file behind', async () => {
  for (const end of [(file: WalletFile) => file.rewrite(), (file: WalletFile) => file.close()]) {
    const path = newPath();
    const file = written(path);
    const compacting = file.compact();
    end(file);
    assert.equal(await compacting, false);
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.startsWith(`${basename(path)}.`)),
      [],
    );
    assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e']);
  }
});

test('a compaction does not abort a replacement of all rows', async () => {
  const path = newPath();
  const file = written(path);
  const map = (change: RawChange) => ({ ...change, value: Uint8Array.of(7) });
  const replacing = file.replaceWith({ ...UNCHANGED, map });
  assert.equal(await file.compact(), false);
  await replacing;
  assert.equal(await file.compact(), true);
  file.close();
  assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=07', '03=07']);
});

test('temporary files left by an unclean shutdown are removed when the wallet is opened', () => {
  const path = newPath();
  written(path).close();
  for (const ending of ['being-made', 'being-compacted']) writeFileSync(`${path}.${ending}`, 'half a copy');
  WalletFile.open(path).close();
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith(`${basename(path)}.`)),
    [],
  );
});

const bigRow = (value: number) => ({ column: 'a', key: Uint8Array.of(200), value: new Uint8Array(5_000).fill(value) });

test('a batch that does not fit on the disk has no effect, and the next one replaces it', async () => {
  // The rest of the big batch, read as a length, would be a small number: damage instead of an incomplete end.
  for (const faults of [
    { writeSync: 'full' },
    { writeSync: 'full after half' },
    { writeSync: 'full after half', ftruncateSync: 'broken' },
  ] as const) {
    const path = newPath();
    const file = written(path);
    await withBrokenDisk(faults, () => assert.throws(() => file.write([bigRow(0)], { sync: true }), WalletNotWritten));
    assert.deepEqual(rowsOf(file), ['02=15', '03=1e']);
    file.write([row(4, 40)], { sync: true });
    assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e', '04=28']);
    file.close();
  }
});

test('after an unclean shutdown on a full disk a file opens with the batches before', async () => {
  const path = newPath();
  const file = written(path);
  await withBrokenDisk({ writeSync: 'full after half', ftruncateSync: 'broken' }, () => {
    assert.throws(() => file.write([bigRow(0)], { sync: true }), WalletNotWritten);
  });
  assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e']);
  file.discard();
});

test('after a failed sync the file is rewritten before the next write', async () => {
  const path = newPath();
  const file = written(path);
  await withBrokenDisk({ fdatasyncSync: 'broken' }, () => {
    assert.throws(() => file.write([row(4, 40)], { sync: true }), /could not be written: EIO: i\/o error, fdatasync/);
  });
  // The pages that the system dropped.
  truncateSync(path, 40);
  await withBrokenDisk({ writeSync: 'full' }, () => assert.throws(() => file.write([row(5, 50)], { sync: true }), WalletNotWritten));
  file.write([row(5, 50)], { sync: true });
  assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e', '04=28', '05=32']);
  file.close();
});

test('a failed rewrite or copy leaves the file intact, and no other file', async () => {
  for (const faults of [{ writeSync: 'full after half' }, { fsyncSync: 'broken' }, { renameSync: 'broken' }] as const) {
    const path = newPath();
    const file = written(path);
    for (let n = 0; n < 9; n++) file.write([row(2, 21)], { sync: true });
    const before = readFileSync(path).length;
    await withBrokenDisk(faults, async () => {
      assert.throws(() => file.copyTo(newPath()), WalletNotWritten);
      await assert.rejects(file.copyInSlices(newPath(), { signal, beforeRename: () => {} }), WalletNotWritten);
      await assert.rejects(file.compact());
      assert.throws(() => file.rewrite(), WalletNotWritten);
    });
    if (!('fsyncSync' in faults)) assert.deepEqual(readdirSync(directory).filter(isTemporary), []);
    assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e']);
    // The history is removed by the next write.
    file.write([row(4, 40)], { sync: true });
    assert.ok(readFileSync(path).length < before);
    file.close();
    assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e', '04=28']);
  }
});

test('changes that a store could not write are written with the next batch', async () => {
  const path = newPath();
  const file = written(path);
  const store = new WalletStore(file);
  const number = { write: (w: ByteWriter, value: number) => w.u8(value), read: (r: ByteReader) => r.u8() };
  const column = { name: 'a', key: number, value: number };
  store.put(column, 1, 100);
  await withBrokenDisk({ writeSync: 'full' }, () => {
    assert.throws(() => store.commit(), WalletNotWritten);
    store.put(column, 2, 102);
    assert.throws(() => store.commitLazily(), WalletNotWritten);
  });
  store.put(column, 4, 40);
  store.commit();
  assert.deepEqual(rowsOf(WalletFile.open(path)), ['01=64', '02=66', '03=1e', '04=28']);
  file.close();
});

test('a new file gets its name with the first synced write', () => {
  const path = newPath();
  const file = WalletFile.create(path, ID);
  file.write([row(1, 10)], { sync: false });
  assert.equal(existsSync(path), false);
  file.write([row(2, 20)], { sync: true });
  assert.deepEqual(rowsOf(WalletFile.open(path)), ['01=0a', '02=14']);
  file.close();
  const never = newPath();
  WalletFile.create(never, ID).discard();
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith(basename(never))),
    [],
  );
});

test('a file that is mostly history opens and is writable even if the disk has no room to rewrite it', async () => {
  const path = newPath();
  const file = written(path);
  for (let n = 0; n < 500; n++) file.write([bigRow(n)], { sync: false });
  file.close();
  const before = readFileSync(path).length;
  const opened = await withBrokenDisk({ writeSync: 'full' }, () => WalletFile.open(path));
  assert.equal(opened.isWasteful, true);
  opened.write([row(4, 40)], { sync: true });
  assert.ok(readFileSync(path).length > before);
  opened.close();
  const again = WalletFile.open(path);
  assert.equal(again.isWasteful, false);
  assert.ok(rowsOf(again).includes('04=28'));
  again.close();
});

test('a closed file is neither changed nor replaced', async () => {
  const path = newPath();
  const file = written(path);
  file.close();
  const before = readFileSync(path);
  // Gets the number of the closed descriptor.
  const other = written(newPath());
  // The second write found the file in doubt, and replaced it by one without rows.
  for (let n = 0; n < 2; n++) assert.throws(() => file.write([row(4, 40)], { sync: true }), WalletUnloaded);
  assert.throws(() => file.rewrite(), WalletUnloaded);
  const copy = newPath();
  assert.throws(() => file.copyTo(copy), WalletUnloaded);
  await assert.rejects(file.compact(), WalletUnloaded);
  await assert.rejects(file.replaceWith(UNCHANGED), WalletUnloaded);
  assert.ok(!existsSync(copy));
  assert.deepEqual(readFileSync(path), before);
  other.close();
  const again = WalletFile.open(other.path);
  assert.deepEqual(rowsOf(again), ['02=15', '03=1e']);
  again.close();
});

test('a file that was deleted while it is open is written again with all rows', () => {
  for (const sync of [true, false]) {
    const path = newPath();
    const file = written(path);
    rmSync(path);
    file.write([row(4, 40)], { sync });
    assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e', '04=28']);
    file.write([row(5, 50)], { sync: true });
    file.close();
    assert.deepEqual(rowsOf(WalletFile.open(path)), ['02=15', '03=1e', '04=28', '05=32']);
  }
});

test('a file that was replaced or overwritten while it is open is left as it is, and nothing is written', async () => {
  const backup = newPath();
  const older = WalletFile.create(backup, ID);
  older.write([row(2, 20)], { sync: true });
  older.close();
  const whole = readFileSync(backup);
  const takeovers = [
    (path: string) => renameSync(backup, path),
    (path: string) => writeFileSync(path, whole),
    // An equal copy: only what is appended from now on would be missing in it.
    (path: string) => {
      copyFileSync(path, backup);
      renameSync(backup, path);
    },
    (path: string) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.of(0)])),
  ];
  for (const takeOver of takeovers) {
    const path = newPath();
    const file = written(path);
    takeOver(path);
    const before = readFileSync(path);
    assert.throws(() => file.write([row(4, 40)], { sync: true }), /another program has changed or replaced the file; dumpwallet/);
    assert.throws(() => file.rewrite(), WalletNotWritten);
    await assert.rejects(file.compact(), /another program/);
    await assert.rejects(file.replaceWith(UNCHANGED), WalletNotWritten);
    assert.deepEqual(rowsOf(file), ['02=15', '03=1e']);
    assert.throws(() => file.close(), WalletNotWritten);
    assert.deepEqual(readFileSync(path), before);
  }
});
