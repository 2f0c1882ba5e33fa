import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InvType } from '../../../../src/p2p/wire/inventory.js';
import type { Block } from '../../../../src/primitives/block.js';
import { toHex } from '../../../../src/util/bytes.js';
import { type Logger, silentLogger } from '../../../../src/util/logger.js';
import { blockOn, bytesOf } from '../../../chains/block-builder.js';
import { until } from '../../../until.js';
import { RawPeer, testVersion } from '../fixture.js';
import { NetNode } from '../net-node.js';

/** Log lines of the nodes about blocks, in order. */
class Story {
  readonly lines: string[] = [];

  logOf(name: string): Logger {
    const log: Logger = {
      ...silentLogger,
      debug: (msg, fields) => this.#note(name, msg, fields as { command?: string; height?: number } | undefined),
      child: () => log,
    };
    return log;
  }

  #note(name: string, msg: string, { command, height }: { command?: string; height?: number } = {}): void {
    const isAboutBlocks = ['inv', 'headers', 'cmpctblock', 'getdata', 'block', 'getheaders', 'getblocktxn', 'blocktxn'].includes(
      command ?? '',
    );
    if (msg === 'connected a block') this.lines.push(`${name} connects ${height}`);
    else if (msg === 'sending' && isAboutBlocks) this.lines.push(`${name} sends ${command}`);
  }
}

/** Three nodes in a row that have announced blocks to each other before. */
async function row(t: TestContext): Promise<{ all: [NetNode, NetNode, NetNode]; story: Story }> {
  const story = new Story();
  const start = (name: string) => NetNode.start(t, { log: story.logOf(name) });
  const all: [NetNode, NetNode, NetNode] = [await start('a'), await start('b'), await start('c')];
  const [a, b, c] = all;
  a.mine(101);
  await b.connect(a);
  await c.connect(b);
  // The first sender of a new block is asked for high-bandwidth relay.
  const asked = ({ peers }: NetNode) => peers.ready().some((peer) => (peer.traffic.receivedByMessage().sendcmpct ?? 0) > 2 * 33);
  await until(() => c.height === 101, 'start');
  a.mine();
  await until(() => c.height === 102 && asked(a) && asked(b), 'first new block');
  story.lines.length = 0;
  return { all, story };
}

test('a new block is relayed before it is connected, and no peer requests it', async (t) => {
  const { all, story } = await row(t);
  const [a, , c] = all;
  a.mine();
  await until(() => c.height === 103, 'the block at the end of the row');
  assert.deepEqual(story.lines, ['a sends cmpctblock', 'a connects 103', 'b sends cmpctblock', 'b connects 103', 'c connects 103']);
  for (const { errors } of all) assert.deepEqual(errors, []);
});

test('a compact block found invalid on connection does not end the connection, and a valid one follows', async (t) => {
  const { all, story } = await row(t);
  const [a, , c] = all;
  const good = a.make();
  const overpaid = a.make([a.pay([{ txid: good.hash, vout: 0 }], [1n])]);
  assert.equal(a.chain.submitBlock(bytesOf(a.chain, overpaid)).status, 'rejected');
  assert.deepEqual(story.lines, ['a sends cmpctblock']);
  const [next] = a.mine();
  assert.ok(next);
  await until(() => c.height === 103, 'the right block');
  assert.deepEqual(
    story.lines.filter((line) => line.includes('connects')),
    ['a connects 103', 'b connects 103', 'c connects 103'],
  );
  const connections = all.map(({ peers }) => peers.ready().length);
  assert.deepEqual(connections, [1, 2, 1]);
});

function wholeBlock(node: NetNode, block: Block) {
  return { command: 'block', payload: { header: block.header, hash: block.hash, raw: bytesOf(node.chain, block) } } as const;
}

/** A synchronised node with a peer that will send blocks. */
async function withPeer(t: TestContext): Promise<{ node: NetNode; source: NetNode; peer: RawPeer }> {
  const [source, node] = [await NetNode.start(t), await NetNode.start(t)];
  for (const block of source.mine(3)) node.chain.submitBlock(bytesOf(source.chain, block));
  assert.equal(node.chain.isInitialDownload(), false);
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  return { node, source, peer };
}

test('a node that stops processes the blocks that were sent to it', async (t) => {
  const { node, source, peer } = await withPeer(t);
  for (const block of source.mine(2)) peer.send(wholeBlock(source, block));
  await node.sync.drain();
  assert.equal(node.height, 5);
});

