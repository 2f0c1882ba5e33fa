import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { type BlockPosition, MemoryBlocks } from '../../../src/chain/block-store.js';
import { BlockTree } from '../../../src/chain/block-tree.js';
import { Chain } from '../../../src/chain/chain.js';
import { invalidBlocks } from '../../../src/chain/records.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

function open(store: MemoryStore, blocks: MemoryBlocks, clock = new FixedClock(1_600_000_000), log: Logger = silentLogger): Chain {
  return new Chain({ params }, { store, blocks, clock, log });
}

/** The blocks of another store, of which only some can be read. */
class FailingBlocks extends MemoryBlocks {
  readable = Number.POSITIVE_INFINITY;

  constructor(source: MemoryBlocks) {
    super();
    for (const position of source.records()) this.append(source.read(position));
  }

  override read(position: BlockPosition): Uint8Array {
    if (this.readable-- <= 0) throw new Error('the cable was pulled');
    return super.read(position);
  }
}

/** A chain of which blocks 4 to 6 were invalidated; another block 4 is the tip. */
function invalidated() {
  const store = new MemoryStore();
  const blocks = new MemoryBlocks();
  const chain = open(store, blocks);
  const made = extend(chain, 6);
  chain.invalidate(chain.entry((made[3] as Block).hash) as BlockIndexEntry);
  const other = blockOn(chain, chain.tip, { tag: 9 });
  chain.submitBlock(bytesOf(chain, other));
  chain.close();
  return { store, blocks, made, other, hashes: [...invalidBlocks(store)] };
}

function verdictsOf(chain: Chain, made: readonly Block[]) {
  return made.slice(3).map(({ hash }) => {
    const { invalid, invalidAncestor, hasData } = chain.entry(hash) ?? {};
    return { invalid, invalidAncestor, hasData };
  });
}

test('a rebuild with the marks of the old database leaves invalid blocks and those above them where they were', async () => {
  const { blocks, made, other, hashes } = invalidated();
  assert.deepEqual(hashes, [made[3]?.hash]);
  const chain = open(new MemoryStore(), blocks);
  const connected: number[] = [];
  chain.on('connected', ({ entry }) => connected.push(entry.height));
  assert.equal(await chain.recover(undefined, hashes), 7);
  assert.deepEqual(connected, [1, 2, 3, 4], 'no invalid block is connected');
  assert.deepEqual(chain.tip.hash, other.hash);
  assert.equal(chain.bestHeader, chain.tip);
  const below = { invalid: false, invalidAncestor: true, hasData: true };
  assert.deepEqual(verdictsOf(chain, made), [{ invalid: true, invalidAncestor: false, hasData: true }, below, below]);
  chain.reconsider(chain.entry((made[3] as Block).hash) as BlockIndexEntry);
  assert.deepEqual(chain.tip.hash, made[5]?.hash);
});

test('the best header is searched once for a branch of invalid blocks, whatever its length', async (t) => {
  const { blocks, made, hashes } = invalidated();
  const chain = open(new MemoryStore(), blocks);
  const searches = t.mock.method(BlockTree.prototype, 'resetBestHeader');
  await chain.recover(undefined, hashes);
  assert.equal(chain.entry((made[5] as Block).hash)?.failed, true);
  assert.equal(searches.mock.callCount(), 1);
});

test('the marks survive an interrupted rebuild', async () => {
  const { blocks, made, other, hashes } = invalidated();
  const store = new MemoryStore();
  const failing = new FailingBlocks(blocks);
  const first = open(store, failing);
  failing.readable = 6;
  await assert.rejects(first.recover(undefined, hashes), /cable/);
  assert.equal(first.entry((made[4] as Block).hash)?.failed, true);
  const again = open(store, blocks);
  assert.equal(again.isRebuilding, true);
  await again.recover(undefined, hashes);
  assert.equal(again.isRebuilding, false);
  assert.deepEqual(again.tip.hash, other.hash);
  const restarted = open(store, blocks);
  assert.deepEqual(verdictsOf(restarted, made), verdictsOf(again, made));
  assert.equal(restarted.entry((made[5] as Block).hash)?.failed, true);
});

test('a rebuild without marks connects the chain with the most work', async () => {
  const { blocks, made } = invalidated();
  const chain = open(new MemoryStore(), blocks);
  await chain.recover();
  assert.deepEqual(chain.tip.hash, made[5]?.hash);
});

test('blocks that are left out, and the reason of the first, are logged once; the next start tries them again', async () => {
  const blocks = new MemoryBlocks();
  const source = open(new MemoryStore(), blocks);
  extend(source, 5);
  const firstRefused = blockOn(source, source.tip, { header: { time: source.tip.time + 600 } });
  source.submitBlock(bytesOf(source, firstRefused));
  extend(source, 3);
  const warned: unknown[][] = [];
  const log: Logger = { ...silentLogger, warn: (...line) => warned.push(line), child: () => log };
  const store = new MemoryStore();
  const twoHours = 7200;
  const late = open(store, blocks, new FixedClock(firstRefused.header.time - twoHours - 1), log);
  assert.equal(await late.recover(), 5);
  const reason = 'time-too-new, block timestamp too far in the future';
  const line = ['blocks were left out', { invalid: 1, first: formatHash(firstRefused.hash), reason, withoutParent: 3 }];
  assert.deepEqual(warned, [line]);
  late.close();
  const again = open(store, blocks, undefined, log);
  assert.equal(await again.recover(), 4);
  assert.equal(again.tip.height, 9);
  assert.equal(warned.length, 1);
});
