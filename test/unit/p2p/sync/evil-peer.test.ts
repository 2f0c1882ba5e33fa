import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { compactBlockOf } from '../../../../src/p2p/sync/compact.js';
import { InvType, itemsOf } from '../../../../src/p2p/wire/inventory.js';
import { type Command, type WireMessage, wireCodecs } from '../../../../src/p2p/wire/messages.js';
import type { Block } from '../../../../src/primitives/block.js';
import { encode } from '../../../../src/primitives/codec.js';
import { type BlockHeader, blockHash, blockHeader } from '../../../../src/primitives/header.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { concatBytes } from '../../../../src/util/bytes.js';
import { blockOn } from '../../../chains/block-builder.js';
import { until } from '../../../until.js';
import { coinbaseOf, output } from '../../mempool/fixture.js';
import { RawPeer, testVersion } from '../fixture.js';
import { blockMessage, dummyParams, NetNode, type NetNodeOptions } from '../net-node.js';

const format = dummyParams.txFormat;

interface Scene {
  readonly node: NetNode;
  readonly evil: RawPeer;
  /** Ban score of the peer after the node has processed all messages. */
  score(): Promise<number>;
}

async function scene(t: TestContext, options: NetNodeOptions = {}): Promise<Scene> {
  const node = await NetNode.start(t, { ...options, peers: { banScore: 100_000, ...options.peers } });
  node.mine(5);
  const evil = await RawPeer.ready(node.port, testVersion);
  t.after(() => evil.close());
  const [peer] = node.peers.ready();
  assert.ok(peer);
  const score = async () => {
    await evil.sync();
    assert.deepEqual(node.errors, []);
    return peer.misbehaviour;
  };
  return { node, evil, score };
}

function withHeader(block: Block, change: Partial<BlockHeader>): Block {
  const header = { ...block.header, ...change };
  return { ...block, header, hash: blockHash(header) };
}

function randomHashes(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => randomBytes(32));
}

function headersMessage(...blocks: readonly Block[]): WireMessage<'headers'> {
  return { command: 'headers', payload: blocks.map(({ header }) => header) };
}

function negative(node: NetNode): Transaction {
  const [entry] = node.mine(1);
  assert.ok(entry);
  return node.pay([output(coinbaseOf(entry))], [-1n]);
}

function greedyBlock(node: NetNode): Block {
  return blockOn(node.chain, node.chain.tip, {
    coinbase: { vout: [{ value: 10n ** 17n, scriptPubKey: Uint8Array.of(0x51), tokenId: 0 }] },
  });
}

/** Creates consecutive blocks on the tip without submitting them. */
async function ahead(t: TestContext, node: NetNode, count: number): Promise<Block[]> {
  const other = await NetNode.start(t, { clock: node.clock });
  for (let height = 1; height <= node.height; height++) {
    const entry = node.chain.entryAt(height);
    const raw = entry && node.chain.rawBlock(entry);
    if (raw) other.chain.submitBlock(raw);
  }
  return other.mine(count, [], 9);
}