test('a node that stops waits for a requested block', async (t) => {
  const { node, source, peer } = await withPeer(t);
  const [block] = source.mine();
  assert.ok(block);
  peer.send({ command: 'headers', payload: [block.header] });
  await until(() => peer.has('getdata'), 'the request of the block');
  const drained = node.sync.drain();
  setTimeout(() => peer.send(wholeBlock(source, block)), 50);
  await drained;
  assert.equal(node.height, 4);
});

test('a node that stops does not wait longer than its limit', async (t) => {
  const { node, source, peer } = await withPeer(t);
  const [block] = source.mine();
  assert.ok(block);
  peer.send({ command: 'headers', payload: [block.header] });
  await until(() => node.sync.blocksInFlight === 1, 'the request of the block');
  await node.sync.drain();
  assert.equal(node.height, 3);
  assert.equal(node.sync.blocksInFlight, 1);
});

test('a large block is decoded in slices, and its request counts until then', async (t) => {
  const [a, b] = [await NetNode.start(t), await NetNode.start(t)];
  a.mine(3);
  const scriptPubKey = new Uint8Array(2_100_000).fill(0x6a);
  a.chain.submitBlock(bytesOf(a.chain, blockOn(a.chain, a.chain.tip, { scriptPubKey })));
  a.mine(2);
  const decode = t.mock.method(b.chain, 'decodeBlock');
  await b.connect(a);
  await until(() => b.height === 6, 'all blocks');
  assert.equal(decode.mock.callCount(), 1);
  assert.ok((a.peers.ready()[0]?.traffic.sentByMessage().block ?? 0) < 2 * 2_100_000, 'it was requested once');
  for (const { errors } of [a, b]) assert.deepEqual(errors, []);
});

test('a large block that is malformed is ignored, and one that is not worth storing is not decoded', async (t) => {
  const node = await NetNode.start(t);
  node.mine(3);
  const scriptPubKey = new Uint8Array(2_100_000).fill(0x6a);
  const block = blockOn(node.chain, node.chain.tip, { scriptPubKey });
  const raw = bytesOf(node.chain, block);
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  const payload = (bytes: Uint8Array, of = block) => ({ header: of.header, hash: of.hash, raw: bytes });
  const decode = t.mock.method(node.chain, 'decodeBlock');
  peer.send({ command: 'block', payload: payload(raw.subarray(0, raw.length - 1)) });
  await peer.sync();
  assert.equal(node.height, 3);
  const old = blockOn(node.chain, node.chain.entryAt(1) ?? assert.fail(), { scriptPubKey, tag: 9 });
  const process = t.mock.method(node.chain, 'processBlock');
  peer.send({ command: 'block', payload: payload(bytesOf(node.chain, old), old) });
  await peer.sync();
  assert.deepEqual(
    process.mock.calls.map((call) => call.arguments[2]),
    [undefined],
  );
  peer.send({ command: 'block', payload: payload(raw) });
  await peer.sync();
  await until(() => node.height === 4, 'the block in full');
  assert.equal(decode.mock.callCount(), 3);
  assert.deepEqual(node.errors, []);
});

test('blocks of an announcement are requested from its sender, also if another peer has them before all its headers are accepted', async (t) => {
  const node = await NetNode.start(t);
  const source = await NetNode.start(t);
  node.clock.set(node.chain.tip.time + 3_600);
  source.clock.set(node.chain.tip.time + 3_600);
  const [first, ...blocks] = source.mine(5);
  assert.ok(first);
  assert.equal(node.chain.submitBlock(bytesOf(source.chain, first)).status, 'accepted');
  const accept = node.chain.acceptHeader.bind(node.chain);
  // Longer than the time that one message may take at once.
  t.mock.method(node.chain, 'acceptHeader', (...args: Parameters<typeof accept>) => {
    for (const end = performance.now() + 20; performance.now() < end; );
    return accept(...args);
  });
  const announcer = await RawPeer.ready(node.port, { ...testVersion, services: 8n });
  const other = await RawPeer.ready(node.port);
  t.after(() => announcer.close());
  t.after(() => other.close());
  announcer.send({ command: 'headers', payload: blocks.map(({ header }) => header) });
  for (const { hash } of blocks) other.send({ command: 'inv', payload: [{ type: InvType.block, hash }] });
  await other.sync();
  await until(() => announcer.has('getdata'), 'a request for the blocks');
  const hashesOf = (peer: RawPeer) => peer.last('getdata')?.map(({ hash }) => toHex(hash));
  assert.deepEqual(
    hashesOf(announcer),
    blocks.map(({ hash }) => toHex(hash)),
  );
  assert.equal(hashesOf(other), undefined);
});
