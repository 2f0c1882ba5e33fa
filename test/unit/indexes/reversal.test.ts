import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chain } from '../../../src/chain/chain.js';
import { Follower } from '../../../src/indexes/follower.js';
import { indexPositions } from '../../../src/indexes/position.js';
import { u32be, varString } from '../../../src/primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { Column, Store } from '../../../src/storage/view.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';
import { until } from '../../until.js';
import { emptyChain } from './full-blocks.js';

/** Hash of the block of each height, as the index saw it. */
const hashes: Column<number, string> = { name: 'test/hash', key: u32be, value: varString };
/** Height of each block that can be undone. */
const records: Column<Hash256, number> = { name: 'test/record', key: hash256, value: u32be };

/** Index of the active chain that keeps records of all blocks from `recordedFrom` on. */
function startIndex(chain: Chain, store: Store, recordedFrom = 0): Follower {
  const index = new Follower(
    {
      name: 'test',
      add(view, { entry }) {
        assert.equal(view.get(hashes, entry.height), undefined, 'a block was added on top of another one of its height');
        view.put(hashes, entry.height, formatHash(entry.hash));
        if (entry.height >= recordedFrom) view.put(records, entry.hash, entry.height);
      },
      reversal: {
        remove(view, block) {
          const height = view.get(records, block);
          if (height === undefined) return undefined;
          view.delete(hashes, height);
          view.delete(records, block);
          const below = view.get(hashes, height - 1);
          return below === undefined ? undefined : (Buffer.from(below, 'hex').reverse() as unknown as Hash256);
        },
        *clear(from) {
          const batch = new Overlay(from);
          for (const [height] of from.entries(hashes)) batch.delete(hashes, height);
          for (const [hash] of from.entries(records)) batch.delete(records, hash);
          from.writeRows(batch.rowChanges());
          yield;
        },
      },
    },
    { store, chain, log: silentLogger },
  );
  index.start();
  return index;
}

function assertEqualsChain(store: Store, chain: Chain): void {
  const expected = Array.from({ length: chain.tip.height + 1 }, (_, height) => formatHash(chain.entryAt(height)?.hash as Hash256));
  assert.deepEqual(
    [...store.entries(hashes)].map(([, hash]) => hash),
    expected,
  );
}

/** Replaces the last blocks by others. */
function replace(chain: Chain, count: number): void {
  const from = chain.entryAt(chain.tip.height - count + 1);
  assert.ok(from);
  chain.invalidate(from);
  extend(chain, count + 1);
}

test('blocks that leave the active chain are undone', async () => {
  const [chain, store] = [emptyChain(), new MemoryStore()];
  extend(chain, 20);
  const index = startIndex(chain, store);
  await until(() => index.synced, 'the index is in sync');
  replace(chain, 5);
  assert.equal(index.position, chain.tip);
  index.stop();
  assertEqualsChain(store, chain);
});

test('blocks that left the chain while the index was stopped are undone by the next start', async () => {
  const [chain, store] = [emptyChain(), new MemoryStore()];
  extend(chain, 20);
  const first = startIndex(chain, store);
  await until(() => first.synced, 'the index is in sync');
  first.stop();
  replace(chain, 8);
  const second = startIndex(chain, store);
  await until(() => second.synced, 'the index is in sync');
  second.stop();
  assertEqualsChain(store, chain);
});

test('blocks that the chain has lost are undone by the next start', async () => {
  const [longer, shorter, store] = [emptyChain(), emptyChain(), new MemoryStore()];
  extend(longer, 20);
  for (let height = 1; height <= 15; height++) {
    const entry = longer.entryAt(height);
    const bytes = entry && longer.rawBlock(entry);
    assert.ok(bytes);
    assert.equal(shorter.submitBlock(bytes).status, 'accepted');
  }
  const first = startIndex(longer, store);
  await until(() => first.synced, 'the index is in sync');
  first.stop();
  const second = startIndex(shorter, store);
  await until(() => second.synced, 'the index is in sync');
  second.stop();
  assertEqualsChain(store, shorter);
});

test('without a record of a block the index is built again from genesis', async () => {
  const [chain, store] = [emptyChain(), new MemoryStore()];
  extend(chain, 20);
  const index = startIndex(chain, store, 16);
  await until(() => index.synced, 'the index is in sync');
  replace(chain, 10);
  await until(() => index.synced && index.position === chain.tip, 'the index is in sync');
  index.stop();
  assertEqualsChain(store, chain);
});

test('rows without a position, of an interrupted deletion, are deleted before the first block is indexed', async () => {
  const [chain, store] = [emptyChain(), new MemoryStore()];
  extend(chain, 10);
  const left = new Overlay(store);
  left.put(hashes, 3, 'of another chain');
  store.writeRows(left.rowChanges());
  assert.equal(store.get(indexPositions, 'test'), undefined);
  const index = startIndex(chain, store);
  await until(() => index.synced, 'the index is in sync');
  index.stop();
  assertEqualsChain(store, chain);
});
