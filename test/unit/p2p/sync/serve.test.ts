import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BlockPosition } from '../../../../src/chain/block-store.js';
import { BlockServer } from '../../../../src/p2p/sync/serve.js';
import { InvType } from '../../../../src/p2p/wire/inventory.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { FixedClock } from '../../../../src/util/clock.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { bytesOf } from '../../../chains/block-builder.js';
import { until } from '../../../until.js';
import { coinbaseOf, output } from '../../mempool/fixture.js';
import { FakePeer } from '../fake-peer.js';
import { hash, RawPeer, testVersion } from '../fixture.js';
import { dummyParams, minePayments, NetNode, type NetNodeOptions } from '../net-node.js';

async function served(t: TestContext, options: NetNodeOptions = {}): Promise<{ node: NetNode; peer: RawPeer }> {
  const node = await NetNode.start(t, options);
  node.mine(3);
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  return { node, peer };
}

function hashAt(node: NetNode, height: number): Uint8Array {
  return node.chain.entryAt(height)?.hash ?? assert.fail(`no block ${height}`);
}

test('headers follow a locator up to 2000 or the stop', async (t) => {
  const { node, peer } = await served(t);
  node.mine(2100);
  const ask = async (locator: Uint8Array[], stop = NULL_HASH) => {
    peer.send({ command: 'getheaders', payload: { version: 0, locator, stop } });
    await peer.sync();
    return peer.last('headers')?.map(({ height }) => Number(height)) ?? [];
  };
  const all = await ask([hashAt(node, 0)]);
  assert.deepEqual([all.length, all[0], all.at(-1)], [2000, 1, 2000]);
  assert.deepEqual(await ask([hashAt(node, 5)], hashAt(node, 8)), [6, 7, 8]);
  assert.deepEqual(await ask([], hashAt(node, 9)), [9]);
  assert.deepEqual(await ask([node.chain.tip.hash]), []);
});

test('during initial download headers are served to noban peers only', async (t) => {
  const clock = new FixedClock(dummyParams.genesis.header.time + 1_000_000);
  const node = await NetNode.start(t, { clock });
  const stranger = await RawPeer.ready(node.port);
  t.after(() => stranger.close());
  stranger.send({ command: 'getheaders', payload: { version: 0, locator: [NULL_HASH], stop: NULL_HASH } });
  await stranger.sync();
  assert.equal(stranger.last('headers'), undefined);
  const friendly = await NetNode.start(t, { clock, peers: { whitelist: ['127.0.0.1'] } });
  const friend = await RawPeer.ready(friendly.port);
  t.after(() => friend.close());
  friend.send({ command: 'getheaders', payload: { version: 0, locator: [NULL_HASH], stop: NULL_HASH } });
  await friend.sync();
  assert.deepEqual(friend.last('headers'), []);
});

test('getblocks: 500 hashes at a time, and the tip after the last of them is requested', async (t) => {
  const { node, peer } = await served(t);
  node.mine(600);
  peer.send({ command: 'getblocks', payload: { version: 0, locator: [hashAt(node, 0)], stop: NULL_HASH } });
  await until(() => peer.last('inv')?.length === 500, '500 blocks');
  assert.deepEqual(peer.last('inv')?.at(-1)?.hash, hashAt(node, 500));
  peer.send({ command: 'getdata', payload: [{ type: InvType.block, hash: hashAt(node, 500) }] });
  await until(() => peer.last('inv')?.length === 1, 'the tip');
  assert.deepEqual(peer.last('inv')?.[0]?.hash, node.chain.tip.hash);
});

test('a pruning node serves the last 290 blocks and disconnects peers that request older ones', async (t) => {
  const { node, peer } = await served(t, { sync: { pruned: true } });
  node.mine(290);
  peer.send({ command: 'getdata', payload: [{ type: InvType.block, hash: hashAt(node, 3) }] });
  await peer.sync();
  assert.deepEqual(peer.last('block')?.hash, hashAt(node, 3));
  peer.send({ command: 'getdata', payload: [{ type: InvType.block, hash: hashAt(node, 2) }] });
  await peer.waitClosed();
  // A deleted block must not make its peer wait.
  const other = await RawPeer.ready(node.port, testVersion);
  t.after(() => other.close());
  Object.assign(node.chain.entryAt(1) ?? assert.fail(), { position: undefined });
  other.send({ command: 'getdata', payload: [{ type: InvType.block, hash: hashAt(node, 1) }] });
  await other.waitClosed();
});

test('stale blocks are served for a month', async (t) => {
  const { node, peer } = await served(t);
  const stale = node.mine(1, [], 1)[0] ?? assert.fail();
  const parent = node.chain.entryAt(3) ?? assert.fail();
  const first = node.make([], { on: parent, tag: 2 });
  node.chain.submitBlock(bytesOf(node.chain, first));
  const second = node.make([], { on: node.chain.entry(first.hash) ?? assert.fail(), tag: 2 });
  node.chain.submitBlock(bytesOf(node.chain, second));
  assert.deepEqual(node.chain.tip.hash, second.hash);
  const count = () => peer.commands().filter((command) => command === 'block').length;
  peer.send({ command: 'getdata', payload: [{ type: InvType.block, hash: stale.hash }] });
  await peer.sync();
  assert.equal(count(), 1);
  // A block more than a month later.
  const tip = node.chain.tip;
  node.clock.set(tip.time + 31 * 86_400);
  const young = node.make([], { tag: 3 });
  const { header } = young;
  const late = { ...header, time: tip.time + 31 * 86_400 };
  node.chain.acceptHeader(late);
  peer.send({ command: 'getdata', payload: [{ type: InvType.block, hash: stale.hash }] });
  await peer.sync();
  assert.equal(count(), 1);
});

