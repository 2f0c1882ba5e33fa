import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encode } from '../../../src/primitives/codec.js';
import { rowChanges } from '../../../src/storage/cells.js';
import { NewerVersion, StoreDamaged, StoreLocked } from '../../../src/storage/errors.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import { checkVersion, FORMAT_VERSION, type Migration, meta } from '../../../src/storage/version.js';
import type { PreparedRows } from '../../../src/storage/view.js';
import { finish } from '../../../src/util/slicer.js';
import { byteColumn, bytes, columns, dump, hex, openRocks, temporaryDirectory } from './helpers.js';

const [column = byteColumn('')] = columns;

test('written data is read after a restart, including bytes above 0x7f and empty values', async (t) => {
  const directory = temporaryDirectory();
  const first = await RocksStore.open(directory, columns);
  first.write([
    { column: 'test/a', key: bytes(''), value: bytes('00') },
    { column: 'test/a', key: bytes('ff80'), value: bytes('') },
    { column: 'other/a', key: bytes('00'), value: bytes('c328') },
  ]);
  await first.close();
  const second = await openRocks(t, directory);
  assert.deepEqual(dump(second), ['test/a =00', 'test/a ff80=', 'other/a 00=c328']);
});

test('an open directory is locked', async (t) => {
  const directory = temporaryDirectory();
  await openRocks(t, directory);
  await assert.rejects(
    RocksStore.open(directory, columns),
    (error: Error) => error instanceof StoreLocked && error.message.includes(directory),
  );
});

/** Creates a store with data in tables and in the log, and closes it. */
async function filled(directory: string): Promise<void> {
  for (const round of ['00', '01', '02']) {
    const store = await RocksStore.open(directory, columns);
    store.write([{ column: 'test/a', key: bytes(round), value: bytes('aa') }], { sync: true });
    await store.close();
  }
}

function overwrite(path: string, from: number): void {
  const content = readFileSync(path);
  content.fill(0x55, from);
  writeFileSync(path, content);
}

const damages = [
  { name: 'CURRENT is garbage', spoil: (dir: string) => writeFileSync(join(dir, 'CURRENT'), 'garbage') },
  { name: 'CURRENT is gone', spoil: (dir: string) => rmSync(join(dir, 'CURRENT')) },
  {
    name: 'CURRENT and the logs are gone',
    spoil: (dir: string) => {
      for (const name of readdirSync(dir)) if (name === 'CURRENT' || name.endsWith('.log')) rmSync(join(dir, name));
    },
  },
  { name: 'the manifest is overwritten', spoil: (dir: string) => overwrite(join(dir, fileLike(dir, /^MANIFEST/)), 20) },
  { name: 'the manifest is gone', spoil: (dir: string) => rmSync(join(dir, fileLike(dir, /^MANIFEST/))) },
  { name: 'a table is overwritten', spoil: (dir: string) => overwrite(join(dir, fileLike(dir, /\.sst$/)), 0) },
  { name: 'a table is gone', spoil: (dir: string) => rmSync(join(dir, fileLike(dir, /\.sst$/))) },
];

function fileLike(directory: string, pattern: RegExp): string {
  const found = readdirSync(directory).find((name) => pattern.test(name));
  assert.ok(found, `no file like ${pattern}`);
  return found;
}

for (const { name, spoil } of damages) {
  test(`damage is reported at opening, with advice to reindex: ${name}`, async () => {
    const directory = temporaryDirectory();
    await filled(directory);
    spoil(directory);
    await assert.rejects(RocksStore.open(directory, columns), (error: Error) => {
      assert.ok(error instanceof StoreDamaged, `${error.name}: ${error.message}`);
      assert.match(error.message, /-reindex/);
      return true;
    });
  });
}

test('a path that is a file is reported neither as locked nor as damaged', async () => {
  const path = join(temporaryDirectory(), 'file');
  copyFileSync('/dev/null', path);
  await assert.rejects(RocksStore.open(path, columns), (error: Error) => !(error instanceof StoreDamaged || error instanceof StoreLocked));
});

test('data of a newer version is rejected, also if that version has other columns', async () => {
  const directory = temporaryDirectory();
  const later = await RocksStore.open(directory, [...columns, byteColumn('unheard/of')]);
  later.write([{ column: meta.name, key: encode(meta.key, 'version'), value: encode(meta.value, FORMAT_VERSION + 1) }]);
  await later.close();
  await assert.rejects(RocksStore.open(directory, columns), (error: Error) => {
    assert.ok(error instanceof NewerVersion);
    assert.deepEqual([error.found, error.known], [FORMAT_VERSION + 1, FORMAT_VERSION]);
    return true;
  });
});

