import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Daemon } from '../daemon.js';
import { makeReorgChain, reorgChainFlags } from './fixtures/reorg-chain.js';

const INDEXES = ['-txindex=1', '-blockfilterindex=1'];

async function importedNode(t: TestContext, flags: readonly string[] = INDEXES): Promise<Daemon> {
  const { blocks } = await makeReorgChain(260, 5);
  const daemon = new Daemon([...reorgChainFlags, ...flags]);
  t.after(() => daemon.destroy());
  await daemon.start();
  for (const { hex } of blocks) await daemon.ask('submitblock', hex);
  assert.equal(await daemon.ask('getbestblockhash'), blocks.at(-1)?.tip);
  return daemon;
}

/** Answers that must be the same after a rebuild. */
async function observe(daemon: Daemon) {
  const tip = String(await daemon.ask('getbestblockhash'));
  const { tx } = (await daemon.ask('getblock', tip)) as { readonly tx: readonly string[] };
  const coins = (await daemon.ask('gettxoutsetinfo')) as { readonly hash_serialized_2: string };
  return {
    tip,
    coins: coins.hash_serialized_2,
    tips: await daemon.ask('getchaintips'),
    transaction: await daemon.ask('getrawtransaction', tx[0], true),
    filter: await daemon.ask('getblockfilter', tip),
    sound: await daemon.ask('verifychain', 4, 0),
  };
}

/** Waits for the indexes, which catch up in the background. */
async function observeSynced(daemon: Daemon) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const seen = await observe(daemon).catch(() => undefined);
    if (seen) return seen;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return observe(daemon);
}

test('-reindex and -reindex-chainstate rebuild the same chain, coins, branches and indexes, and keep wallets unchanged', async (t) => {
  const daemon = await importedNode(t);
  const before = await observe(daemon);
  assert.equal(before.sound, true);
  assert.ok((before.tips as readonly unknown[]).length > 1, 'there are branches');
  await daemon.end();
  const wallet = join(daemon.directory, 'regtest', 'wallets', 'some', 'wallet.dat');
  mkdirSync(join(wallet, '..'), { recursive: true });
  writeFileSync(wallet, 'keys');
  for (const flag of ['-reindex', '-reindex-chainstate']) {
    await daemon.start([flag]);
    assert.deepEqual(await observeSynced(daemon), before, flag);
    await daemon.end();
    assert.equal(readFileSync(wallet, 'utf8'), 'keys');
  }
  await daemon.start();
  assert.deepEqual(await observeSynced(daemon), before, 'without a flag again');
});

test('-stopatheight stops the node at that height, or once it connects a block above it, and the next start continues', async (t) => {
  const daemon = await importedNode(t, []);
  const tip = await daemon.ask('getbestblockhash');
  await daemon.end();
  await daemon.start(['-reindex', '-stopatheight=90']).catch(() => undefined);
  assert.equal(await exitCode(daemon), 0);
  // The block above is stored.
  await daemon.start(['-stopatheight=5']).catch(() => undefined);
  assert.equal(await exitCode(daemon), 0);
  await daemon.start();
  assert.equal(await daemon.ask('getbestblockhash'), tip);
  await daemon.end();
  await daemon.start(['-stopatheight=5']);
  const height = Number(await daemon.ask('getblockcount'));
  await daemon.ask('invalidateblock', tip);
  assert.equal(await daemon.ask('getblockcount'), height - 1, 'a disconnected block is no reason to stop');
  await daemon.ask('reconsiderblock', tip);
  assert.equal(await exitCode(daemon), 0);
  await daemon.start();
  assert.equal(await daemon.ask('getbestblockhash'), tip);
});

test('-dbcrashratio: the node is killed after a write, and the next start continues', async (t) => {
  const { blocks } = await makeReorgChain(3, 0);
  const daemon = new Daemon(reorgChainFlags);
  t.after(() => daemon.destroy());
  await daemon.start(['-dbcrashratio=1']);
  await daemon.ask('submitblock', blocks[0]?.hex);
  // The operation writes its changes, so it is not answered.
  await assert.rejects(daemon.ask('reconsiderblock', blocks[0]?.tip));
  assert.equal(await exitCode(daemon), null, 'ended by a signal');
  await daemon.start();
  await daemon.ask('submitblock', blocks[1]?.hex);
  await daemon.ask('submitblock', blocks[2]?.hex);
  assert.equal(await daemon.ask('getbestblockhash'), blocks[2]?.tip);
});

test('-interrupt-block: no block of that height is connected until setinterruptblock moves it', async (t) => {
  const { blocks } = await makeReorgChain(20, 0);
  const daemon = new Daemon(reorgChainFlags);
  t.after(() => daemon.destroy());
  await daemon.start(['-interrupt-block=10']);
  const answers = new Set<unknown>();
  for (const { hex } of blocks) answers.add(await daemon.ask('submitblock', hex));
  assert.deepEqual([...answers], [null, 'user-interrupt-request', 'bad-prevblk', 'prev-blk-not-found']);
  assert.equal(await daemon.ask('getblockcount'), 9);
  assert.equal(await daemon.ask('setinterruptblock', -1), null);
  assert.equal(await daemon.ask('getblockcount'), 10);
  for (const { hex } of blocks) await daemon.ask('submitblock', hex);
  assert.equal(await daemon.ask('getbestblockhash'), blocks.at(-1)?.tip);
});