test('a block damaged on disk is not served', async (t) => {
  const { node, peer } = await served(t);
  const read = node.disk.blocks.read.bind(node.disk.blocks);
  const entry = node.chain.entryAt(2) ?? assert.fail();
  // The header's version, which is covered by the hash, although the block was sound when it came.
  t.mock.method(node.disk.blocks, 'read', (at: BlockPosition) => {
    const bytes = Uint8Array.from(read(at));
    if (at.file === entry.position?.file) bytes[0] = (bytes[0] as number) ^ 1;
    return bytes;
  });
  const items = [hashAt(node, 2), hashAt(node, 1)].map((hash) => ({ type: InvType.witnessBlock, hash }));
  peer.send({ command: 'getdata', payload: items });
  await peer.sync();
  assert.deepEqual(peer.last('notfound')?.[0]?.hash, entry.hash);
  assert.deepEqual(
    peer.commands().filter((command) => command === 'block' || command === 'notfound'),
    ['notfound', 'block'],
  );
  assert.deepEqual(peer.last('block')?.hash, hashAt(node, 1));
  assert.match(node.chain.damage ?? '', /at height 2 is damaged/);
});

test('a peer that requests more than it reads is held, and receives all in the end', async (t) => {
  const { node, peer } = await served(t, { peers: { maxSendBytes: 100_000 } });
  const [incoming] = node.peers.ready();
  assert.ok(incoming);
  const [funding] = node.mine(100);
  assert.ok(funding);
  // A block of 20 kB, since the kernel buffers some megabytes.
  const [block] = node.mine(1, [node.pay([output(coinbaseOf(funding))], new Array<bigint>(500).fill(1_000_000n))]);
  const hash = block?.hash ?? assert.fail();
  const count = 1_000;
  peer.pause();
  peer.send({ command: 'getdata', payload: Array.from({ length: count }, () => ({ type: InvType.block, hash })) });
  await until(() => incoming.congested, 'congestion');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(incoming.queuedBytes < 200_000, `${incoming.queuedBytes} bytes wait`);
  peer.resume();
  await until(() => peer.commands().filter((command) => command === 'block').length === count, 'all blocks', 120_000);
  assert.deepEqual(node.errors, []);
});

test('unknown transactions are named after the block that follows them in a request', async (t) => {
  const { node, peer } = await served(t);
  const block = { type: InvType.witnessBlock, hash: hashAt(node, 1) };
  const unknown = (count: number, from: number) => Array.from({ length: count }, (_, i) => ({ type: InvType.tx, hash: hash(from + i) }));
  peer.send({ command: 'getdata', payload: [block, ...unknown(150, 1), block, ...unknown(2, 200)] });
  await peer.sync();
  const answers = peer.received.filter(({ command }) => command === 'block' || command === 'notfound');
  assert.deepEqual(
    answers.map(({ command, payload }) => [command, command === 'notfound' && payload.length]),
    [
      ['block', false],
      ['block', false],
      ['notfound', 1 + 150 * 36],
      ['notfound', 1 + 2 * 36],
    ],
  );
});

test('transactions are served only after their announcement', async (t) => {
  const { node, peer } = await served(t);
  const [funding] = node.mine(100);
  assert.ok(funding);
  const coinbase = coinbaseOf(funding);
  const tx = node.pay([output(coinbase)], [(coinbase.vout[0]?.value ?? 0n) - 10_000n]);
  const ask = async () => {
    peer.send({ command: 'getdata', payload: [{ type: InvType.tx, hash: tx.txid }] });
    await peer.sync();
  };
  node.mempool.accept(tx);
  await ask();
  assert.deepEqual(peer.last('notfound'), [{ type: InvType.tx, hash: tx.txid }]);
  node.sync.announce(tx);
  node.skew += 60_000;
  await until(() => peer.last('inv')?.some(({ type }) => type === InvType.tx) === true, 'announcement');
  await ask();
  assert.deepEqual(peer.last('tx')?.txid, tx.txid);
});

for (const [how, options] of Object.entries({
  '-peerbloomfilters': { sync: { bloomFilters: true } },
  'the permission bloomfilter': { peers: { whitelist: ['bloomfilter@127.0.0.1'] } },
}))
  test(`the mempool is announced to peers with ${how}`, async (t) => {
    const { node, peer } = await served(t, options);
    const [funding] = node.mine(100);
    const coinbase = coinbaseOf(funding ?? assert.fail());
    const tx = node.pay([output(coinbase)], [(coinbase.vout[0]?.value ?? 0n) - 10_000n]);
    node.mempool.accept(tx);
    peer.send({ command: 'mempool', payload: {} });
    await peer.sync();
    node.skew += 60_000;
    await until(() => peer.last('inv')?.[0]?.type === InvType.tx, 'inventory of the pool');
    peer.send({ command: 'getdata', payload: [{ type: InvType.tx, hash: tx.txid }] });
    await until(() => peer.last('tx') !== undefined, 'the transaction');
  });

