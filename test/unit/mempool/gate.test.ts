import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chain } from '../../../src/chain/chain.js';
import { CustomTxFailure, type CustomTxGate, type GateContext } from '../../../src/mempool/custom-tx-gate.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { buildScript } from '../../../src/script/script.js';
import { toHex } from '../../../src/util/bytes.js';
import { ANYONE, DFI, NOW, output, PoolNode, type Settings } from './fixture.js';

/** A gate with an account balance, from which each custom transaction subtracts one. */
class CountingGate implements CustomTxGate {
  left: number;
  resets = 0;
  /** True if a failing message makes a block invalid. */
  fatal = true;
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
    if (this.left === 0) throw new CustomTxFailure('AccountToAccountTx: amount 0.00000000 is less than 1.00000000', this.fatal);
    return () => {
      this.left -= 1;
    };
  }
}

/** Settings on both sides of the Metachain height. */
const SIDES = [
  { side: 'below Metachain', metachain: {} },
  { side: 'from Metachain on', metachain: { metachain: 0 } },
] as const;

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

for (const { side, metachain } of SIDES) {
  test(`a block that removes an entry of any kind re-applies the others, one that removes none does not, ${side}`, () => {
    const { node, gate, custom } = open(2, metachain);
    const plain = node.pay([node.coin(3)], [DFI]);
    node.add(custom(0));
    node.add(plain);
    node.mine();
    assert.equal(gate.resets, 0);
    node.mine([plain]);
    assert.equal(gate.resets, 1);
    node.mine();
    assert.equal(gate.resets, 1);
  });

  test(`a disconnected block alone keeps the effects, and the next block re-applies all, ${side}`, () => {
    const { node, gate, custom } = open(3, metachain);
    node.add(custom(0));
    node.mine();
    node.chain.invalidate(node.chain.tip);
    node.add(custom(1));
    assert.deepEqual([gate.resets, gate.left], [0, 1]);
    node.mine([], { tag: 1 });
    assert.deepEqual([gate.resets, gate.left], [1, 1]);
  });

  test(`re-applied messages have the time of entry, or 0 before Metachain: ${side}`, () => {
    const { node, gate, custom } = open(3, metachain);
    node.add(custom(0), { time: NOW + 5 });
    node.pool.remove([node.add(custom(1))], 'expiry');
    gate.seen.length = 0;
    node.tell(node.pay([node.coin(3)], [DFI]));
    assert.deepEqual(
      gate.seen.map(({ time }) => time),
      side === 'below Metachain' ? [0] : [NOW + 5],
    );
  });

  test(`a failure that would not invalidate a block keeps the entry, ${side}`, () => {
    for (const fatal of [false, true]) {
      const { node, gate, custom } = open(2, metachain);
      const [first, second] = [custom(0), custom(1)];
      for (const tx of [first, second]) node.add(tx);
      Object.assign(gate, { start: 0, fatal });
      node.mine([first]);
      assert.equal(node.has(second), !fatal);
      assert.equal(node.tell(custom(2)), 'AccountToAccountTx: amount 0.00000000 is less than 1.00000000 (code 16)');
    }
  });
}

test('from Metachain on, removals of plain transactions re-apply the others once for each state', () => {
  for (const { side, metachain } of SIDES) {
    const { node, gate, custom } = open(2, metachain);
    node.add(custom(0));
    const resets = [1, 2].map((coin) => {
      node.pool.remove([node.add(node.pay([node.coin(coin)], [DFI]))], 'expiry');
      node.tell(node.pay([node.coin(3)], [DFI]));
      return gate.resets;
    });
    assert.deepEqual(resets, side === 'below Metachain' ? [1, 2] : [1, 1]);
  }
});
