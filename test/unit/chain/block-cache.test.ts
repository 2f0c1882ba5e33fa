import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockCache } from '../../../src/chain/block-cache.js';
import type { Block } from '../../../src/primitives/block.js';
import type { Transaction } from '../../../src/primitives/transaction.js';

function blockOf(number: number, txBytes: number): Block {
  const tx = { raw: new Uint8Array(txBytes) } as Transaction;
  return { hash: new Uint8Array(32).fill(number), transactions: [tx] } as unknown as Block;
}

test('the cache of decoded blocks evicts the least recently used ones beyond its bytes, and counts lookups', () => {
  const cache = new BlockCache(40 * 8096);
  const blocks = Array.from({ length: 50 }, (_, i) => blockOf(i, 1000));
  for (const block of blocks.slice(0, 40)) cache.set(block);
  assert.equal(cache.bytes, 40 * 8096);
  assert.equal(cache.get(blocks[0]?.hash as Uint8Array), blocks[0]);
  cache.set(blocks[40] as Block);
  assert.equal(cache.get(blocks[1]?.hash as Uint8Array), undefined);
  assert.equal(cache.get(blocks[0]?.hash as Uint8Array), blocks[0]);
  assert.deepEqual([cache.hits, cache.misses, cache.bytes], [2, 1, 40 * 8096]);
});

test('the cache of decoded blocks keeps the block used last, and 16 that wait to be connected, whatever their size', () => {
  const cache = new BlockCache(1);
  const blocks = Array.from({ length: 20 }, (_, i) => blockOf(i, 10_000));
  const kept = () => blocks.filter((block) => cache.get(block.hash) === block);
  for (const block of blocks) {
    cache.set(block);
    cache.set(block);
  }
  assert.deepEqual(kept(), blocks.slice(19));
  for (const block of blocks) {
    cache.hold(block);
    cache.hold(block);
  }
  assert.deepEqual(kept(), blocks.slice(3));
  for (const block of blocks.slice(0, 19)) {
    cache.release(block.hash);
    cache.release(block.hash);
    cache.set(block);
  }
  assert.deepEqual(kept(), blocks.slice(18));
  for (const { hash } of blocks) cache.delete(hash);
  assert.equal(cache.bytes, 0);
});
