import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { publicKeyOf } from '../../src/crypto/ecdsa.js';
import { hash160 } from '../../src/crypto/hash.js';
import { parseWif } from '../../src/crypto/keys.js';
import { Minter } from '../../src/minting/minter.js';
import { networkParams } from '../../src/params/index.js';
import { formatHash } from '../../src/primitives/hash.js';
import { fromHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import type { Logger } from '../../src/util/logger.js';
import { silentLogger } from '../../src/util/logger.js';
import { bytesOf } from '../chains/block-builder.js';
import { paramsOfFlags } from '../chains/recorded-chain.js';
import { readRecording, recordings } from '../shared.js';
import { coinbaseOf, output } from '../unit/mempool/fixture.js';
import { NetNode, type NetNodeOptions } from '../unit/p2p/net-node.js';
import { until } from '../until.js';

const MATURITY = 100;
const FEE = 10_000n;

async function nodes(t: TestContext, count: number, options: NetNodeOptions = {}): Promise<[NetNode, NetNode, ...NetNode[]]> {
  const all: NetNode[] = [];
  for (let i = 0; i < count; i++) all.push(await NetNode.start(t, options));
  return all as [NetNode, NetNode, ...NetNode[]];
}

function tipsOf(all: readonly NetNode[]): string[] {
  return all.map(({ chain }) => formatHash(chain.tip.hash));
}

async function untilLevel(all: readonly NetNode[], what: string, timeoutMs?: number): Promise<void> {
  await until(() => new Set(tipsOf(all)).size === 1, `${what}: one tip`, timeoutMs);
  for (const { errors } of all) assert.deepEqual(errors, []);
}

test('a fresh node downloads the chain of another, then each new block', async (t) => {
  const [a, b] = await nodes(t, 2);
  a.mine(300);
  await b.connect(a);
  await untilLevel([a, b], 'old blocks');
  assert.equal(b.height, 300);
  a.mine();
  await untilLevel([a, b], 'new block of the one that was asked');
  b.mine(2);
  await untilLevel([a, b], 'new blocks of the one that asked');
  assert.equal(a.height, 303);
});

test('blocks are downloaded from several peers in parallel', async (t) => {
  const [a, b, c, fresh] = (await nodes(t, 4)) as [NetNode, NetNode, NetNode, NetNode];
  for (const block of a.mine(400)) for (const other of [b, c]) other.chain.submitBlock(bytesOf(a.chain, block));
  await Promise.all([a, b, c].map((node) => fresh.connect(node)));
  await untilLevel([a, b, c, fresh], 'all');
  const senders = [a, b, c].filter(({ peers }) => (peers.ready()[0]?.traffic.sentByMessage().block ?? 0) > 0);
  // The first peer serves blocks alone until the headers are known; then the others are asked too.
  assert.ok(senders.length >= 2, `${senders.length} peers sent blocks`);
});

test('signatures and modifiers of headers are checked while syncing', async (t) => {
  const params = networkParams({ network: 'regtest' });
  const clock = new FixedClock(params.genesis.header.time + 100_000);
  const [a, b] = await nodes(t, 2, { params, clock });
  const [genesisNode] = params.masternode.genesis;
  const key = parseWif(genesisNode?.operatorKey ?? '', params.address);
  assert.ok(key);
  const operator = hash160(publicKeyOf(key.secret, key.compressed));
  const minter = new Minter({ operators: [operator] }, { chain: a.chain, clock, keys: () => key, log: silentLogger });
  await minter.mintTo(Uint8Array.of(0x51), 60, 1000);
  assert.equal(a.height, 60);
  await b.connect(a);
  await untilLevel([a, b], 'signed chain');
  assert.equal(b.height, 60);
});

test('recorded chains sync from node to node', async (t) => {
  const wanted = ['feature_csv_activation', 'feature_segwit', 'mempool_packages'];
  const paths = recordings('base').filter((path) => wanted.some((name) => path.includes(`/${name}.`)));
  for (const path of paths) {
    const recording = readRecording(path);
    const params = paramsOfFlags(recording.header.flags);
    const clock = new FixedClock(params.genesis.header.time);
    const [a, b] = await nodes(t, 2, { params, clock });
    for (const step of recording.steps) {
      if (!('hex' in step)) continue;
      clock.set(step.time);
      a.chain.submitBlock(fromHex(step.hex));
    }
    assert.equal(a.chain.isInitialDownload(), false, recording.header.name);
    await b.connect(a);
    await untilLevel([a, b], recording.header.name);
    assert.ok(b.height > 100, recording.header.name);
  }
});

test('four nodes in a row: blocks and transactions reach both ends', async (t) => {
  const all = await nodes(t, 4);
  const [first] = all;
  const last = all.at(-1) as NetNode;
  const [funding] = first.mine(MATURITY + 1);
  for (let i = 1; i < all.length; i++) await (all[i] as NetNode).connect(all[i - 1] as NetNode);
  await untilLevel(all, 'start');
  assert.ok(funding);
  const coinbase = coinbaseOf(funding);
  const value = coinbase.vout[0]?.value ?? 0n;
  const parent = first.pay([output(coinbase)], [value - FEE]);
  const child = first.pay([output(parent)], [value - 2n * FEE]);
  first.send(parent);
  first.send(child);
  // Each hop waits a few seconds on average; the test advances the clock instead.
  const hurry = setInterval(() => {
    for (const node of all) node.skew += 5_000;
  }, 50);
  t.after(() => clearInterval(hurry));
  await until(() => all.every((node) => node.has(parent) && node.has(child)), 'transactions everywhere');
  clearInterval(hurry);
  const [block] = last.mine(1, [parent, child]);
  await untilLevel(all, 'block with the transactions');
  assert.ok(all.every((node) => node.mempool.pool.size === 0));
  assert.ok(block);
});

test('a compact block is reconstructed from the mempool', async (t) => {
  const [a, b] = await nodes(t, 2);
  const [funding] = a.mine(MATURITY + 1);
  const peer = await b.connect(a);
  await untilLevel([a, b], 'start');
  assert.ok(funding);
  const coinbase = coinbaseOf(funding);
  const tx = a.pay([output(coinbase)], [(coinbase.vout[0]?.value ?? 0n) - FEE]);
  for (const node of [a, b]) node.mempool.accept(tx);
  // The first new block makes b request high-bandwidth relay from a.
  a.mine();
  await untilLevel([a, b], 'first');
  await until(() => (a.peers.ready()[0]?.traffic.receivedByMessage().sendcmpct ?? 0) > 2 * 33, 'b asks for compact blocks');
  const before = peer.traffic.receivedByMessage();
  a.mine(1, [tx]);
  await untilLevel([a, b], 'second');
  const after = peer.traffic.receivedByMessage();
  assert.ok((after.cmpctblock ?? 0) > (before.cmpctblock ?? 0));
  assert.equal(after.block, before.block);
  assert.equal(after.blocktxn, undefined);
  // A transaction that is not in the mempool is requested.
  const coin = output(tx);
  const unknown = a.pay([coin], [(tx.vout[0]?.value ?? 0n) - FEE]);
  a.mine(1, [unknown]);
  await untilLevel([a, b], 'third');
  assert.ok((peer.traffic.receivedByMessage().blocktxn ?? 0) > 0);
  assert.equal(peer.traffic.receivedByMessage().block, before.block);
});

test('partitions that reconnect agree on the chain with more work', async (t) => {
  const [a, b, c, d] = (await nodes(t, 4)) as [NetNode, NetNode, NetNode, NetNode];
  a.mine(20);
  await b.connect(a);
  await c.connect(a);
  await d.connect(c);
  await untilLevel([a, b, c, d], 'start');
  for (const peer of c.peers.ready()) if (!peer.inbound) peer.disconnect('partition');
  await until(() => a.peers.count === 1, 'partition');
  a.mine(12, [], 1);
  c.mine(15, [], 2);
  await untilLevel([a, b], 'one side');
  await untilLevel([c, d], 'other side');
  assert.notDeepEqual(a.chain.tip.hash, c.chain.tip.hash);
  await d.connect(b);
  await untilLevel([a, b, c, d], 'met again');
  assert.equal(a.height, 35);
  assert.deepEqual(a.chain.tip.hash, c.chain.tip.hash);
});

test('a node that is stopped during sync continues where it stopped', async (t) => {
  const [a, b] = await nodes(t, 2);
  a.mine(600);
  await b.connect(a);
  await until(() => b.height > 100, 'some blocks');
  await b.stop();
  const { height, disk } = b;
  assert.ok(height < 600, `stopped at ${height}`);
  const again = await NetNode.start(t, { disk, clock: b.clock });
  assert.equal(again.height, height);
  await again.connect(a);
  await untilLevel([a, again], 'rest');
  assert.equal(again.height, 600);
});

test('sync progress is logged in steps of 5 %', async (t) => {
  const lines: { msg: string; progress?: string }[] = [];
  const log: Logger = { ...silentLogger, info: (msg, fields) => void lines.push({ msg, ...fields }) };
  const [a] = await nodes(t, 2);
  const b = await NetNode.start(t, { log });
  a.mine(600);
  await b.connect(a);
  await untilLevel([a, b], 'all');
  const progressSteps = lines.filter(({ msg }) => msg === 'syncing blocks').map(({ progress }) => progress);
  assert.deepEqual(progressSteps.slice(0, 3), ['0%', '5%', '10%']);
  assert.ok(progressSteps.length <= 21, `${progressSteps.length} lines`);
});
