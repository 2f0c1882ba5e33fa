import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chainColumns } from '../../src/chain/database.js';
import { BASE_KEY, snapshotBases } from '../../src/chain/records.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { eventColumns } from '../../src/events/columns.js';
import { indexColumns } from '../../src/indexes/index.js';
import { encode } from '../../src/primitives/codec.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { Daemon, freePort, programPath } from '../daemon.js';
import { FOUNDER, OPERATOR, upgradedFlags } from '../regtest.js';
import { until } from '../until.js';

interface ChainInfo {
  readonly blocks: number;
  readonly pruned: boolean;
  readonly backgroundvalidation?: { readonly snapshotheight: number; readonly blocks: number };
}

const FLAGS = upgradedFlags('grandcentral');
const HEIGHT = 120;
const WAIT_MS = 120_000;

/** Runs `dfid snapshot` on the data directory of a daemon. @returns its output */
function snapshot(command: string, file: string, { directory }: Daemon, ...flags: readonly string[]): string {
  const args = [programPath, 'snapshot', command, file, '-regtest', `-datadir=${directory}`, ...FLAGS, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

let source: Daemon;
let port: number;
let file: string;
let digest: string;
/** The same state, of a node with -negativeinterest. */
let otherFile: string;
let otherDigest: string;

before(async () => {
  port = await freePort();
  source = new Daemon([...FLAGS, '-listen=1', `-port=${port}`, '-bind=127.0.0.1']);
  await source.start();
  for (const { key } of [OPERATOR, FOUNDER]) await source.ask('importprivkey', key);
  await source.ask('generatetoaddress', HEIGHT - 2, FOUNDER.address);
  for (const amount of ['100@DFI', '1@DFI']) {
    await source.ask('utxostoaccount', { [FOUNDER.address]: amount });
    await source.ask('generatetoaddress', 1, FOUNDER.address);
  }
  await source.end();
  file = join(source.directory, 'state.snapshot');
  digest = /digest (\S+)/.exec(snapshot('export', file, source))?.[1] ?? '';
  otherFile = join(source.directory, 'other.snapshot');
  otherDigest = /digest (\S+)/.exec(snapshot('export', otherFile, source, '-negativeinterest'))?.[1] ?? '';
  await source.start();
});
after(() => source.destroy());

const info = async (daemon: Daemon) => (await daemon.ask('getblockchaininfo')) as ChainInfo;

test('a node that began with a snapshot serves without delay, and has all blocks after their validation, also after an unclean shutdown', async (t) => {
  const daemon = new Daemon([...FLAGS, `-connect=127.0.0.1:${port}`]);
  t.after(() => daemon.destroy());
  snapshot('import', file, daemon, `-digest=${digest}`);
  await daemon.start();
  assert.deepEqual([(await info(daemon)).blocks, (await info(daemon)).pruned], [HEIGHT, true]);
  await until(async () => (await info(daemon)).backgroundvalidation !== undefined, 'the validation runs', WAIT_MS);
  await daemon.end('SIGKILL');
  await daemon.start();
  await until(async () => !(await info(daemon)).pruned, 'all blocks are validated', WAIT_MS);
  assert.equal((await info(daemon)).backgroundvalidation, undefined);
  for (const height of [0, 1, HEIGHT - 1, HEIGHT]) {
    const hash = await source.ask('getblockhash', height);
    assert.deepEqual(await daemon.ask('getblock', hash, 0), await source.ask('getblock', hash, 0));
    if (height > 0) assert.deepEqual(await daemon.ask('getblockstats', hash), await source.ask('getblockstats', hash));
  }
  assert.equal(await daemon.end(), 0);
  assert.equal(existsSync(join(daemon.directory, 'regtest', 'chainstate.validating')), false);
  // Nothing is missing any more: indexes of all blocks can be built.
  await daemon.start(['-txindex', '-blockfilterindex']);
  const hash = await source.ask('getblockhash', 7);
  await until(async () => (await daemon.call('getblockfilter', hash)).error === null, 'the filters are built', WAIT_MS);
});

test('a node that was started with other options validates the snapshot with those of its import', async (t) => {
  const daemon = new Daemon([...FLAGS, `-connect=127.0.0.1:${port}`]);
  t.after(() => daemon.destroy());
  assert.notEqual(otherDigest, digest);
  snapshot('import', otherFile, daemon, `-digest=${otherDigest}`, '-negativeinterest');
  await daemon.start();
  await until(async () => !(await info(daemon)).pruned, 'all blocks are validated', WAIT_MS);
  assert.equal(await daemon.end(), 0);
});

test('a node whose snapshot is wrong stops, and does not start again on this database', async (t) => {
  const daemon = new Daemon([...FLAGS, `-connect=127.0.0.1:${port}`]);
  t.after(() => daemon.destroy());
  snapshot('import', file, daemon, `-digest=${digest}`);
  const columns = [...chainColumns, ...dfiColumns, ...indexColumns, ...eventColumns];
  const store = await RocksStore.open(join(daemon.directory, 'regtest', 'chainstate'), columns);
  const base = store.get(snapshotBases, BASE_KEY);
  assert.ok(base);
  const wrong = { ...base, digest: 'ab'.repeat(32) };
  store.write([{ column: snapshotBases.name, key: Uint8Array.of(BASE_KEY), value: encode(snapshotBases.value, wrong) }]);
  await store.close();
  await daemon.start();
  await until(async () => daemon.process?.exitCode !== null, 'the node stops', WAIT_MS);
  assert.equal(daemon.process?.exitCode, 4);
  assert.match(daemon.stderr, /wrong snapshot, of height 120 .*the state that the blocks lead to has the digest [0-9a-f]{64}, not abab/);
  await assert.rejects(daemon.start(), /ended with 4: .*do not lead to its state/s);
  // The blocks that were downloaded for the validation are enough.
  await daemon.start(['-reindex']);
  await until(async () => (await info(daemon)).blocks === HEIGHT, 'the database is built again', WAIT_MS);
});
