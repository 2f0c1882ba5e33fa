import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { assembleBlock } from '../../../src/minting/template.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { bytesOf, OP_TRUE_SCRIPT } from '../../chains/block-builder.js';

const NOW = 1_600_000_000;

function open(segwitHeight: number, disk = { store: new MemoryStore(), blocks: new MemoryBlocks() }): Chain {
  const params = networkParams({ network: 'regtest', dummyPos: true, segwitHeight });
  return new Chain({ params }, { ...disk, clock: new FixedClock(NOW), log: silentLogger });
}

/** Block like those of the assembler: with a witness commitment, unless segwit is disabled. */
function mint(chain: Chain): Block {
  const { block } = assembleBlock({ parent: chain.tip, time: chain.tip.medianTimePast() + 1, scriptPubKey: OP_TRUE_SCRIPT }, chain.params);
  assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
  return block;
}

/** Block without witnesses, as a node without segwit receives it. */
function stripped(chain: Chain, block: Block): Uint8Array {
  const transactions = block.transactions.map((tx) =>
    makeTransaction({ ...tx, vin: tx.vin.map((input) => ({ ...input, witness: [] })) }, chain.params.txFormat),
  );
  return bytesOf(chain, { ...block, transactions });
}

test('a node that enables segwit late downloads blocks that were stored without witnesses again', async () => {
  const aware = open(3);
  const disk = { store: new MemoryStore(), blocks: new MemoryBlocks() };
  const old = open(-1, disk);
  const minted: Block[] = [];
  for (let height = 1; height <= 5; height++) {
    const block = mint(aware);
    minted.push(block);
    assert.deepEqual(old.submitBlock(stripped(old, block)), { status: 'accepted' });
  }
  old.close();
  const upgraded = open(3, disk);
  assert.equal(upgraded.tip.height, 2, 'what came before segwit stays');
  assert.equal(await upgraded.recover(), 0, 'the stored blocks lack their witnesses');
  const [, , third, fourth, fifth] = minted;
  for (const block of [third, fourth, fifth]) {
    assert.ok(block);
    assert.equal(upgraded.entry(block.hash)?.failed, false);
    assert.deepEqual(upgraded.submitBlock(bytesOf(upgraded, block)), { status: 'accepted' });
  }
  upgraded.close();
  const again = open(3, disk);
  assert.equal(toHex(again.tip.hash), toHex(aware.tip.hash));
  assert.equal(again.tip.chainTx, aware.tip.chainTx);
});

test('blocks that were stored with their witnesses are re-validated from disk', async () => {
  const disk = { store: new MemoryStore(), blocks: new MemoryBlocks() };
  const old = open(-1, disk);
  for (let i = 0; i < 4; i++) mint(old);
  const { hash } = old.tip;
  old.close();
  const upgraded = open(2, disk);
  assert.equal(upgraded.tip.height, 1);
  await upgraded.recover();
  assert.equal(toHex(upgraded.tip.hash), toHex(hash));
  upgraded.close();
  assert.equal(open(2, disk).tip.height, 4, 'and once is enough');
});
