import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAssumedValid } from '../../../src/chain/assume-valid.js';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';

const base = networkParams({ network: 'regtest', dummyPos: true });
/** A day for each block, so that two weeks are 14 of them. */
const daily = { ...base, pos: { ...base.pos, targetSpacing: 86_400 } };
const clock = new FixedClock(base.genesis.header.time + 100);
const chain = new Chain({ params: base }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
extend(chain, 60);
const at = (height: number) => chain.entryAt(height) as BlockIndexEntry;
const unknown = new Uint8Array(32).fill(7);

/** Highest block that is assumed valid; 0 if none is. */
function highestAssumed(params: Partial<typeof base>): number {
  const source = { params: { ...daily, ...params }, bestHeader: chain.bestHeader, entry: chain.entry.bind(chain) };
  let height = 0;
  while (height < 60 && isAssumedValid(at(height), source)) height++;
  return height;
}

test('blocks up to the one that is named are assumed valid, but for those of the last two weeks', () => {
  assert.equal(highestAssumed({ assumeValid: undefined }), 0);
  assert.equal(highestAssumed({ assumeValid: at(30).hash }), 30);
  assert.equal(highestAssumed({ assumeValid: at(60).hash }), 46);
  assert.equal(highestAssumed({ assumeValid: at(30).hash, minimumChainWork: chain.tip.chainWork + 1n }), 0);
});

test('a checkpoint stands for the named block while that is not known', () => {
  const checkpoints = [20, 40].map((height) => ({ height, hash: at(height).hash }));
  const minimumChainWork = chain.tip.chainWork + 1n;
  assert.equal(highestAssumed({ assumeValid: unknown, checkpoints, minimumChainWork }), 40);
  assert.equal(highestAssumed({ assumeValid: unknown, checkpoints: [] }), 0);
  assert.equal(highestAssumed({ assumeValid: undefined, checkpoints }), 0);
  assert.equal(highestAssumed({ assumeValid: unknown, checkpoints: [{ height: 20, hash: unknown }] }), 0, 'another chain');
  assert.equal(highestAssumed({ assumeValid: at(30).hash, checkpoints }), 30, 'it is known');
});
