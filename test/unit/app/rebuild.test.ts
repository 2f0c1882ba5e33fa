import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { forgetMarks, keptMarks, prepareRebuild } from '../../../src/app/rebuild.js';
import { chainColumns } from '../../../src/chain/database.js';
import { branches, headers, marks } from '../../../src/chain/records.js';
import type { Config } from '../../../src/config/config.js';
import { networkParams } from '../../../src/params/index.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import { silentLogger } from '../../../src/util/logger.js';

const { genesis } = networkParams({ network: 'regtest' });
const VALID = 1;
const INVALID = 2;
const INVALID_ANCESTOR = 4;

const open = (directory: string) => RocksStore.open(directory, chainColumns);
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
    return prepareRebuild({ paths, chain: { ...none, ...chain } as Config['chain'] }, open, silentLogger);
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
