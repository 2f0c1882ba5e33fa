import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { ChainEvents } from '../../../src/chain/news.js';
import { tellBlocks } from '../../../src/start/notify.js';
import { Emitter } from '../../../src/util/events.js';

function block(n: number, chainWork: number): BlockIndexEntry {
  return { hash: Buffer.alloc(32, n), chainWork: BigInt(chainWork) } as unknown as BlockIndexEntry;
}

test('each new best block is told of once, those of a branch from where it overtakes', () => {
  const events = new Emitter<ChainEvents>();
  const told: (number | undefined)[] = [];
  let catchingUp = true;
  const chain = { tip: block(0, 0), on: events.on.bind(events), isInitialDownload: () => catchingUp };
  tellBlocks(chain as Parameters<typeof tellBlocks>[0], (hash) => told.push(hash[0]));
  const step = (...blocks: BlockIndexEntry[]) => {
    for (const entry of blocks) events.emit('connected', { entry } as ChainEvents['connected']);
    events.emit('tip', blocks.at(-1) as BlockIndexEntry);
  };
  step(block(1, 1));
  catchingUp = false;
  step(block(2, 2), block(3, 3));
  // Another branch from block 1.
  step(block(4, 2), block(5, 3), block(6, 4), block(7, 5));
  // The best block was invalidated.
  events.emit('tip', block(1, 1));
  assert.deepEqual(told, [2, 3, 6, 7, 1]);
});