const cases: readonly {
  readonly name: string;
  readonly score: number;
  readonly options?: NetNodeOptions;
  readonly run: (scene: Scene, t: TestContext) => void | Promise<void>;
}[] = [
  {
    name: 'non-continuous headers',
    score: 20,
    run({ node, evil }) {
      const block = node.make();
      evil.send(headersMessage(block, node.make([], { tag: 1 })));
    },
  },
  {
    name: 'two inventories with far more transactions than are remembered',
    score: 180,
    run: async ({ node, evil }, t) => {
      const coin = t.mock.method(node.chain, 'coin');
      for (let i = 0; i < 2; i++) evil.send({ command: 'inv', payload: itemsOf(InvType.tx, randomHashes(50_000)) });
      await until(() => node.peers.ready()[0]?.misbehaviour === 180, 'both messages processed');
      // Every announcement used to cost two database reads.
      assert.equal(coin.mock.callCount(), 0);
    },
  },
  {
    name: 'an inventory with as many transactions as are remembered',
    score: 0,
    run: ({ evil }) => evil.send({ command: 'inv', payload: itemsOf(InvType.tx, randomHashes(5_000)) }),
  },
  {
    name: 'a header with wrong bits',
    score: 100,
    run: ({ node, evil }) => evil.send(headersMessage(withHeader(node.make(), { bits: 0x1d00ffff }))),
  },
  {
    name: 'a header from the far future',
    score: 0,
    run: ({ node, evil }) => evil.send(headersMessage(withHeader(node.make(), { time: node.clock.seconds() + 10_000 }))),
  },
  {
    name: 'ten unconnecting headers in a row',
    score: 20,
    async run({ node, evil }, t) {
      const [, second] = await ahead(t, node, 2);
      assert.ok(second);
      for (let i = 0; i < 10; i++) evil.send(headersMessage(second));
    },
  },
  {
    name: 'nine unconnecting headers, one that connects, nine more',
    score: 0,
    async run({ node, evil }, t) {
      const [first, second, third] = await ahead(t, node, 3);
      assert.ok(first && second && third);
      for (let i = 0; i < 9; i++) evil.send(headersMessage(second));
      evil.send(headersMessage(first));
      for (let i = 0; i < 9; i++) evil.send(headersMessage(third));
    },
  },
  {
    name: 'unrequested blocks of a fork with less work, which are not decoded',
    score: 0,
    run: ({ node, evil }) => {
      const { header, hash } = node.make([], { on: node.chain.genesis });
      const raw = concatBytes(encode(blockHeader, header), randomBytes(1_000));
      evil.send({ command: 'block', payload: { header, hash, raw } });
    },
  },
  {
    name: 'megabytes of unrequested blocks that cannot be connected',
    score: 20,
    async run({ node, evil }, t) {
      const [first, second] = await ahead(t, node, 2);
      assert.ok(first && second);
      evil.send(headersMessage(first));
      const parent = () => node.chain.entry(first.hash);
      await until(() => parent() !== undefined, 'the header of the parent');
      const output = { value: 0n, scriptPubKey: new Uint8Array(9_000_000), tokenId: 0 };
      for (let tag = 1; tag <= 3; tag++) {
        evil.send(blockMessage(node, blockOn(node.chain, parent() ?? assert.fail(), { coinbase: { vout: [output] }, tag })));
      }
      await until(() => node.peers.ready()[0]?.misbehaviour === 20, 'the third is refused', 30_000);
      assert.equal(node.disk.blocks.files().filter(({ bytes }) => bytes > 9_000_000).length, 2);
    },
  },
  {
    name: 'a block with a wrong Merkle root',
    score: 100,
    run: ({ node, evil }) => evil.send(blockMessage(node, withHeader(node.make(), { merkleRoot: new Uint8Array(32).fill(1) }))),
  },
  {
    name: 'a block with too large a coinbase',
    score: 100,
    run: ({ node, evil }) => evil.send(blockMessage(node, greedyBlock(node))),
  },
  {
    name: 'the same invalid block twice from an inbound peer',
    score: 100,
    async run({ node, evil, score }) {
      const block = greedyBlock(node);
      evil.send(blockMessage(node, block));
      await score();
      evil.send(headersMessage(block));
    },
  },
  {
    name: 'a header on an invalid block',
    score: 200,
    async run({ node, evil, score }) {
      const block = greedyBlock(node);
      evil.send(blockMessage(node, block));
      await score();
      const entry = node.chain.entry(block.hash);
      assert.ok(entry?.failed);
      evil.send(headersMessage(blockOn(node.chain, entry)));
    },
  },
  {
    name: 'a block without a known parent',
    score: 10,
    async run({ node, evil }, t) {
      const [, second] = await ahead(t, node, 2);
      assert.ok(second);
      evil.send(blockMessage(node, second));
    },
  },
  {
    name: 'a compact block with a prefilled index beyond its end',
    score: 100,
    run({ node, evil }) {
      evil.send({ command: 'sendcmpct', payload: { announce: false, version: 2n } });
      const block = node.make();
      const prefilled = [{ index: 1, tx: coinbaseOf(block) }];
      evil.send({ command: 'cmpctblock', payload: { header: block.header, nonce: 1n, shortIds: [], prefilled } });
    },
  },
  {
    name: 'a compact block with an invalid header',
    score: 100,
    run({ node, evil }) {
      const block = withHeader(node.make(), { bits: 0x1d00ffff });
      evil.send({ command: 'cmpctblock', payload: compactBlockOf(block, 1n, 2, format) });
    },
  },
  {
    name: 'a compact block of an invalid block, which may be relayed before validation',
    score: 0,
    run({ node, evil }) {
      evil.send({ command: 'sendcmpct', payload: { announce: false, version: 2n } });
      evil.send({ command: 'cmpctblock', payload: compactBlockOf(greedyBlock(node), 1n, 2, format) });
    },
  },
  {
    name: 'blocktxn with too few transactions',
    score: 100,
    async run({ node, evil, score }) {
      evil.send({ command: 'sendcmpct', payload: { announce: false, version: 2n } });
      const block = node.make();
      evil.send({ command: 'cmpctblock', payload: { header: block.header, nonce: 1n, shortIds: [5n], prefilled: [] } });
      await score();
      assert.ok(evil.has('getblocktxn'));
      evil.send({ command: 'blocktxn', payload: { blockHash: block.hash, raw: Uint8Array.of(0) } });
    },
  },
  {
    name: 'unrequested blocktxn',
    score: 0,
    run: ({ node, evil }) => evil.send({ command: 'blocktxn', payload: { blockHash: node.chain.tip.hash, raw: Uint8Array.of(0) } }),
  },
  {
    name: 'malformed unrequested blocktxn, which is not decoded',
    score: 0,
    run: ({ evil }) => evil.sendFrame('blocktxn', randomBytes(1_000)),
  },
  {
    name: 'a transaction with very many missing inputs, of which few are looked up',
    score: 0,
    run: async ({ node, evil }, t) => {
      const coin = t.mock.method(node.chain, 'coin');
      const prevouts = randomHashes(1_000).map((txid) => ({ txid, vout: 0 }));
      evil.send({ command: 'tx', payload: node.pay(prevouts, [100_000n]) });
      await until(() => node.sync.orphanTransactions === 1, 'an orphan');
      assert.ok(coin.mock.callCount() <= 102, `${coin.mock.callCount()} reads`);
    },
  },
  {
    name: 'getblocktxn with indexes out of bounds',
    score: 100,
    run: ({ node, evil }) => evil.send({ command: 'getblocktxn', payload: { blockHash: node.chain.tip.hash, indexes: [0, 7] } }),
  },
  {
    name: 'an invalid transaction',
    score: 100,
    run: ({ node, evil }) => evil.send({ command: 'tx', payload: negative(node) }),
  },
  {
    name: 'a non-standard transaction',
    score: 0,
    run({ node, evil }) {
      const [block] = node.mine();
      assert.ok(block);
      const odd = makeTransaction({ ...node.pay([output(coinbaseOf(block))], [1n]), version: 77 }, format);
      evil.send({ command: 'tx', payload: odd });
    },
  },
  {
    name: 'a transaction with unknown inputs',
    score: 0,
    run({ node, evil }) {
      evil.send({ command: 'tx', payload: node.pay([{ txid: new Uint8Array(32).fill(7), vout: 0 }], [1000n]) });
    },
  },
  {
    name: 'a bloom filter without the service',
    score: 100,
    run: ({ evil }) => evil.send({ command: 'filterload', payload: { data: new Uint8Array(8), hashFunctions: 1, tweak: 0, flags: 0 } }),
  },
  {
    name: 'a bloom filter with too many functions',
    score: 100,
    options: { sync: { bloomFilters: true } },
    run: ({ evil }) => evil.send({ command: 'filterload', payload: { data: new Uint8Array(8), hashFunctions: 51, tweak: 0, flags: 0 } }),
  },
  {
    name: 'filteradd without a filter, which matches everything anyway',
    score: 0,
    options: { sync: { bloomFilters: true } },
    run: ({ evil }) => evil.send({ command: 'filteradd', payload: { data: new Uint8Array(8) } }),
  },
  {
    name: 'requests for unknown objects',
    score: 0,
    async run({ evil, score }) {
      const hash = new Uint8Array(32).fill(3);
      evil.send({ command: 'getdata', payload: [1, 2, 3, 4, 5, 6, 7, 0x40000001, 0x40000002, 99].map((type) => ({ type, hash })) });
      await score();
      assert.deepEqual(
        evil.last('notfound')?.map(({ type }) => type),
        [0x40000001],
      );
      evil.send({ command: 'getheaders', payload: { version: 0, locator: [], stop: hash } });
      evil.send({ command: 'getblocktxn', payload: { blockHash: hash, indexes: [1] } });
      evil.send({ command: 'getauths', payload: { lowBlock: hash, highBlock: hash } });
      evil.send({ command: 'notfound', payload: [{ type: 1, hash }] });
    },
  },
  {
    name: 'unrequested anchor messages',
    score: 0,
    run({ evil }) {
      const hash = new Uint8Array(32);
      const signature = new Uint8Array(65);
      evil.send({ command: 'anchorauth', payload: { previousAnchor: hash, height: 1, blockHash: hash, nextTeam: [], signature } });
    },
  },
];

