/**
 * Kills a node at random while it imports blocks, syncs from a peer, imports a snapshot and validates the blocks below it, and compares its
 * state at the end with that of a node that was left alone: `npm run soak:kills -- [kills] [seed]`.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon, freePort, programPath } from '../daemon.js';
import { FOUNDER, OPERATOR, upgradedFlags } from '../regtest.js';

const FLAGS = upgradedFlags();
const BLOCKS = 600;
const PAYMENTS = 40;

const kills = Number(process.argv[2] ?? 50);
let state = Number(process.argv[3] ?? Date.now() % 1_000_000);
console.log(`seed ${state}`);

/** From 0 up to 1 (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

/** Chain of the undisturbed node. */
interface Source {
  readonly daemon: Daemon;
  readonly port: number;
  /** Blocks from height 1, hex. */
  readonly blocks: readonly string[];
  readonly file: string;
  readonly digest: string;
}

function snapshotArguments(command: string, file: string, { directory }: Daemon, ...flags: readonly string[]): string[] {
  return [programPath, 'snapshot', command, file, '-regtest', `-datadir=${directory}`, ...FLAGS, ...flags];
}

/** Digest of the state of a node that has stopped. */
function digestOf(daemon: Daemon, file: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, snapshotArguments('export', file, daemon), { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return /digest (\S+)/.exec(stdout)?.[1] ?? '';
}

async function makeSource(daemon: Daemon, port: number): Promise<Source> {
  await daemon.start();
  for (const { key } of [OPERATOR, FOUNDER]) await daemon.ask('importprivkey', key);
  await daemon.ask('generatetoaddress', 120, FOUNDER.address);
  for (let height = 120; height < BLOCKS; height += 10) {
    for (let i = 0; i < PAYMENTS; i++) await daemon.ask('sendtoaddress', FOUNDER.address, Number((1 + random()).toFixed(3)));
    await daemon.ask('utxostoaccount', { [FOUNDER.address]: `${Math.ceil(random() * 9)}@DFI` });
    await daemon.ask('generatetoaddress', 10, FOUNDER.address);
  }
  const blocks: string[] = [];
  for (let height = 1; height <= BLOCKS; height++) {
    blocks.push((await daemon.ask('getblock', await daemon.ask('getblockhash', height), 0)) as string);
  }
  await daemon.end();
  const file = join(daemon.directory, 'state.snapshot');
  const digest = digestOf(daemon, file);
  await daemon.start();
  return { daemon, port, blocks, file, digest };
}

async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  const ended = new Promise((resolve) => (child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(0)));
  await sleep(ms);
  child.kill('SIGKILL');
  await ended;
}

const heightOf = async (daemon: Daemon): Promise<number> => Number(await daemon.ask('getblockcount'));

/** Submits blocks, until the node is killed after a random time. @returns the last height that was acknowledged */
async function submitAndKill(daemon: Daemon, { blocks }: Source, maxMs: number): Promise<number> {
  let acknowledged = await heightOf(daemon);
  const killed = killAfter(daemon.process as ChildProcess, random() * maxMs);
  try {
    while (acknowledged < BLOCKS) {
      assert.equal(await daemon.ask('submitblock', blocks[acknowledged]), null);
      acknowledged += 1;
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  }
  await killed;
  return acknowledged;
}

async function importing(source: Source, count: number): Promise<string> {
  const daemon = new Daemon(FLAGS);
  for (let i = 0, expected = 0; i < count; i++) {
    await daemon.start();
    const found = await heightOf(daemon);
    assert.ok(found >= expected, `height ${found} after a kill, but ${expected} was acknowledged`);
    expected = await submitAndKill(daemon, source, 600);
    // Begin again from the middle, so that every kill meets work.
    if (expected === BLOCKS && i + 1 < count) {
      await daemon.start();
      await daemon.ask('invalidateblock', await daemon.ask('getblockhash', BLOCKS >> 1));
      await daemon.ask('reconsiderblock', await source.daemon.ask('getblockhash', BLOCKS >> 1));
      await daemon.end('SIGKILL');
      expected = 0;
    }
  }
  await daemon.start();
  for (let next = await heightOf(daemon); next < BLOCKS; next++) await daemon.ask('submitblock', source.blocks[next]);
  return finish(daemon, source);
}

async function syncing(source: Source, count: number): Promise<string> {
  const flags = [...FLAGS, `-connect=127.0.0.1:${source.port}`];
  const daemon = new Daemon(flags);
  for (let i = 0; i < count; i++) {
    await daemon.start();
    await killAfter(daemon.process as ChildProcess, random() * 800);
  }
  await daemon.start();
  return finish(daemon, source);
}

async function importingSnapshot(source: Source, count: number): Promise<string> {
  const daemon = new Daemon([...FLAGS, '-validatesnapshot=0']);
  const args = snapshotArguments('import', source.file, daemon, `-digest=${source.digest}`, '-force');
  for (let i = 0; i < count; i++) await killAfter(spawn(process.execPath, args, { stdio: 'ignore' }), 300 + random() * 1500);
  assert.equal(spawnSync(process.execPath, args).status, 0);
  await daemon.start();
  return finish(daemon, source);
}

async function validating(source: Source, count: number): Promise<string> {
  const daemon = new Daemon([...FLAGS, `-connect=127.0.0.1:${source.port}`]);
  assert.equal(spawnSync(process.execPath, snapshotArguments('import', source.file, daemon, `-digest=${source.digest}`)).status, 0);
  let during = 0;
  for (let i = 0; i < count; i++) {
    await daemon.start();
    if (((await daemon.ask('getblockchaininfo')) as { pruned: boolean }).pruned) during += 1;
    await killAfter(daemon.process as ChildProcess, random() * 2500);
  }
  await daemon.start();
  while (((await daemon.ask('getblockchaininfo')) as { pruned: boolean }).pruned) await sleep(100);
  for (const [i, block] of source.blocks.entries()) {
    assert.equal(await daemon.ask('getblock', await daemon.ask('getblockhash', i + 1), 0), block);
  }
  return `${await finish(daemon, source)}, ${during} during the validation`;
}

/** Waits for the last block, and compares the state. */
async function finish(daemon: Daemon, { file, digest }: Source): Promise<string> {
  while ((await heightOf(daemon)) < BLOCKS) await sleep(50);
  assert.equal(await daemon.ask('verifychain', 4, 0), true);
  assert.equal(await daemon.end(), 0);
  assert.equal(digestOf(daemon, `${file}.${daemon.rpcPort}`), digest);
  await daemon.destroy();
  return 'the state is equal';
}

const port = await freePort();
const daemon = new Daemon([...FLAGS, '-listen=1', `-port=${port}`, '-bind=127.0.0.1', '-fallbackfee=0.0002']);
try {
  const source = await makeSource(daemon, port);
  console.log(`chain of ${BLOCKS} blocks, state ${source.digest}`);
  for (const [name, run, share] of [
    ['import', importing, 0.4],
    ['sync from a peer', syncing, 0.2],
    ['import of a snapshot', importingSnapshot, 0.2],
    ['validation below a snapshot', validating, 0.2],
  ] as const) {
    const count = Math.round(kills * share);
    console.log(`${name}: ${count} kills, ${await run(source, count)}`);
  }
} finally {
  await daemon.destroy();
}
