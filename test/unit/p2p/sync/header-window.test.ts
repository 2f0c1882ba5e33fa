import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LIMITS } from '../../../../src/p2p/wire/limits.js';
import { until } from '../../../until.js';
import { RawPeer, testVersion } from '../fixture.js';
import { dummyParams, NetNode, type NetNodeOptions } from '../net-node.js';

const AHEAD = 1_200;
const LENGTH = 4_500;

/** A node that is far behind its peers, and the greatest number of headers that it knew above its tip. */
async function newcomer(t: TestContext, sources: readonly NetNode[], options: NetNodeOptions = {}) {
  const node = await NetNode.start(t, { headersAhead: AHEAD, ...options });
  const [{ chain }] = sources as [NetNode];
  node.clock.set(chain.tip.time + 10 * 86_400);
  let most = 0;
  node.chain.on('tip', (tip) => {
    most = Math.max(most, node.chain.bestHeader.height - tip.height);
  });
  for (const source of sources) await node.connect(source);
  await until(() => node.height === LENGTH, 'all blocks', 60_000);
  assert.deepEqual(node.errors, []);
  return { node, most };
}

async function longChains(t: TestContext, count: number): Promise<NetNode[]> {
  const [first, ...others] = await Promise.all(Array.from({ length: count }, () => NetNode.start(t)));
  assert.ok(first);
  first.mine(LENGTH);
  for (const other of others) {
    for (let height = 1; height <= LENGTH; height++) {
      other.chain.submitBlock(first.chain.rawBlock(first.chain.entryAt(height) ?? assert.fail()) ?? assert.fail());
    }
  }
  return [first, ...others];
}

test('headers are downloaded as blocks follow, and blocks from all peers', async (t) => {
  const sources = await longChains(t, 2);
  const { most } = await newcomer(t, sources);
  assert.ok(most >= AHEAD / 2, `only ${most} headers ahead`);
  // Headers that were requested before the window was full still arrive, once from each peer.
  assert.ok(most <= AHEAD + sources.length * LIMITS.headers, `${most} headers ahead`);
  const sent = sources.map(({ peers }) => peers.ready()[0]?.traffic.sentByMessage().block ?? 0);
  assert.ok(
    sent.every((bytes) => bytes > 0),
    `${sent} bytes of blocks`,
  );
});

test('blocks are downloaded although the headers that are known have less than the required work', async (t) => {
  const sources = await longChains(t, 1);
  const { chain } = sources[0] as NetNode;
  await newcomer(t, sources, { params: { ...dummyParams, minimumChainWork: chain.tip.chainWork } });
});

test('headers that an inbound peer invents do not stop those of others', async (t) => {
  const source = await NetNode.start(t);
  source.mine(LIMITS.headers + 100);
  const { tip } = source.chain;
  // The headers of one message do not make a chain long.
  const headersAhead = 2 * LIMITS.headers + 300;
  const node = await NetNode.start(t, { headersAhead, params: { ...dummyParams, minimumChainWork: tip.chainWork } });
  node.clock.set(tip.time + 10 * 86_400);
  const inventor = await NetNode.start(t);
  const invented = inventor.mine(headersAhead, [], 7).map(({ header }) => header);
  const evil = await RawPeer.ready(node.port, { ...testVersion, services: 0n });
  t.after(() => evil.close());
  for (let at = 0; at < invented.length; at += LIMITS.headers) {
    evil.send({ command: 'headers', payload: invented.slice(at, at + LIMITS.headers) });
  }
  await until(() => node.chain.bestHeader.height === headersAhead, 'invented headers', 60_000);
  await node.connect(source);
  await until(() => node.height === tip.height, 'all blocks', 20_000);
  assert.deepEqual(node.errors, []);
});
