import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockAnnouncer } from '../../../src/p2p/announce.js';
import { PoolNode } from '../mempool/fixture.js';
import { FakePeer } from './fake-peer.js';

/** A chain of `length` blocks, a peer that knows those up to `known`, and what it is told of those above. */
function told(options: {
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

for (const { name, expected, ...options } of [
  { name: 'inventory of the tip by default', length: 3, from: 0, known: 0, expected: 'inv 3' },
  {
    name: 'headers to who wants them and knows what they stand on',
    length: 3,
    from: 0,
    known: 0,
    wants: 'headers',
    expected: 'headers 1,2,3',
  },
  { name: 'only the headers that are new to the peer', length: 3, from: 0, known: 2, wants: 'headers', expected: 'headers 3' },
  { name: 'nothing that the peer told us itself', length: 3, from: 0, known: 3, wants: 'headers', expected: '' },
  { name: 'nothing by inventory either', length: 3, from: 0, known: 3, expected: '' },
  { name: 'inventory to who could not connect headers', length: 3, from: 1, known: 0, wants: 'headers', expected: 'inv 3' },
  { name: 'eight headers', length: 8, from: 0, known: 0, wants: 'headers', expected: 'headers 1,2,3,4,5,6,7,8' },
  { name: 'inventory for nine', length: 9, from: 0, known: 0, wants: 'headers', expected: 'inv 9' },
  { name: 'one compact block', length: 1, from: 0, known: 0, wants: 'compact', expected: 'compact 1' },
  { name: 'inventory for two, without headers', length: 2, from: 0, known: 0, wants: 'compact', expected: 'inv 2' },
  { name: 'compact comes before headers', length: 1, from: 0, known: 0, wants: 'both', expected: 'compact 1' },
  { name: 'headers for two', length: 2, from: 0, known: 0, wants: 'both', expected: 'headers 1,2' },
] as const) {
  test(`announced: ${name}`, () => assert.equal(told(options), expected));
}