test('an older store is migrated step by step, a new one gets the present version', async () => {
  const store = new MemoryStore();
  await checkVersion(store, [], 1);
  assert.equal(store.get(meta, 'version'), 1);
  const seen: string[] = [];
  const steps: Migration[] = [1, 2].map((from) => ({ from, run: (at) => void seen.push(`${from} at ${at.get(meta, 'version')}`) }));
  await checkVersion(store, steps, 3);
  assert.deepEqual(seen, ['1 at 1', '2 at 2']);
  assert.equal(store.get(meta, 'version'), 3);
  await assert.rejects(checkVersion(store, steps, 4), /no migration from format version 3/);
});

test('access to a column of an unknown group throws', async (t) => {
  const store = await openRocks(t);
  assert.throws(() => store.get(byteColumn('unheard/of'), bytes('00')), /group unheard/);
});

test('a closed store and a closed snapshot reject reads, also in the middle of a scan', async () => {
  const store = await RocksStore.open(temporaryDirectory(), columns);
  store.write(Array.from({ length: 100 }, (_, i) => ({ column: 'test/a', key: Uint8Array.of(i), value: bytes('00') })));
  const snapshot = store.snapshot();
  const walk = store.entries(column);
  walk.next();
  const closing = store.close();
  assert.throws(() => snapshot.get(column, bytes('00')), /snapshot is closed/);
  assert.throws(() => store.get(column, bytes('00')), /store is closed/);
  assert.throws(() => store.write([{ column: 'test/a', key: bytes('00'), value: undefined }]), /store is closed/);
  assert.throws(() => [...walk], /store is closed/);
  await closing;
  assert.throws(() => store.snapshot(), /store is closed/);
});

test('a scan of many rows crosses chunks in both directions, also on a snapshot', async (t) => {
  const store = await openRocks(t);
  const keys = Array.from({ length: 2_500 }, (_, i) => Uint8Array.of(i >> 8, i & 0xff));
  store.write(keys.map((key) => ({ column: 'test/a', key, value: key })));
  const snapshot = store.snapshot();
  store.write(keys.map((key) => ({ column: 'test/a', key, value: undefined })));
  store.write([{ column: 'test/a-b', key: bytes('00'), value: bytes('00') }]);
  assert.equal([...store.entries(column)].length, 0);
  const expected = keys.map(hex);
  const forward = snapshot.entries(column)[Symbol.iterator]();
  const backward = snapshot.entries(column, { reverse: true })[Symbol.iterator]();
  // Both scans run at the same time, because they share the snapshot's iterators.
  const met = keys.map(() => [forward.next().value?.[0], backward.next().value?.[0]].map(hex));
  assert.deepEqual(
    met,
    expected.map((key, i) => [key, expected[expected.length - 1 - i]]),
  );
  assert.equal(forward.next().done, true);
  assert.equal(backward.next().done, true);
  snapshot.close();
});

test('on a platform without a binary of the engine, the error says so', () => {
  const rocks = fileURLToPath(new URL('../../../src/storage/rocks.ts', import.meta.url));
  const code = `const { RocksStore } = await import(${JSON.stringify(rocks)});
    await RocksStore.open(${JSON.stringify(temporaryDirectory())}, []).catch((error) => console.log(error.message));`;
  // Variable that makes the library look for the binary of another processor.
  const env = { ...process.env, npm_config_arch: 'riscv64' };
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], { env, encoding: 'utf8' });
  assert.match(stdout, /^the database engine has no binary for \S+: it needs Linux on x64 with glibc, or macOS on arm64$/m);
});

test('a store is reopened in place after a failed write, and only then', async (t) => {
  const store = await openRocks(t, temporaryDirectory());
  store.write([{ column: 'test/a', key: bytes('01'), value: bytes('02') }]);
  const kept = store.snapshot();
  await store.revive();
  assert.deepEqual([...kept.entries(column)].length, 1, 'nothing failed, so snapshots live on');
  assert.throws(() => store.write([{ column: 'unknown/a', key: bytes('01'), value: bytes('02') }]));
  await store.revive();
  assert.throws(() => [...kept.entries(column)], /closed/);
  store.write([{ column: 'test/a', key: bytes('03'), value: bytes('04') }]);
  assert.deepEqual(dump(store), ['test/a 01=02', 'test/a 03=04']);
});