for (const { name, score: expected, options = {}, run } of cases) {
  test(`score of ${name}: ${expected}`, async (t) => {
    const at = await scene(t, options);
    await run(at, t);
    assert.equal(await at.score(), expected);
    const { height } = at.node;
    at.node.mine();
    assert.equal(at.node.height, height + 1);
  });
}

test('a mempool request without permission ends the connection', async (t) => {
  const { evil, node } = await scene(t);
  evil.send({ command: 'mempool', payload: {} });
  await evil.waitClosed();
  assert.deepEqual(node.errors, []);
});

test('headers without blocks count for readiness once two peers have them', async (t) => {
  const { node, evil } = await scene(t);
  const blocks = await ahead(t, node, 3);
  const announced = headersMessage(...blocks);
  evil.send(announced);
  await evil.sync();
  assert.deepEqual([node.chain.bestHeader.height, node.sync.sharedHeight], [8, 5]);
  const second = await RawPeer.ready(node.port, testVersion);
  t.after(() => second.close());
  second.send(headersMessage(...blocks.slice(0, 2)));
  await second.sync();
  assert.equal(node.sync.sharedHeight, 7);
  assert.deepEqual(node.errors, []);
});

test('an endless chain of headers is cut off and costs its sender points', async (t) => {
  const { node, evil, score } = await scene(t);
  const blocks = await ahead(t, node, 6_000);
  for (let at = 0; at < blocks.length; at += 1_500) evil.send(headersMessage(...blocks.slice(at, at + 1_500)));
  await until(() => node.peers.ready()[0]?.misbehaviour === 20, 'headers refused', 60_000);
  // Two days of blocks, and one that may have been minted since the tip.
  assert.equal(node.chain.bestHeader.height, 5 + 5_760 + 1);
  assert.equal(await score(), 20);
  evil.close();
  await until(() => node.chain.bestHeader.height === 5, 'the headers are dropped with their peer');
});

