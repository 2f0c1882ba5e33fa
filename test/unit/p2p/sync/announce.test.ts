import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockAnnouncer } from '../../../../src/p2p/sync/announce.js';
import { PoolNode } from '../../mempool/fixture.js';
import { FakePeer } from '../fake-peer.js';

/** Messages to a peer that knows `known` of `length` blocks, when those above `from` are announced. */
function messagesTo(options: {
  readonly known?: number;
  readonly length: number;
  readonly from: number;
  readonly wants?: 'headers' | 'compact' | 'both';
}): string {
  const node = new PoolNode({ coins: 0 });
  const { chain } = node;
  while (chain.tip.height < 100 + options.length) node.mine();
  const at = (height: number) => chain.entryAt(100 + height) ?? assert.fail('no such block');
  const peer = new FakePeer();
  const compact: number[] = [];
  const announcer = new BlockAnnouncer({ chain, sendCompact: (_, entry) => void compact.push(entry.height - 100) });
  if (options.known !== undefined) peer.sync.hasBlock(at(options.known).hash, chain);
  peer.sync.wantsHeaders = options.wants === 'headers' || options.wants === 'both';
  peer.sync.wantsCompact = options.wants === 'compact' || options.wants === 'both';
  announcer.add(peer.sync, announcer.newBlocks(chain.tip, at(options.from)));
  announcer.flush(peer.sync);
  assert.equal(peer.sync.toAnnounce.length, 0);
  const heightOf = (hash: Uint8Array) => (chain.entry(hash)?.height ?? 0) - 100;
  const messages = peer.sent.map((message) => {
    if (message.command === 'inv') return `inv ${message.payload.map(({ hash }) => heightOf(hash))}`;
    if (message.command === 'headers') return `headers ${message.payload.map(({ prevHash }) => heightOf(prevHash) + 1)}`;
    return message.command;
  });
  return [...messages, ...compact.map((height) => `compact ${height}`)].join(', ');
}

/** Heights of the blocks that a peer is sent before they are connected, and its messages afterwards. */
function highBandwidth({
  known = 2,
  wantsCompact = true,
  version = 2,
  buriedSegwit = 0,
}: {
  readonly known?: number;
  readonly wantsCompact?: boolean;
  readonly version?: 1 | 2;
  readonly buriedSegwit?: number;
} = {}): { readonly sent: number[]; readonly later: string[] } {
  const node = new PoolNode({ coins: 0 });
  const { chain } = node;
  while (chain.tip.height < 103) node.mine();
  const at = (height: number) => chain.entryAt(100 + height) ?? assert.fail('no such block');
  const params = { ...chain.params, buried: { ...chain.params.buried, segwit: buriedSegwit } };
  const sent: number[] = [];
  const announcer = new BlockAnnouncer({
    chain: {
      params,
      forkPoint: (entry) => chain.forkPoint(entry),
      header: (entry) => chain.header(entry),
      isActive: (entry) => chain.isActive(entry),
      entry: (hash) => chain.entry(hash),
    },
    sendCompact: (_, entry) => void sent.push(entry.height - 100),
  });
  const peer = new FakePeer();
  peer.sync.hasBlock(at(known).hash, chain);
  peer.sync.wantsCompact = wantsCompact;
  peer.sync.compactVersion = version;
  announcer.announceHighBandwidth(peer.sync, at(3));
  const before = [...sent];
  announcer.add(peer.sync, [at(3)]);
  announcer.flush(peer.sync);
  return { sent: before, later: [...sent.slice(before.length).map(String), ...peer.sent.map(({ command }) => command)] };
}

for (const { name, expected, ...options } of [
  { name: 'to a peer in high-bandwidth mode, only once', expected: { sent: [3], later: [] } },
  { name: 'not to a peer that lacks the parent', known: 1, expected: { sent: [], later: ['inv'] } },
  { name: 'not to a peer that has the block', known: 3, expected: { sent: [], later: [] } },
  { name: 'not to a peer in low-bandwidth mode', wantsCompact: false, expected: { sent: [], later: ['inv'] } },
  { name: 'not in version 1, which has no witness data', version: 1, expected: { sent: [], later: ['3'] } },
  { name: 'in version 1 before segwit', version: 1, buriedSegwit: 104, expected: { sent: [3], later: [] } },
] as const) {
  test(`sent before it is connected: ${name}`, () => assert.deepEqual(highBandwidth(options), expected));
}

for (const { name, expected, ...options } of [
  { name: 'inventory of the tip by default', length: 3, from: 0, known: 0, expected: 'inv 3' },
  {
    name: 'headers if the peer wants them and knows the parent',
    length: 3,
    from: 0,
    known: 0,
    wants: 'headers',
    expected: 'headers 1,2,3',
  },
  { name: 'only the headers that are new to the peer', length: 3, from: 0, known: 2, wants: 'headers', expected: 'headers 3' },
  { name: 'nothing that the peer announced itself', length: 3, from: 0, known: 3, wants: 'headers', expected: '' },
  { name: 'nothing known to the peer by inventory either', length: 3, from: 0, known: 3, expected: '' },
  { name: 'inventory if the peer could not connect the headers', length: 3, from: 1, known: 0, wants: 'headers', expected: 'inv 3' },
  { name: 'eight headers', length: 8, from: 0, known: 0, wants: 'headers', expected: 'headers 1,2,3,4,5,6,7,8' },
  { name: 'inventory for nine', length: 9, from: 0, known: 0, wants: 'headers', expected: 'inv 9' },
  { name: 'one compact block', length: 1, from: 0, known: 0, wants: 'compact', expected: 'compact 1' },
  { name: 'inventory for two, without headers', length: 2, from: 0, known: 0, wants: 'compact', expected: 'inv 2' },
  { name: 'compact block in preference to headers', length: 1, from: 0, known: 0, wants: 'both', expected: 'compact 1' },
  { name: 'headers for two', length: 2, from: 0, known: 0, wants: 'both', expected: 'headers 1,2' },
] as const) {
  test(`announced: ${name}`, () => assert.equal(messagesTo(options), expected));
}
