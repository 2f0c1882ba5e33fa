import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame } from '../../../../src/p2p/wire/envelope.js';
import type { Block } from '../../../../src/primitives/block.js';
import { encode } from '../../../../src/primitives/codec.js';
import type { BlockHeader } from '../../../../src/primitives/header.js';
import { concatBytes } from '../../../../src/util/bytes.js';
import { bytesOf } from '../../../chains/block-builder.js';
import { until } from '../../../until.js';
import { coinbaseOf, output } from '../../mempool/fixture.js';
import { codecs, params, RawPeer, testVersion } from '../fixture.js';
import { NetNode } from '../net-node.js';

test('blocks that a peer does not send are requested from another', async (t) => {
  const [source, node] = [await NetNode.start(t), await NetNode.start(t)];
  source.mine(200);
  const silent = await RawPeer.ready(node.port, { ...testVersion, startHeight: 200 });
  t.after(() => silent.close());
  const headers: BlockHeader[] = [];
  for (let height = 1; height <= 200; height++) headers.push(source.chain.header(source.chain.entryAt(height) ?? assert.fail()));
  await until(() => silent.has('getheaders'), 'a request for headers');
  silent.send({ command: 'headers', payload: headers });
  await until(() => silent.last('getdata')?.length === 16, 'a request for sixteen blocks');
  await node.connect(source);
  await until(() => node.sync.blocksInFlight === 16, 'all other blocks');
  assert.equal(node.height, 0);
  // The timeout grows by half of ten minutes for each other source; none of them still sends.
  node.skew += 600_500;
  await until(() => silent.closed, 'the silent peer is let go');
  await until(() => node.height === 200, 'the rest');
  assert.deepEqual([source.errors, node.errors], [[], []]);
});

test('a block that arrives before its parent is kept until the parent arrives', async (t) => {
  const [source, node] = [await NetNode.start(t), await NetNode.start(t)];
  const [first, second] = source.mine(2);
  assert.ok(first && second);
  const peer = await RawPeer.ready(node.port);
  t.after(() => peer.close());
  const raw = (height: number) => source.chain.rawBlock(source.chain.entryAt(height) ?? assert.fail()) ?? assert.fail();
  peer.send({ command: 'block', payload: { header: second.header, hash: second.hash, raw: raw(2) } });
  await peer.sync();
  assert.equal(node.height, 0);
  peer.send({ command: 'block', payload: { header: first.header, hash: first.hash, raw: raw(1) } });
  await until(() => node.height === 2, 'both blocks');
});

test('a peer that does not send headers in time is replaced by another', async (t) => {
  const node = await NetNode.start(t);
  node.clock.set(node.chain.tip.time + 10 * 86_400);
  const [source, other] = [await NetNode.start(t), await NetNode.start(t)];
  const idle = await RawPeer.ready(node.port);
  t.after(() => idle.close());
  await until(() => idle.has('getheaders'), 'a request for headers');
  await node.connect(source);
  await node.connect(other);
  node.skew += 16 * 60_000 + 10 * 86_400;
  await until(() => idle.closed, 'the idle peer is let go');
});

test('a ping after a block is answered once its stored descendants are connected', async (t) => {
  const [source, node] = [await NetNode.start(t), await NetNode.start(t)];
  const blocks = source.mine(280);
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  peer.send({ command: 'headers', payload: blocks.map(({ header }) => header) });
  const send = ({ header, hash }: Block) => {
    const entry = source.chain.entry(hash);
    peer.send({ command: 'block', payload: { header, hash, raw: (entry && source.chain.rawBlock(entry)) ?? assert.fail() } });
  };
  const [first, ...others] = blocks;
  assert.ok(first);
  for (const block of others) send(block);
  await peer.sync();
  assert.equal(node.height, 0);
  send(first);
  await peer.sync();
  assert.equal(node.height, 280);
});

test('while a block waits to be connected, the next block of its sender is stored, and a ping is answered after both', async (t) => {
  const [source, node] = [await NetNode.start(t), await NetNode.start(t)];
  const below = source.mine(101);
  let point = output(coinbaseOf(below[0] ?? assert.fail()));
  const value = (below[0]?.transactions[0]?.vout[0]?.value ?? 0n) - 1_000_000n;
  const payments = Array.from({ length: 150 }, (_, i) => {
    const tx = source.pay([point], [value - BigInt(i) * 100_000n]);
    point = output(tx);
    return tx;
  });
  const blocks = [...source.mine(1, payments), ...source.mine(2)];
  for (const block of below) node.chain.submitBlock(bytesOf(node.chain, block));
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  peer.send({ command: 'headers', payload: blocks.map(({ header }) => header) });
  await until(() => peer.has('getdata'), 'requests');
  const stored = () => blocks.filter(({ hash }) => node.chain.entry(hash)?.hasData).length;
  // The first block waits until the second one is here, however the frames arrive.
  const advance = node.chain.advance.bind(node.chain);
  node.chain.advance = () => stored() < 2 || advance();
  const storedFirst: number[] = [];
  node.chain.on('connected', () => storedFirst.push(stored()));
  const frames = blocks.map((block) => {
    const payload = { header: block.header, hash: block.hash, raw: bytesOf(node.chain, block) };
    return encodeFrame(params.p2pMagic, 'block', encode(codecs.block, payload));
  });
  peer.sendBytes(concatBytes(...frames));
  await peer.sync();
  assert.equal(node.height, 104);
  assert.equal(storedFirst[0], 2, 'blocks that are stored when the first is connected');
});

test('a peer whose blocks wait here is not let go for the time that others take to be connected', async (t) => {
  const [source, node] = [await NetNode.start(t), await NetNode.start(t)];
  const blocks = source.mine(1030);
  let nowMs = 1_000_000;
  let looks = 0;
  node.peers.monotonic = () => {
    looks += 1;
    return nowMs;
  };
  const peer = await RawPeer.ready(node.port, { ...testVersion, startHeight: 1030 });
  t.after(() => peer.close());
  await until(() => peer.has('getheaders'), 'a request for headers');
  peer.send({ command: 'headers', payload: blocks.map(({ header }) => header) });
  await until(() => peer.last('getdata')?.length === 16, 'a request for sixteen blocks');
  await node.connect(source);
  const isStored = (height: number) => node.chain.entry(blocks[height - 1]?.hash ?? assert.fail())?.hasData === true;
  await until(() => isStored(1024) && node.sync.blocksInFlight === 16, 'all other blocks of the window');
  let isSlow = true;
  const advance = node.chain.advance.bind(node.chain);
  node.chain.advance = () => isSlow || advance();
  // The last ones enter the window as the first ones are stored.
  for (const { header, hash } of [...blocks.slice(0, 16), ...blocks.slice(1024)]) {
    peer.send({
      command: 'block',
      payload: { header, hash, raw: source.chain.rawBlock(source.chain.entry(hash) ?? assert.fail()) ?? assert.fail() },
    });
  }
  await until(() => isStored(2) && !isStored(3), 'one block that waits to be connected, and the next');
  for (let round = 0; round < 3; round++) {
    looks = 0;
    await until(() => looks > 20, 'further checks of the timeouts');
    nowMs += 10 * 60_000;
  }
  isSlow = false;
  await until(() => node.height === 1030, 'all blocks');
  assert.ok(!peer.closed);
});
