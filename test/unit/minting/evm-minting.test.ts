import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { evmBlock, evmReceipts, evmTip } from '../../../src/dfi/evm/blocks.js';
import { DvmGate } from '../../../src/mempool/dvm-gate.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { fromHex } from '../../../src/util/bytes.js';
import { randomNumbers } from '../../e2e/fixtures/reorg-chain.js';
import { carrier, evm, GWEI, legacy, signed } from '../mempool/evm-transactions.js';
import { EvmNode } from './evm-node.js';

const DFI = 10n ** 18n;
/** Creation code of a contract that loops until its gas is used up. */
const ENDLESS = fromHex('6003600c60003960036000f35b600056');
/** Creation code of a contract that counts its calls in slot 0. */
const COUNTER = fromHex('6009600c60003960096000f3600054600101600055');

function transactionsOf({ transactions }: { readonly transactions: readonly Transaction[] }): readonly Transaction[] {
  return transactions.slice(1);
}

test('a block commits to its EVM transactions, and other nodes accept it', () => {
  const [node, other] = [new EvmNode(), new EvmNode()];
  const sent = [evm(1, 0, { value: DFI }), evm(1, 1), evm(2, 0)];
  for (const tx of sent.toReversed()) assert.equal(node.accept(tx), 'accepted');
  const block = node.mint();
  assert.deepEqual(new Set(transactionsOf(block).map(({ txid }) => txid)), new Set(sent.map(({ txid }) => txid)));
  assert.equal(node.mempool.pool.size, 0);
  other.connect(block);
  assert.deepEqual(other.records(), node.records());
  const { entries = [] } = evmBlock(other.chain.state, evmTip(other.chain.state)?.number ?? 0) ?? {};
  assert.equal(entries.length, 3);
});

test('random EVM transactions: each block is accepted, and its state is the same after it was disconnected', () => {
  const random = randomNumbers(11);
  const [node, other] = [new EvmNode({ assembly: { ordering: 2 } }), new EvmNode()];
  const kinds = [
    { value: DFI },
    { value: 5_000n * DFI },
    { to: undefined, data: COUNTER, gasLimit: 100_000n },
    { to: undefined, data: ENDLESS, gasLimit: 80_000n },
    { gasLimit: 60_000n, data: new Uint8Array(100).fill(7) },
    { gasPrice: 10n * GWEI },
  ];
  let mined = 0;
  for (let height = 0; height < 14; height++) {
    for (let i = 0; i < 12; i++) {
      const key = 1 + random(4);
      const nonce = Number(node.freeNonce(key)) + (random(5) === 0 ? 1 : 0);
      node.accept(evm(key, nonce, kinds[random(kinds.length)]));
    }
    const block = node.mint();
    mined += transactionsOf(block).length;
    other.connect(block);
    assert.deepEqual(other.records(), node.records(), `block ${height}`);
    if (random(3) > 0) continue;
    const from = other.chain.entryAt(Math.max(2, other.chain.tip.height - random(3)));
    if (from) other.reconnect(from);
    assert.deepEqual(other.records(), node.records(), `reconnected block ${height}`);
  }
  assert.ok(mined > 30, `${mined} transactions`);
});

test('transactions of disconnected blocks return to the pool and are minted again', () => {
  const node = new EvmNode();
  const sent = [evm(1, 0), evm(1, 1), evm(2, 0, { to: undefined, data: COUNTER, gasLimit: 100_000n })];
  for (const tx of sent.slice(0, 2)) node.accept(tx);
  node.mint();
  node.accept(sent[2] as Transaction);
  node.mint();
  const first = node.chain.entryAt(2);
  assert.ok(first);
  node.chain.invalidate(first);
  assert.equal(node.mempool.evm.size, 3);
  assert.equal(transactionsOf(node.mint()).length, 3);
  assert.equal(node.mempool.evm.size, 0);
});

test('a transaction whose nonce another one has used is not minted, and leaves with the next entry that a block removes', () => {
  const [node, other] = [new EvmNode(), new EvmNode()];
  for (const tx of [evm(1, 0), evm(1, 1), evm(2, 0)]) node.accept(tx);
  other.accept(evm(1, 0, { gasPrice: 50n * GWEI }));
  node.connect(other.mint());
  assert.deepEqual(
    node.mempool.evm.entries().map(({ evm: pooled }) => pooled?.signed.tx.nonce),
    [0n, 1n, 0n],
  );
  assert.equal(transactionsOf(node.mint()).length, 2);
  assert.equal(node.mempool.pool.size, 0);
});

