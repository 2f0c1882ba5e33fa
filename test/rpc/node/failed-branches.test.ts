import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { toHex } from '../../../src/util/bytes.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const AMOUNT = { vout: [{ value: 1_000_000_000_000n, scriptPubKey: Uint8Array.of(0x51), tokenId: 0 }] };
const REFUSED = '-20 bad-cb-amount (code 16)';

/** A chain of two blocks, and a branch of an invalid block, with the same work. */
async function fixture() {
  const { chain, ask } = startServices(params);
  const submit = (block: Block) => ask('submitblock', JSON.stringify([toHex(bytesOf(chain, block))]));
  const command = (method: string, { hash }: Block) => ask(method, JSON.stringify([formatHash(hash)]));
  const [first, tip] = extend(chain, 2) as [Block, Block];
  const wrong = blockOn(chain, chain.entryAt(1) as BlockIndexEntry, { tag: 1, coinbase: AMOUNT });
  assert.equal(await submit(wrong), '"inconclusive"');
  return { chain, submit, command, first, tip, wrong };
}

test('invalidateblock and reconsiderblock are answered with the rule that the last tried block breaks', async () => {
  const { chain, command, first, tip, wrong } = await fixture();
  assert.equal(await command('invalidateblock', tip), REFUSED);
  assert.deepEqual(chain.tip.hash, first.hash);
  assert.equal(await command('reconsiderblock', wrong), REFUSED);
  assert.equal(await command('reconsiderblock', tip), 'null');
  assert.deepEqual(chain.tip.hash, tip.hash);
});

test('submitblock of a block whose parent turns out to be invalid is inconclusive', async () => {
  const { chain, submit, wrong } = await fixture();
  const above = blockOn(chain, chain.entry(wrong.hash) as BlockIndexEntry);
  assert.equal(await submit(above), '"inconclusive"');
  assert.equal(await submit(above), '"duplicate-invalid"');
  assert.equal(chain.tip.height, 2);
});
