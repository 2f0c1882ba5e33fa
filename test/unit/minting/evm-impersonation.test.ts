import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { evmBlock, evmTip } from '../../../src/dfi/evm/blocks.js';
import { EvmState } from '../../../src/dfi/evm/view-state.js';
import { decodeEvmTransaction, encodeEvmTransaction, impersonationOf } from '../../../src/evm/codec/transaction.js';
import { DecodeError } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { bytesOf } from '../../chains/block-builder.js';
import { carrier, legacy } from '../mempool/evm-transactions.js';
import { addressOf, EvmNode, evmNodeParams, genesisChanges } from './evm-node.js';

const SENDER = addressOf(1);
const DEV = { allowsImpersonation: true };

/** Payment of 5 wei from an account without its key. */
function impersonated(nonce: number, sender = SENDER): Uint8Array {
  return encodeEvmTransaction({ ...legacy(nonce, { value: 5n }), signature: impersonationOf(sender) });
}

test('the reserved form names the sender, in networks that allow it only', () => {
  const typed = { nonce: 0n, gasLimit: 21_000n, to: 1n, value: 0n, data: new Uint8Array(), accessList: [], chainId: 1133n };
  const signature = impersonationOf(SENDER);
  const kinds = [
    impersonated(0),
    encodeEvmTransaction({ ...typed, type: 1, gasPrice: 1n, signature }),
    encodeEvmTransaction({ ...typed, type: 2, maxFee: 1n, maxPriorityFee: 1n, signature }),
  ];
  for (const raw of kinds) {
    assert.equal(decodeEvmTransaction(raw, DEV).sender, SENDER);
    for (const rules of [{}, { allowsImpersonation: false }]) assert.throws(() => decodeEvmTransaction(raw, rules), DecodeError);
  }
  assert.notDeepEqual(decodeEvmTransaction(kinds[0] as Uint8Array, DEV).hash, decodeEvmTransaction(impersonated(0, SENDER + 1n), DEV).hash);
  const forms = [impersonationOf(0n), impersonationOf(1n << 160n), { ...signature, parity: 1 }, { ...signature, s: 1n }];
  for (const form of forms) {
    const raw = encodeEvmTransaction({ ...legacy(0), signature: form });
    try {
      assert.notEqual(decodeEvmTransaction(raw, DEV).sender, SENDER);
    } catch (error) {
      assert.ok(error instanceof DecodeError);
    }
  }
});

test('a transaction without a signature is pooled, mined, undone and connected again where it is allowed', () => {
  const node = new EvmNode(DEV);
  const { chain, mempool } = node;
  const tx = carrier(impersonated(0));
  assert.equal(node.accept(tx), 'accepted');
  const { hash } = decodeEvmTransaction(impersonated(0), DEV);
  assert.equal(mempool.evm.withHash(hash)?.evm?.signed.sender, SENDER);
  const before = node.records();
  node.mint();
  const [stored] = evmBlock(chain.state, evmTip(chain.state)?.number ?? 0)?.entries ?? [];
  assert.deepEqual([stored?.sender, toHex(stored?.raw ?? hash)], [SENDER, toHex(impersonated(0))]);
  assert.equal(new EvmState(chain.state).account(SENDER)?.nonce, 1n);
  const after = node.records();
  const { tip } = chain;
  chain.invalidate(tip);
  assert.deepEqual(node.records(), before);
  assert.ok(mempool.evm.withHash(hash), 'it returned to the mempool');
  chain.reconsider(tip);
  assert.deepEqual(node.records(), after);
});

test('elsewhere it is refused by the mempool, and a block with it is invalid', () => {
  const dev = new EvmNode(DEV);
  assert.equal(dev.accept(carrier(impersonated(0))), 'accepted');
  const good = dev.chain.tip;
  dev.mint();
  const plain = new EvmNode();
  assert.match(plain.accept(carrier(impersonated(0))), /decoding raw tx to TransactionV2/);
  const verdicts = [DEV, { allowsImpersonation: false }, {}].map((rules) => {
    const store = new MemoryStore();
    store.write(genesisChanges({}));
    const parts = { store, blocks: new MemoryBlocks(), clock: new FixedClock(1_700_000_000), log: silentLogger };
    const chain = new Chain({ params: { ...evmNodeParams, ...rules } }, parts);
    const blocks = [good, dev.chain.tip].map((entry) => bytesOf(chain, dev.chain.block(entry) as never));
    const [first, second] = blocks.map((block) => chain.submitBlock(block));
    assert.deepEqual(first, { status: 'accepted' });
    return [second?.status, chain.tip.height];
  });
  assert.deepEqual(verdicts, [
    ['accepted', 2],
    ['rejected', 1],
    ['rejected', 1],
  ]);
});
