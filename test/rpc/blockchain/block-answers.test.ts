import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { fc } from '../../property.js';
import { mintedChain, mintedNode } from './minted-chain.js';
import { answer, type TestNode } from './node.js';

const HEIGHT = mintedChain.blocks.length;

/** Moves the tip down by an invalidation, or up by its withdrawal. */
function moveTip({ chain }: TestNode, all: readonly BlockIndexEntry[], height: number): void {
  const above = all[height + 1];
  for (const entry of all) chain.reconsider(entry);
  if (above) chain.invalidate(above);
  assert.equal(chain.tip.height, height);
}

/** Answers about blocks, without the size on disk, which invalid blocks are part of. */
async function answers(node: TestNode, hashes: readonly string[]): Promise<string[]> {
  const texts = [(await answer(node, 'getblockchaininfo', '[]')).replace(/"size_on_disk":\d+,/, '')];
  for (const hash of hashes) {
    for (const verbosity of [0, 1, 2, 2]) texts.push(await answer(node, 'getblock', `["${hash}",${verbosity}]`));
    texts.push(await answer(node, 'getblockheader', `["${hash}"]`), await answer(node, 'getblockstats', `["${hash}"]`));
  }
  return texts;
}

test('answers about blocks are those of a node that never answered before, across disconnects and reconnects', async () => {
  const node = mintedNode();
  const all = Array.from({ length: HEIGHT + 1 }, (_, height) => node.chain.entryAt(height) as BlockIndexEntry);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 3, max: HEIGHT }), fc.nat(HEIGHT), fc.nat(HEIGHT), async (height, a, b) => {
      moveTip(node, all, height);
      const hashes = [a, b].map((each) => formatHash((all[Math.max(1, Math.min(each, height))] as BlockIndexEntry).hash));
      assert.deepEqual(await answers(node, hashes), await answers(mintedNode(height), hashes));
    }),
    { numRuns: 20 },
  );
});