test('a store that cannot be reopened stays closed until another call opens it', async (t) => {
  const directory = temporaryDirectory();
  const store = await openRocks(t, directory);
  store.write([{ column: 'test/a', key: bytes('01'), value: bytes('02') }]);
  assert.throws(() => store.write([{ column: 'unknown/a', key: bytes('01'), value: bytes('02') }]));
  renameSync(directory, `${directory}.away`);
  writeFileSync(directory, '');
  for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(store.revive(), /cannot open the database/);
  assert.throws(() => dump(store), /closed/);
  rmSync(directory);
  renameSync(`${directory}.away`, directory);
  await store.revive();
  assert.deepEqual(dump(store), ['test/a 01=02']);
});

test('a failure to close a store gives the reason of the engine', async (t) => {
  const directory = temporaryDirectory();
  const store = await openRocks(t, directory);
  store.write([{ column: 'test/a', key: bytes('01'), value: bytes('02') }]);
  renameSync(directory, `${directory}.away`);
  await assert.rejects(store.close(), /^Error: cannot close the database in .*: IO error: No such file or directory/);
});

test('counting rows stops above the limit, and knows an empty column', async (t) => {
  const store = await openRocks(t);
  const put = (name: string, n: number) => ({ column: name, key: Buffer.from([n >> 8, n]), value: bytes('aa') });
  store.write(Array.from({ length: 300 }, (_, n) => put('test/a', n)));
  store.write([put('test/a-b', 0)]);
  for (const { rows, expected } of [
    { rows: 0, expected: true },
    { rows: 299, expected: true },
    { rows: 300, expected: false },
    { rows: 301, expected: false },
  ]) {
    assert.equal(store.hasMoreThan('test/a', rows), expected, `${rows} rows`);
  }
  assert.equal(store.hasMoreThan('test', 0), false);
  store.write([put('test', 0)]);
  assert.equal(store.hasMoreThan('test', 0), true);
});

test('a store that still reads ahead is closed, and its directory can be opened again', async (t) => {
  const directory = temporaryDirectory();
  const first = await RocksStore.open(directory, columns);
  const rows = Array.from({ length: 500 }, (_, n) => ({ column: 'test/a', key: Buffer.from([n >> 8, n]), value: bytes('aa') }));
  first.write(rows);
  first.hint(
    'test/a',
    rows.map(({ key }) => key.toString('latin1')),
  );
  assert.equal(hex(first.get(column, bytes('0000'))), 'aa');
  await first.close();
  const second = await openRocks(t, directory);
  assert.equal([...second.entries(column)].length, 500);
});

test('rows are prepared in steps, and written or dropped as a whole', async (t) => {
  const store = await openRocks(t);
  const rows = rowChanges(
    Array.from({ length: 1_000 }, (_, i) => ({ column: 'test/a', key: Uint8Array.of(i >> 8, i & 0xff), value: bytes('07') })),
  );
  const prepared = (): { readonly rows: PreparedRows; readonly yields: number } => {
    const steps = store.prepareRows(rows);
    for (let yields = 0; ; yields++) {
      const { done, value } = steps.next();
      if (done) return { rows: value, yields };
    }
  };
  const dropped = prepared();
  const stamp = store.stamp('test/a');
  dropped.rows.drop();
  assert.equal(dropped.yields, 7);
  assert.equal([...store.entries(column)].length, 0);
  assert.equal(store.stamp('test/a'), stamp);
  const snapshot = store.snapshot();
  const written = prepared();
  assert.equal([...store.entries(column)].length, 0);
  written.rows.write();
  assert.equal([...store.entries(column)].length, 1_000);
  assert.equal([...snapshot.entries(column)].length, 0);
  snapshot.close();
});

test('rows that were prepared before the store was reopened are not written', async (t) => {
  const store = await openRocks(t);
  const rows = rowChanges([{ column: 'test/a', key: bytes('01'), value: bytes('02') }]);
  const early = finish(store.prepareRows(rows));
  const started = store.prepareRows(
    rowChanges(Array.from({ length: 200 }, (_, i) => ({ column: 'test/a', key: Uint8Array.of(i), value: bytes('07') }))),
  );
  started.next();
  assert.throws(() => store.write([{ column: 'unknown/a', key: bytes('01'), value: bytes('02') }]));
  await store.revive();
  assert.throws(() => early.write(), /reopened/);
  assert.throws(() => started.next(), /reopened/);
  assert.equal([...store.entries(column)].length, 0);
});
