import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { MemoryBlocks } from '../../../../src/chain/block-store.js';
import { Chain } from '../../../../src/chain/chain.js';
import { BlockDownloads } from '../../../../src/p2p/sync/download.js';
import { findFork, lastCommonAncestor, locatorOf } from '../../../../src/p2p/sync/locator.js';
import type { Block } from '../../../../src/primitives/block.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { FixedClock } from '../../../../src/util/clock.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { bytesOf, extend } from '../../../chains/block-builder.js';
import { FakePeer } from '../fake-peer.js';
import { dummyParams } from '../net-node.js';

function emptyChain(): Chain {
  const clock = new FixedClock(dummyParams.genesis.header.time + 100);
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger };
  return new Chain({ params: dummyParams }, deps);
}

const LENGTH = 1200;
let source: Chain;
let blocks: Block[];
before(() => {
  source = emptyChain();
  blocks = extend(source, LENGTH);
});

/** A chain with all headers and some blocks. */
function withHeaders(stored: number): Chain {
  const chain = emptyChain();
  for (const block of blocks.slice(0, stored)) chain.submitBlock(bytesOf(chain, block));
  for (const { header } of blocks.slice(stored)) chain.acceptHeader(header);
  return chain;
}

function peerAt(chain: Chain, id: number, height = LENGTH): FakePeer {
  const peer = new FakePeer({ id });
  peer.sync.hasBlock(blockAt(height).hash, chain);
  return peer;
}

const blockAt = (height: number): Block => blocks[height - 1] as Block;

describe('block downloads', () => {
  test('the next blocks are requested from one peer, later ones from others', () => {
    const chain = withHeaders(10);
    const downloads = new BlockDownloads(chain);
    const [a, b] = [peerAt(chain, 1), peerAt(chain, 2)];
    const first = downloads.next(a.sync, 16).entries;
    assert.deepEqual([first.length, first[0]?.height, first[15]?.height], [16, 11, 26]);
    for (const { hash } of first) downloads.add(a.sync, hash, 0);
    const second = downloads.next(b.sync, 16).entries;
    assert.deepEqual([second[0]?.height, second[15]?.height], [27, 42]);
    // Blocks requested from a disconnected peer can be requested again.
    downloads.forget(a.sync);
    assert.equal(downloads.next(b.sync, 16).entries[0]?.height, 11);
  });

  test('the window ends 1024 blocks above the last common one, and the staller is returned', () => {
    const chain = withHeaders(10);
    const downloads = new BlockDownloads(chain);
    const [slow, fast] = [peerAt(chain, 1), peerAt(chain, 2)];
    downloads.add(slow.sync, blockAt(11).hash, 0);
    const rest = downloads.next(fast.sync, 5000);
    assert.deepEqual([rest.entries[0]?.height, rest.entries.at(-1)?.height], [12, 1034]);
    assert.equal(rest.staller, undefined);
    for (const { hash } of rest.entries) downloads.add(fast.sync, hash, 0);
    assert.deepEqual(downloads.next(fast.sync, 16), { entries: [], staller: slow.sync });
    assert.equal(downloads.next(slow.sync, 16).staller, undefined, 'a peer does not stall itself');
  });

  test('nothing is requested from a peer with less work or without witness data', () => {
    const chain = withHeaders(10);
    const downloads = new BlockDownloads(chain);
    assert.deepEqual(downloads.next(peerAt(chain, 1, 9).sync, 16).entries, []);
    const old = new FakePeer({ services: 1n });
    old.sync.hasBlock(chain.bestHeader.hash, chain);
    assert.deepEqual(downloads.next(old.sync, 16).entries, []);
  });

  test('a block requested from a second peer is no longer expected from the first', () => {
    const chain = withHeaders(10);
    const downloads = new BlockDownloads(chain);
    const [a, b] = [peerAt(chain, 1), peerAt(chain, 2)];
    downloads.add(a.sync, blockAt(11).hash, 0);
    downloads.add(b.sync, blockAt(11).hash, 0);
    assert.deepEqual([a.sync.requested.size, b.sync.requested.size, downloads.size], [0, 1, 1]);
    assert.equal(downloads.delete(blockAt(11).hash, 0)?.peer, b.sync);
    assert.equal(downloads.delete(blockAt(11).hash, 0), undefined);
  });

  test('timeouts: two seconds for a staller; the target spacing for a block, half as much again for each other source', () => {
    const chain = withHeaders(10);
    const downloads = new BlockDownloads(chain);
    const { sync } = peerAt(chain, 1);
    downloads.add(sync, blockAt(11).hash, 1000);
    downloads.add(sync, blockAt(12).hash, 200_000);
    assert.equal(downloads.timeout(sync, 601_000, 1), undefined);
    assert.match(downloads.timeout(sync, 601_001, 1) ?? '', /timeout downloading/);
    assert.equal(downloads.timeout(sync, 1_201_000, 3), undefined);
    assert.match(downloads.timeout(sync, 1_201_001, 3) ?? '', /timeout downloading/);
    // The timeout of the second block begins when the first has arrived.
    downloads.delete(blockAt(11).hash, 600_000);
    assert.equal(downloads.timeout(sync, 1_200_000, 1), undefined);
    assert.match(downloads.timeout(sync, 1_200_001, 1) ?? '', /timeout downloading/);
    sync.stallingSinceMs = 5000;
    assert.equal(downloads.timeout(sync, 7000, 1), undefined);
    assert.match(downloads.timeout(sync, 7001, 1) ?? '', /stalling/);
    downloads.delete(blockAt(12).hash, 7001);
    assert.equal(sync.stallingSinceMs, 0);
  });

  test('the timeout is at least five minutes', () => {
    const chain = withHeaders(10);
    const live = { ...chain.params, pos: { ...chain.params.pos, targetSpacing: 30 } };
    const downloads = new BlockDownloads({
      params: live,
      tip: chain.tip,
      entryAt: () => undefined,
      isActive: () => false,
      headerWindow: chain.headerWindow,
    });
    const { sync } = peerAt(chain, 1);
    downloads.add(sync, blockAt(11).hash, 1000);
    assert.equal(downloads.timeout(sync, 301_000, 1), undefined);
    assert.match(downloads.timeout(sync, 301_001, 1) ?? '', /timeout downloading/);
  });
});

describe('locators', () => {
  test('ten hashes one by one, then at distances that double', () => {
    const heights = locatorOf(source.tip).map((hash) => source.entry(hash)?.height);
    assert.deepEqual(
      heights,
      [1200, 1199, 1198, 1197, 1196, 1195, 1194, 1193, 1192, 1191, 1190, 1189, 1187, 1183, 1175, 1159, 1127, 1063, 935, 679, 167, 0],
    );
  });

  test('the fork is the first hash on the active chain, the tip for a peer ahead of it, otherwise genesis', () => {
    const chain = withHeaders(100);
    assert.equal(findFork(chain, locatorOf(source.tip)).height, 100);
    assert.equal(findFork(source, locatorOf(chain.tip)).height, 100);
    assert.equal(findFork(chain, [new Uint8Array(32)]).height, 0);
    assert.equal(findFork(chain, [new Uint8Array(32), blockAt(7).hash, blockAt(50).hash]).height, 7);
  });

  test('common ancestor', () => {
    const chain = withHeaders(100);
    const fork = extend(chain, 3, 5).at(-1) as Block;
    const side = chain.entry(fork.hash);
    const main = chain.entry(blockAt(900).hash);
    assert.ok(side && main);
    assert.equal(lastCommonAncestor(side, main).height, 100);
    assert.equal(lastCommonAncestor(main, main), main);
  });
});
