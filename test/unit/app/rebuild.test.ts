import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { forgetMarks, keptMarks, prepareRebuild } from '../../../src/app/rebuild.js';
import { chainColumns } from '../../../src/chain/database.js';
import { branches, headers, marks, TIP_KEY, tips } from '../../../src/chain/records.js';
import type { Config } from '../../../src/config/config.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import { meta } from '../../../src/storage/version.js';
import { silentLogger } from '../../../src/util/logger.js';

const { genesis } = networkParams({ network: 'regtest' });
const VALID = 1;
const INVALID = 2;
const INVALID_ANCESTOR = 4;

const open = (directory: string) => RocksStore.open(directory, [...chainColumns, ...dfiColumns]);
const hashOf = (value: number): Hash256 => new Uint8Array(32).fill(value);

/** A node's directory with a database. */
async function directoryWith(t: TestContext, flags: readonly number[], pruned?: number) {
  const networkDir = mkdtempSync(join(tmpdir(), 'dfi-rebuild-'));
  t.after(() => rmSync(networkDir, { recursive: true, force: true }));
  const database = join(networkDir, 'chainstate');
  const store = await open(database);
  const changes = new Overlay(store);
  for (const [i, each] of flags.entries()) {
    changes.put(branches, hashOf(i), true);
    changes.put(headers, hashOf(i), { header: genesis.header, height: 3, nTx: 1, flags: each, position: undefined });
  }
  if (pruned !== undefined) changes.put(marks, 'pruned', pruned);
  store.writeRows(changes.rowChanges());
  await store.close();
  const paths = { networkDir } as Config['paths'];
  const prepare = (chain: Partial<Config['chain']>) => {
    const none = { reindex: false, reindexChainState: false, pruneTargetBytes: undefined };
    return prepareRebuild({ paths, chain: { ...none, ...chain } as Config['chain'] }, silentLogger);
  };
  return { paths, database, prepare };
}

test('-reindex-chainstate keeps the invalid blocks, until they are forgotten', async (t) => {
  const { paths, database, prepare } = await directoryWith(t, [VALID, INVALID, INVALID_ANCESTOR, VALID | INVALID]);
  await prepare({ reindexChainState: true });
  assert.equal(existsSync(database), false);
  assert.deepEqual(keptMarks(paths), [hashOf(1), hashOf(3)]);
  await prepare({});
  await (await open(database)).close();
  await prepare({ reindexChainState: true });
  assert.deepEqual(keptMarks(paths), [hashOf(1), hashOf(3)], 'those of a rebuild that begins again');
  forgetMarks(paths);
  assert.deepEqual(keptMarks(paths), []);
});

test('-reindex forgets them, also with -reindex-chainstate', async (t) => {
  const { paths, database, prepare } = await directoryWith(t, [INVALID]);
  await prepare({ reindexChainState: true });
  assert.equal(keptMarks(paths).length, 1);
  mkdirSync(database);
  await prepare({ reindex: true, reindexChainState: true });
  assert.deepEqual([keptMarks(paths), existsSync(database)], [[], false]);
});

test('-reindex-chainstate is refused before anything is deleted if blocks were or may be pruned', async (t) => {
  const pruned = await directoryWith(t, [], 5);
  await assert.rejects(
    pruned.prepare({ reindexChainState: true }),
    /You need to rebuild the database using -reindex to go back to unpruned mode/,
  );
  const prunes = await directoryWith(t, []);
  await assert.rejects(
    prunes.prepare({ reindexChainState: true, pruneTargetBytes: 0 }),
    /Prune mode is incompatible with -reindex-chainstate/,
  );
  for (const { database } of [pruned, prunes]) assert.equal(existsSync(database), true);
});

test('a database that cannot be read is rebuilt without its marks', async (t) => {
  const { paths, database, prepare } = await directoryWith(t, [INVALID]);
  writeFileSync(join(database, 'CURRENT'), 'nonsense');
  await prepare({ reindexChainState: true });
  assert.deepEqual([keptMarks(paths), existsSync(database)], [[], false]);
});

test('a file of marks that cannot be written ends the start before anything is deleted', async (t) => {
  const { paths, database, prepare } = await directoryWith(t, [INVALID]);
  const obstacle = join(paths.networkDir, 'chainstate.invalid.new');
  mkdirSync(obstacle);
  await assert.rejects(prepare({ reindexChainState: true }), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(paths.networkDir), ['chainstate', 'chainstate.invalid.new']);
  rmSync(obstacle, { recursive: true });
  await prepare({ reindexChainState: true });
  assert.deepEqual([keptMarks(paths), existsSync(database)], [[hashOf(0)], false]);
});

test('a database that cannot be opened because the disk is full is not deleted', async (t) => {
  const { database, prepare } = await directoryWith(t, [INVALID]);
  const opening = t.mock.method(RocksStore, 'open', () => Promise.reject(new Error('IO error: No space left on device')));
  await assert.rejects(prepare({ reindexChainState: true }), /No space left/);
  opening.mock.restore();
  assert.equal(existsSync(database), true);
});

/** Makes a database one of an earlier format. */
async function age(database: string, format: number, change: (store: RocksStore) => void): Promise<void> {
  const store = await open(database);
  change(store);
  store.write([{ column: meta.name, key: encode(meta.key, 'version'), value: encode(meta.value, format) }]);
  await store.close();
}

test('the marks of a database that no migration accepts are kept, and it is left as it is until then', async (t) => {
  const { paths, database, prepare } = await directoryWith(t, [INVALID]);
  const ledger = { column: 'dfi/evm-tip', key: Uint8Array.of(0), value: new Uint8Array(68) };
  await age(database, 2, (store) => store.write([ledger]));
  const obstacle = join(paths.networkDir, 'chainstate.invalid.new');
  mkdirSync(obstacle);
  await assert.rejects(prepare({ reindexChainState: true }), { code: 'EISDIR' });
  const store = await RocksStore.open(database, chainColumns, { oldestFormat: 2 });
  assert.equal(store.get(meta, 'version'), 2);
  await store.close();
  rmSync(obstacle, { recursive: true });
  await prepare({ reindexChainState: true });
  assert.deepEqual(keptMarks(paths), [hashOf(0)]);
});

test('the marks of a database without a list of branches are found', async (t) => {
  const { paths, database, prepare } = await directoryWith(t, [INVALID, VALID]);
  await age(database, 1, (store) => {
    const changes = new Overlay(store);
    for (const i of [0, 1]) changes.delete(branches, hashOf(i));
    const position = { file: 0, offset: 8, size: 300 };
    changes.put(headers, genesis.hash, { header: genesis.header, height: 0, nTx: 1, flags: VALID, position });
    changes.put(tips, TIP_KEY, genesis.hash);
    for (const i of [0, 1]) {
      changes.put(headers, hashOf(i), { header: genesis.header, height: 3, nTx: 1, flags: i === 0 ? INVALID : VALID, position });
    }
    store.writeRows(changes.rowChanges());
  });
  await prepare({ reindexChainState: true });
  assert.deepEqual(keptMarks(paths), [hashOf(0)]);
});
