import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chain } from '../../../src/chain/chain.js';
import { TxInvalid } from '../../../src/consensus/errors.js';
import type { CustomTxGate, GateContext } from '../../../src/mempool/custom-tx-gate.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { buildScript } from '../../../src/script/script.js';
import { toHex } from '../../../src/util/bytes.js';
import { ANYONE, DFI, NOW, output, PoolNode, type Settings } from './fixture.js';

/** A gate with an account balance, from which each custom transaction subtracts one. */
class CountingGate implements CustomTxGate {
  left: number;
  resets = 0;
  readonly seen: GateContext[] = [];

  constructor(
    private readonly chain: Chain,
    private readonly start: number,
  ) {
    this.left = start;
  }

  get state() {
    return this.chain.state;
  }

  reset(): void {
    this.left = this.start;
    this.resets += 1;
  }

  apply(tx: Transaction, at: GateContext): () => void {
    if (tx.vout[0]?.value !== 0n) return () => {};
    this.seen.push(at);
    if (this.left === 0) throw new TxInvalid('AccountToAccountTx: amount 0.00000000 is less than 1.00000000');
    return () => {
      this.left -= 1;
    };
  }
}

function open(start: number, settings: Settings = {}) {
  let gate: CountingGate | undefined;
  const node = new PoolNode({
    coins: 6,
    ...settings,
    gate: (chain) => {
      gate = new CountingGate(chain, start);
      return gate;
    },
  });
  const custom = (coin: number, more = {}) => {
    const data = { value: 0n, scriptPubKey: buildScript(0x6a, Buffer.from('DfTxBx')), tokenId: 0 };
    return node.pay([node.coin(coin)], [], { vout: [data, { value: DFI, scriptPubKey: ANYONE, tokenId: 0 }], ...more });
  };
  return { node, gate: gate as unknown as CountingGate, custom };
}

test('each transaction is applied on top of the earlier ones', () => {
  const { node, gate, custom } = open(2);
  node.add(custom(0));
  node.add(custom(1));
  assert.equal(gate.left, 0);
  assert.equal(node.tell(custom(2)), 'AccountToAccountTx: amount 0.00000000 is less than 1.00000000 (code 16)');
  const verdict = node.mempool.test(custom(2));
  assert.equal(verdict.status === 'rejected' && verdict.misbehaviour, 0);
});

test('a custom transaction is applied at the next height and the time of entry, with its spent outputs', () => {
  const { node, gate, custom } = open(1);
  node.add(custom(0), { time: NOW + 5 });
  const [at] = gate.seen;
  assert.deepEqual([at?.height, at?.time, at?.spent.length], [node.chain.tip.height + 1, NOW + 5, 1]);
});

test('test commits no effects, nor does a transaction rejected by a later check', () => {
  const { node, gate, custom } = open(1);
  assert.equal(node.tell(custom(0)), 'allowed');
  const free = custom(1, { vin: [{ prevout: node.coin(1), scriptSig: Uint8Array.of(1, 0), sequence: 0xffffffff, witness: [] }] });
  assert.match(node.tell(free), /^(non-)?mandatory-script/);
  assert.equal(gate.left, 1);
});

test('the custom message is checked before fees and scripts', () => {
  const { node, custom } = open(0);
  const unsigned = custom(1, { vin: [{ prevout: node.coin(1), scriptSig: new Uint8Array(), sequence: 0xffffffff, witness: [] }] });
  assert.match(node.tell(unsigned), /^AccountToAccountTx: /);
});

test('after a custom transaction is removed, the others are re-applied', () => {
  const { node, gate, custom } = open(2);
  const [first, second] = [custom(0), custom(1)];
  node.add(first);
  node.add(second);
  node.mine([first]);
  // The gate of this test does not follow blocks: reset restores both units, and one is subtracted again.
  assert.deepEqual([gate.resets, gate.left], [1, 1]);
  node.add(custom(2));
  assert.equal(gate.left, 0);
});

test('those that fail when re-applied are removed in the order of entry, with descendants', () => {
  const { node, gate, custom } = open(3);
  const txs = [custom(0), custom(1), custom(2)];
  for (const tx of txs) node.add(tx);
  const [, second, third] = txs as [Transaction, Transaction, Transaction];
  node.add(node.pay([output(third, 1)], [DFI / 2n]));
  const plain = node.pay([node.coin(3)], [DFI]);
  node.add(plain);
  Object.assign(gate, { start: 1 });
  const seen: string[] = [];
  node.pool.on('removed', ({ entry, reason }) => seen.push(`${reason} ${entry.key}`));
  node.mine([txs[0] as Transaction]);
  assert.deepEqual([node.has(second), node.has(third), node.has(plain), node.pool.size], [true, false, true, 2]);
  assert.equal(seen[1], `block ${toHex(third.txid)}`);
});

test('a block that removes no custom transaction keeps the state', () => {
  const { node, gate, custom } = open(2, { metachain: 0 });
  const plain = node.pay([node.coin(3)], [DFI]);
  node.add(custom(0));
  node.add(plain);
  node.mine([plain]);
  node.mine();
  assert.equal(gate.resets, 0);
});