test('a compact block with very many prefilled inputs is not decoded', async (t) => {
  const { node, evil } = await scene(t);
  const { header } = node.make();
  const prevouts = randomHashes(2_000).map((txid) => ({ txid, vout: 0 }));
  const compact = { header, nonce: 1n, shortIds: [], prefilled: [{ index: 0, tx: node.pay(prevouts, [1n]) }] };
  evil.send({ command: 'cmpctblock', payload: compact });
  await evil.sync();
  assert.equal(node.chain.entry(blockHash(header)), undefined);
});

test('a hundred points end the connection', async (t) => {
  const { evil, node } = await scene(t, { peers: { banScore: 100 } });
  evil.send(blockMessage(node, greedyBlock(node)));
  await evil.waitClosed();
  await until(() => node.peers.count === 0, 'peer gone');
});

const commands = Object.keys(wireCodecs(format)) as Command[];

test('random payloads of every message affect only the sender', async (t) => {
  const { node, evil } = await scene(t);
  for (const command of commands.filter((name) => name !== 'version' && name !== 'verack')) {
    for (const size of [0, 1, 9, 33, 37, 90, 200, 400]) {
      const other = await RawPeer.ready(node.port);
      other.sendFrame(command, randomBytes(size));
      // The peer may have been disconnected for this already.
      await other.sync().catch(() => {});
      other.close();
    }
  }
  await evil.sync();
  assert.deepEqual(node.errors, []);
  assert.equal(node.height, 5);
});
