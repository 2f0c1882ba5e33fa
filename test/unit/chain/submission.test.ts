import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

test('a block of our own is refused at the height at which the node stops, a received one waits for the next start', () => {
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger };
  const chain = new Chain({ params, stopAtHeight: 2 }, deps);
  extend(chain, 1);
  assert.deepEqual(chain.submitMinted(blockOn(chain, chain.tip)), { status: 'accepted' });
  const stored = deps.blocks.files()[0]?.bytes;
  assert.deepEqual([chain.tip.height, chain.isStopped], [2, true]);
  const next = blockOn(chain, chain.tip);
  assert.deepEqual(chain.submitMinted(next), { status: 'rejected', reason: 'shutting down' });
  // Nothing of it is kept that a later start would connect.
  assert.deepEqual([chain.entry(next.hash), deps.blocks.files()[0]?.bytes], [undefined, stored]);
  assert.equal(chain.submitBlock(bytesOf(chain, next)).status, 'inconclusive');
  assert.deepEqual([chain.tip.height, toHex(chain.entry(next.hash)?.hash ?? new Uint8Array())], [2, toHex(next.hash)]);
});

test('a reorganisation beyond the height at which the node stops is completed first', () => {
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger };
  const before = new Chain({ params }, deps);
  const branch = extend(before, 3, 1);
  before.invalidate(before.entryAt(1) ?? assert.fail());
  extend(before, 2);
  before.close();
  const chain = new Chain({ params, stopAtHeight: 1 }, deps);
  assert.equal(chain.tip.height, 2);
  chain.reconsider(chain.entry(branch[0]?.hash ?? new Uint8Array()) ?? assert.fail());
  assert.deepEqual([toHex(chain.tip.hash), chain.isStopped], [toHex(branch[2]?.hash ?? new Uint8Array()), true]);
  assert.equal(chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip))).status, 'inconclusive');
  assert.equal(chain.tip.height, 3);
});

test('a branch that fails when it has the work of the tip does not become the tip at which the node stops', () => {
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger };
  const other = new Chain({ params }, { ...deps, store: new MemoryStore(), blocks: new MemoryBlocks() });
  const before = new Chain({ params }, deps);
  const tip = extend(before, 1)[0]?.hash ?? assert.fail();
  before.close();
  const chain = new Chain({ params, stopAtHeight: 1 }, deps);
  const branch = extend(other, 1, 1)[0] ?? assert.fail();
  const invalid = blockOn(other, other.tip, { coinbase: { vout: [{ value: 2n ** 50n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] } });
  assert.equal(chain.submitBlock(bytesOf(chain, branch)).status, 'inconclusive');
  assert.equal(chain.submitBlock(bytesOf(chain, invalid)).status, 'rejected');
  assert.deepEqual([toHex(chain.tip.hash), chain.isStopped], [toHex(tip), true]);
});