test('a block removes transactions that their senders can no longer pay for', () => {
  const node = new EvmNode();
  const costly = { gasPrice: 1_000n * GWEI, gasLimit: 1_000_000n };
  const sent = [evm(1, 0, { value: (9_999n * DFI) / 10n }), evm(1, 1, costly), evm(2, 1, costly)];
  for (const tx of sent) assert.equal(node.accept(tx), 'accepted');
  assert.equal(transactionsOf(node.mint()).length, 1);
  assert.deepEqual(
    [...node.mempool.pool.entries()].map(({ tx }) => tx),
    [sent[2]],
  );
});

test('rejections of the pool have the texts of the EVM', () => {
  const node = new EvmNode();
  const prefix = 'EvmTx: evm tx failed to pre-validate ';
  assert.equal(node.accept(evm(9, 0)), `${prefix}insufficient balance to pay fees (code 16)`);
  assert.equal(node.accept(evm(1, 0, { gasPrice: 1n })), `${prefix}tx gas price is lower than initial block base fee (code 16)`);
  assert.equal(node.accept(carrier(Uint8Array.of(1, 2))), `${prefix}Error: decoding raw tx to TransactionV2 (code 16)`);
  assert.equal(node.accept(carrier(signed(legacy(0), 1), [Uint8Array.of(1)])), 'bad-witness-nonstandard (code 64)');
  node.accept(evm(1, 0));
  assert.equal(node.accept(evm(1, 0)), 'txn-already-in-mempool (code 18)');
  assert.equal(node.accept(evm(1, 0, { value: 1n })), 'evm-low-fee (code 64)');
  node.mint();
  assert.equal(node.accept(evm(1, 0)), `${prefix}invalid nonce. Account nonce 1, signed_tx nonce 0 (code 16)`);
});

test('the gas limit of a block ends its selection, and the rest follows in the next block', () => {
  const node = new EvmNode({ gasLimit: 100_000n });
  for (const key of [1, 2, 3]) for (const nonce of [0, 1]) assert.equal(node.accept(evm(key, nonce)), 'accepted');
  assert.equal(transactionsOf(node.mint()).length, 4);
  assert.equal(transactionsOf(node.mint()).length, 2);
});

test('a pooled change of the gas limit does not bind transactions of the pool', () => {
  const { chain, clock } = new EvmNode();
  const gate = new DvmGate(chain);
  gate.state.put(attributes, attributeAt('v0/evm/block/gas_limit'), { kind: 'u64', value: 21_000n });
  const at = { height: chain.tip.height + 1, time: clock.seconds(), spent: [], coin: () => undefined };
  gate.apply(evm(1, 0, { gasLimit: 100_000n }), at)();
  const changed = new EvmNode({ gasLimit: 21_000n });
  const refused = 'EvmTx: evm tx failed to pre-validate gas limit higher than max_gas_per_block (code 16)';
  assert.equal(changed.accept(evm(1, 0, { gasLimit: 100_000n })), refused);
});

test('refused transactions cost at most the gas of some blocks', () => {
  const senders = Array.from({ length: 12 }, (_, i) => 1 + i);
  const node = new EvmNode({ keys: senders, gasLimit: 1_000_000n, assembly: { ordering: 2 } });
  const heavy = { to: undefined, data: ENDLESS.subarray(12), gasLimit: 600_000n };
  const [last = 0] = senders.slice(-1);
  for (const key of senders.slice(0, -1)) assert.equal(node.accept(evm(key, 0, heavy)), 'accepted');
  assert.equal(node.accept(evm(last, 0)), 'accepted');
  // One fits; four more use more than the gas of two blocks in vain, so the cheap last one is not tried any more.
  assert.equal(transactionsOf(node.mint()).length, 1);
  const { state } = node.chain;
  assert.equal(evmReceipts(state, evmTip(state)?.number ?? 0)?.[0]?.usedGas, 600_000n);
});
