import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import type { InterruptionPoint } from '../../../src/chain/interruption.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const REJECTED = { status: 'rejected', reason: 'user-interrupt-request' };

let store: MemoryStore;
let blocks: MemoryBlocks;

function open(interruptAt?: InterruptionPoint): Chain {
  return new Chain({ params, interruptAt }, { store, blocks, clock: new FixedClock(1_600_000_000), log: silentLogger });
}

beforeEach(() => {
  store = new MemoryStore();
  blocks = new MemoryBlocks();
});

/** Blocks of another node. */
function blocksOf(count: number, tag = 0): Block[] {
  const other = new Chain(
    { params },
    { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger },
  );
  return extend(other, count, tag);
}

test('no block of the height is connected, until the height is moved', () => {
  const chain = open({ height: 3 });
  const [first, second, third, fourth] = blocksOf(4) as [Block, Block, Block, Block];
  for (const block of [first, second]) assert.equal(chain.submitBlock(bytesOf(chain, block)).status, 'accepted');
  assert.deepEqual(chain.submitBlock(bytesOf(chain, third)), REJECTED);
  assert.deepEqual(chain.submitBlock(bytesOf(chain, third)), { status: 'duplicate-invalid' });
  assert.deepEqual(chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip, { tag: 5 }))), REJECTED);
  const minted = blockOn(chain, chain.tip, { tag: 6 });
  assert.deepEqual(chain.submitMinted(minted), REJECTED);
  assert.equal(chain.entry(minted.hash), undefined, 'it leaves no trace');
  assert.equal(chain.testBlock(blockOn(chain, chain.tip, { tag: 7 }))?.reason, 'user-interrupt-request');
  assert.equal(chain.tip.height, 2);
  chain.interruption.height = 4;
  chain.reconsider(chain.tip);
  assert.equal(chain.tip.height, 3);
  assert.deepEqual(chain.submitBlock(bytesOf(chain, fourth)), REJECTED);
  chain.interruption.height = -1;
  chain.reconsider(chain.tip);
  assert.equal(chain.tip.height, 4);
});

test('a block of that hash is not connected, but another one of its height is', () => {
  const [first, second] = blocksOf(2) as [Block, Block];
  const chain = open({ hash: second.hash });
  assert.equal(chain.submitBlock(bytesOf(chain, first)).status, 'accepted');
  assert.deepEqual(chain.submitBlock(bytesOf(chain, second)), REJECTED);
  extend(chain, 2, 9);
  assert.equal(chain.tip.height, 3);
});

test('peers are not blamed for the block, nor for headers above it', () => {
  const chain = open({ height: 2 });
  const [first, second, third] = blocksOf(3) as [Block, Block, Block];
  const kinds: (string | undefined)[] = [];
  chain.on('checked', ({ error }) => kinds.push(error?.kind));
  for (const block of [first, second]) chain.processBlock(bytesOf(chain, block), { requested: true, from: 1 });
  assert.deepEqual(kinds, [undefined, 'interrupted']);
  const kindOf = (block: Block): string | undefined => {
    try {
      chain.acceptHeader(block.header, 1);
    } catch (error) {
      assert.ok(error instanceof BlockInvalid);
      return error.kind;
    }
    return undefined;
  };
  assert.deepEqual([kindOf(second), kindOf(third)], ['interrupted', 'interrupted']);
  chain.interruption.height = -1;
  chain.reconsider(chain.tip);
  chain.invalidate(chain.tip);
  assert.deepEqual([kindOf(second), kindOf(third)], ['cached', 'invalid-parent'], 'the operator invalidated it');
});

test('the block stays invalid after a restart, until it is reconsidered', () => {
  let chain = open({ height: 2 });
  for (const block of blocksOf(2)) chain.submitBlock(bytesOf(chain, block));
  chain.close();
  chain = open();
  assert.equal(chain.tip.height, 1);
  chain.reconsider(chain.tip);
  assert.equal(chain.tip.height, 2);
});
