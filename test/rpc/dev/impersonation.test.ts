import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { block as blockCodec } from '../../../src/primitives/block.js';
import { encode } from '../../../src/primitives/codec.js';
import { IMPERSONATION, ImpersonatedOwners } from '../../../src/script/impersonation.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { silentLogger } from '../../../src/util/logger.js';
import { placelessDigest } from '../../chains/state-digest.js';
import { type DevNode, startDevNode } from './dev-node.js';

/** Addresses of keys that no wallet has, one of each kind. */
const STRANGERS = [
  'mtbWisYQmw9wcaecvmExeuixG7rYGqKEU4',
  '2MxJf6Ak8MGrLoGdekrU6AusW29szZUFphH',
  'bcrt1qmfvw3dp3u6fdvqkdc0y3lr0e596le9cf22vtsv',
] as const;
const [STRANGER] = STRANGERS;

/** Chain of a node that receives the same blocks, on a network that does or does not allow impersonation. */
function replay({ chain, clock }: DevNode, allowsImpersonation: boolean): Chain {
  const parts = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger };
  const other = new Chain({ params: { ...chain.params, allowsImpersonation } }, parts);
  for (let height = 1; height <= chain.tip.height; height++) {
    const block = chain.block(chain.entryAt(height) as never);
    assert.ok(block);
    other.submitBlock(encode(blockCodec(chain.params.txFormat), block));
  }
  return other;
}

test('dev_impersonate: accounts of strangers pay, by transactions that are valid where it is allowed only', async () => {
  const node = await startDevNode(undefined, new ImpersonatedOwners());
  try {
    const { call, confirm, founder, chain, mempool } = node;
    for (const stranger of STRANGERS) {
      await call('dev_setBalance', [stranger, '10@DFI']);
      const pay = () => call('accounttoaccount', [stranger, { [founder]: '1@DFI' }]);
      assert.match(JSON.stringify(await pay()), /Incorrect authorization for/);
      assert.equal(JSON.stringify(await call('dev_impersonate', [stranger])), 'null');
      const spendable = Number((await call('getbalance')) as string);
      await confirm('accounttoaccount', [stranger, { [founder]: '1@DFI' }]);
      assert.deepEqual(await call('getaccount', [stranger]), ['9.00000000@DFI']);
      // The wallet paid fees, and kept its change.
      assert.ok(Number((await call('getbalance')) as string) > spendable - 1);
      await call('sendtokenstoaddress', [{ [stranger]: '2@DFI' }, { [founder]: '2@DFI' }]);
      assert.equal(mempool.pool.size, 2);
      const id = await call('dev_snapshot');
      const dump = await call('dev_dumpState');
      await call('dev_mine');
      assert.deepEqual(await call('getaccount', [stranger]), ['7.00000000@DFI']);
      await call('dev_revert', [id]);
      assert.equal(mempool.pool.size, 2);
      await call('dev_mine');
      await call('dev_loadState', [dump]);
      assert.equal(mempool.pool.size, 2);
      await call('dev_mine');
      assert.deepEqual(await call('getaccount', [stranger]), ['7.00000000@DFI']);
      await call('dev_impersonate', [stranger, false]);
      assert.match(JSON.stringify(await pay()), /Incorrect authorization for/);
    }
    const inputs = chain.block(chain.tip)?.transactions.flatMap(({ vin }) => vin.map(({ scriptSig }) => Buffer.from(scriptSig)));
    assert.ok(inputs?.some((script) => script.equals(IMPERSONATION)));
    const dev = replay(node, true);
    assert.equal(placelessDigest(dev), placelessDigest(chain));
    const plain = replay(node, false);
    assert.ok(plain.tip.height < chain.tip.height);
    const first = chain.block(chain.entryAt(plain.tip.height + 1) as never);
    assert.ok(first?.transactions.some(({ vin }) => vin.some(({ scriptSig }) => Buffer.from(scriptSig).equals(IMPERSONATION))));
  } finally {
    await node.end();
  }
});

test('dev_impersonate is refused where the rules do not allow it, and for what is no address', async () => {
  const node = await startDevNode();
  try {
    assert.match(JSON.stringify(await node.call('dev_impersonate', [STRANGER])), /with -dev only/);
    assert.match(JSON.stringify(await node.call('dev_impersonate', ['nobody'])), /does not refer to any valid address/);
  } finally {
    await node.end();
  }
});
