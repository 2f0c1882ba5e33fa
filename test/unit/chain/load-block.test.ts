import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { BlockPosition } from '../../../src/chain/block-store.js';
import { strippedBlock } from '../../../src/primitives/block.js';
import { StoreDamaged } from '../../../src/storage/errors.js';
import { finish, type Steps } from '../../../src/util/slicer.js';
import { bytesOf } from '../../chains/block-builder.js';
import { minePayments, NetNode } from '../p2p/net-node.js';

/** A chain that was opened again above a block of 200 payments, which it has not read yet. */
async function openedChain(t: TestContext) {
  const first = await NetNode.start(t);
  const block = minePayments(first, 200);
  first.mine(1);
  await first.stop();
  const node = await NetNode.start(t, { disk: first.disk, clock: first.clock });
  return { node, chain: node.chain, block, entry: node.chain.entry(block.hash) ?? assert.fail() };
}

/** Runs steps. @returns result and number of interruptions */
function run<T>(steps: Steps<T>): [T, number] {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return [value, count];
  }
}

test('a large block is decoded in steps once, and is the same as if it was decoded at once', async (t) => {
  const { chain, block, entry } = await openedChain(t);
  const [loaded = assert.fail(), steps] = run(chain.loadBlock(entry));
  assert.ok(steps >= 3, `${steps} steps`);
  assert.deepEqual(
    loaded.transactions.map(({ txid, wtxid }) => [txid, wtxid]),
    block.transactions.map(({ txid, wtxid }) => [txid, wtxid]),
  );
  assert.equal(chain.block(entry), loaded);
  assert.deepEqual(run(chain.loadBlock(entry)), [loaded, 0]);
  const [stripped, stripSteps] = run(strippedBlock(loaded, chain.params.txFormat));
  assert.ok(stripSteps >= 3, `${stripSteps} steps`);
  assert.deepEqual(stripped, bytesOf(chain, block));
});

test('the bytes of a large block are verified in steps once', async (t) => {
  const { chain, block, entry } = await openedChain(t);
  const [raw, steps] = run(chain.loadRaw(entry));
  assert.ok(steps >= 1, `${steps} steps`);
  assert.deepEqual(raw, bytesOf(chain, block));
  assert.equal(run(chain.loadRaw(entry))[1], 0);
});

test('a block whose header alone is known has neither', async (t) => {
  const { chain, entry } = await openedChain(t);
  Object.assign(entry, { position: undefined });
  assert.deepEqual([finish(chain.loadBlock(entry)), finish(chain.loadRaw(entry))], [undefined, undefined]);
});

const damages: readonly (readonly [string, (bytes: Uint8Array) => Uint8Array])[] = [
  ['in its header', (bytes) => bytes.with(0, (bytes[0] as number) ^ 1)],
  ['in a transaction', (bytes) => bytes.with(bytes.length - 10, (bytes[bytes.length - 10] as number) ^ 1)],
  ['in its length', (bytes) => bytes.subarray(0, -1)],
  ['by bytes at its end', (bytes) => Uint8Array.of(...bytes, 0)],
];
for (const [where, damage] of damages)
  test(`a block that is damaged ${where} is reported, also in steps`, async (t) => {
    const { node, chain, entry } = await openedChain(t);
    const read = node.disk.blocks.read.bind(node.disk.blocks);
    t.mock.method(node.disk.blocks, 'read', (at: BlockPosition) => {
      const bytes = Uint8Array.from(read(at));
      return isOf(entry, at) ? damage(bytes) : bytes;
    });
    for (const load of [chain.loadBlock(entry), chain.loadRaw(entry)]) assert.throws(() => finish<unknown>(load), StoreDamaged);
    assert.match(chain.damage ?? '', /at height 102 is damaged/);
  });

function isOf({ position }: BlockIndexEntry, at: BlockPosition): boolean {
  return position?.file === at.file && position.offset === at.offset;
}