test('a filtered block proves the matching transactions', async (t) => {
  const { node, peer } = await served(t, { sync: { bloomFilters: true } });
  const [funding] = node.mine(100);
  const coinbase = coinbaseOf(funding ?? assert.fail());
  const tx = node.pay([output(coinbase)], [(coinbase.vout[0]?.value ?? 0n) - 10_000n]);
  const [block] = node.mine(1, [tx]);
  peer.send({ command: 'filterload', payload: { data: new Uint8Array(100), hashFunctions: 5, tweak: 1, flags: 0 } });
  peer.send({ command: 'filteradd', payload: { data: tx.txid } });
  peer.send({ command: 'getdata', payload: [{ type: InvType.filteredBlock, hash: block?.hash ?? assert.fail() }] });
  await peer.sync();
  assert.deepEqual(peer.last('tx')?.txid, tx.txid);
  assert.equal(peer.commands().filter((command) => command === 'tx').length, 1);
  const proof = peer.last('merkleblock');
  assert.deepEqual([proof?.tree.leafCount, proof?.tree.hashes.length, proof?.tree.flags[0]], [2, 2, 0b101]);
});

test('the transactions of a filtered block are sent in slices', async (t) => {
  const node = await NetNode.start(t);
  const { hash } = minePayments(node, 100);
  const { sync, sent } = new FakePeer();
  const rest = { log: silentLogger, pruned: () => false, servesHistorical: () => true, sendCompact() {}, isNearTip: () => true };
  const server = new BlockServer({ chain: node.chain, ...rest, signal: new AbortController().signal });
  let now = performance.now();
  t.mock.method(performance, 'now', () => now++);
  const work = server.getBlock(sync, { type: InvType.filteredBlock, hash });
  assert.ok(sent.length < 20, `${sent.length} messages in the first slice`);
  await work;
  assert.deepEqual(
    sent.map(({ command }) => command),
    ['merkleblock', ...new Array<string>(101).fill('tx')],
  );
});

for (const [type, name] of [
  [InvType.block, 'without witnesses'],
  [InvType.witnessBlock, 'with witnesses'],
  [InvType.filteredBlock, 'filtered'],
] as const)
  test(`a large block that is not in memory is read in slices: ${name}`, async (t) => {
    const first = await NetNode.start(t);
    const block = minePayments(first, 300);
    first.mine(1);
    await first.stop();
    const { chain } = await NetNode.start(t, { disk: first.disk, clock: first.clock });
    const { sync, sent } = new FakePeer();
    const rest = { log: silentLogger, pruned: () => false, servesHistorical: () => true, sendCompact() {}, isNearTip: () => true };
    const server = new BlockServer({ chain, ...rest, signal: new AbortController().signal });
    slowClock(t);
    const work = server.getBlock(sync, { type, hash: block.hash });
    assert.deepEqual([work instanceof Promise, sent], [true, []]);
    await work;
    const expected = type === InvType.filteredBlock ? 'merkleblock' : 'block';
    assert.equal(sent[0]?.command, expected);
    if (sent[0]?.command === 'block') assert.deepEqual(sent[0].payload.raw, bytesOf(chain, block));
  });

test('transactions of a large block that is not in memory are read in slices, and the next message waits for them', async (t) => {
  const first = await NetNode.start(t);
  const block = minePayments(first, 300);
  first.mine(1);
  await first.stop();
  const node = await NetNode.start(t, { disk: first.disk, clock: first.clock });
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  const clock = slowClock(t);
  peer.send({ command: 'getblocktxn', payload: { blockHash: block.hash, indexes: [1, 299] } });
  peer.send({ command: 'getdata', payload: [{ type: InvType.block, hash: hashAt(node, 1) }] });
  await peer.sync();
  clock.mock.restore();
  assert.deepEqual(
    peer.commands().filter((command) => command === 'blocktxn' || command === 'block'),
    ['blocktxn', 'block'],
  );
});

/** Replaces the clock by one on which each step of sliced work takes its time of a turn. */
function slowClock(t: TestContext) {
  let now = performance.now();
  return t.mock.method(performance, 'now', () => {
    now += 6;
    return now;
  });
}

test('filterclear asks for transactions even where filters are not served', async (t) => {
  const node = await NetNode.start(t);
  const peer = await RawPeer.ready(node.port, { relay: false });
  t.after(() => peer.close());
  const [seen] = node.peers.ready();
  assert.equal(seen?.relaysTransactions, false);
  peer.send({ command: 'filterclear', payload: {} });
  await peer.sync();
  assert.deepEqual([seen?.relaysTransactions, seen?.misbehaviour], [true, 0]);
});