test('damage near the tip is found at the start, and the flag that the error names repairs it', async (t) => {
  const daemon = await importedNode(t, []);
  await daemon.end();
  const file = join(daemon.directory, 'regtest', 'blocks', 'blk00000.dat');
  const sound = readFileSync(file);
  const spoiled = Buffer.from(sound);
  // In the last transaction of the last block.
  const at = spoiled.length - 20;
  spoiled[at] = (spoiled[at] ?? 0) ^ 1;
  writeFileSync(file, spoiled);
  await assert.rejects(daemon.start(), /Corrupted block database detected\. Please restart with -reindex/);
  assert.equal(await exitCode(daemon), 4);
  daemon.stderr = '';
  await daemon.start(['-reindex']);
  assert.equal(await daemon.ask('verifychain', 4, 0), true);
  await daemon.end();
});

test('a clock far behind the tip ends the start, and an interrupted deletion is completed', async (t) => {
  const daemon = await importedNode(t, []);
  const tip = await daemon.ask('getbestblockhash');
  const { time } = (await daemon.ask('getblockheader', tip)) as { readonly time: number };
  await daemon.end();
  const dropped = join(daemon.directory, 'regtest', 'chainstate.dropped');
  mkdirSync(dropped);
  await assert.rejects(daemon.start([`-mocktime=${time - 7_201}`]), /contains a block which appears to be from the future/);
  assert.equal(await exitCode(daemon), 1);
  assert.equal(existsSync(dropped), false);
  daemon.stderr = '';
  await daemon.start([`-mocktime=${time - 7_200}`]);
  assert.equal(await daemon.ask('getbestblockhash'), tip);
});

test('-prune: pruned data needs -reindex to be complete again, and -reindex-chainstate is refused', async (t) => {
  const daemon = await importedNode(t, ['-prune=1']);
  const height = await daemon.ask('getblockcount');
  const info = (await daemon.ask('getblockchaininfo')) as { readonly pruned: boolean; readonly pruneheight: number };
  assert.deepEqual([info.pruned, info.pruneheight], [true, 0]);
  const { error } = await daemon.call('pruneblockchain', 10);
  assert.deepEqual(error, { code: -1, message: 'Blockchain is too short for pruning.' });
  await daemon.end();
  await assert.rejects(
    daemon.start(['-reindex-chainstate']),
    /Prune mode is incompatible with -reindex-chainstate\. Use full -reindex instead\./,
  );
  daemon.stderr = '';
  await daemon.start();
  assert.deepEqual(await daemon.ask('getblockchaininfo'), info, 'a refused start deletes nothing');
  await daemon.end();
  await daemon.start(['-reindex']);
  assert.equal(await daemon.ask('getblockcount'), height);
  await daemon.end();
  // The first block file is missing, as after pruning: blocks after the gap can no longer be connected.
  rmSync(join(daemon.directory, 'regtest', 'blocks', 'blk00000.dat'));
  daemon.stderr = '';
  await assert.rejects(daemon.start(), /block file 0 is missing.*-reindex/);
  daemon.stderr = '';
  await daemon.start(['-reindex']);
  assert.equal(await daemon.ask('getblockcount'), 0);
});

test('-reindex-chainstate keeps the marks of invalid blocks, -reindex forgets them', async (t) => {
  const daemon = await importedNode(t, []);
  const marked = await daemon.ask('getblockhash', Number(await daemon.ask('getblockcount')) - 5);
  const tip = await daemon.ask('getbestblockhash');
  await daemon.ask('invalidateblock', marked);
  const tips = await daemon.ask('getchaintips');
  await daemon.end();
  await daemon.start(['-reindex-chainstate']);
  assert.deepEqual(await daemon.ask('getchaintips'), tips);
  assert.equal(existsSync(join(daemon.directory, 'regtest', 'chainstate.invalid')), false);
  await daemon.end();
  await daemon.start(['-reindex']);
  assert.equal(await daemon.ask('getbestblockhash'), tip);
});

/** Exit code of a process that ended by itself. */
async function exitCode({ process: child }: Daemon): Promise<number | null> {
  if (!child) return null;
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  return child.exitCode;
}

/** A fresh node, the block file of another one, and the answers of that one, which the fresh node must give after the import. */
async function nodeAndForeignBlocks(t: TestContext) {
  const source = await importedNode(t);
  const before = await observe(source);
  await source.end();
  const daemon = new Daemon([...reorgChainFlags, ...INDEXES]);
  t.after(() => daemon.destroy());
  return { daemon, before, file: join(source.directory, 'regtest', 'blocks', 'blk00000.dat') };
}

test('-loadblock imports the block files of another node, and -stopafterblockimport stops afterwards', async (t) => {
  const { daemon, before, file } = await nodeAndForeignBlocks(t);
  // The first answer may come before the end.
  await daemon.start([`-loadblock=${file}`, '-loadblock=missing.dat', '-stopafterblockimport']).catch(() => {});
  assert.equal(await exitCode(daemon), 0);
  await daemon.start();
  assert.deepEqual(await observeSynced(daemon), before);
});

test('bootstrap.dat in the folder of the network is imported once', async (t) => {
  const { daemon, before, file } = await nodeAndForeignBlocks(t);
  const bootstrap = join(daemon.directory, 'regtest', 'bootstrap.dat');
  mkdirSync(dirname(bootstrap), { recursive: true });
  copyFileSync(file, bootstrap);
  // It cannot be renamed.
  mkdirSync(join(`${bootstrap}.old`, 'something'), { recursive: true });
  await daemon.start();
  assert.deepEqual(await observeSynced(daemon), before);
  await daemon.end();
  rmSync(`${bootstrap}.old`, { recursive: true });
  await daemon.start();
  assert.deepEqual(await observeSynced(daemon), before);
  assert.deepEqual([existsSync(bootstrap), existsSync(`${bootstrap}.old`)], [false, true]);
});
