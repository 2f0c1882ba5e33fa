import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReplaceable } from '../../../src/mempool/replacement.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { DFI, output, PoolNode } from './fixture.js';

const REPLACEABLE = 0xfffffffd;

/** A replaceable transaction in the pool that pays `fee`. */
function start(fee: bigint): { node: PoolNode; old: Transaction; pay(fee: bigint, sequence?: number): Transaction } {
  const node = new PoolNode({ coins: 40 });
  const pay = (amount: bigint, sequence = 0xffffffff) => node.pay([node.coin(0)], [node.subsidy(1) - amount], { sequence });
  const old = pay(fee, REPLACEABLE);
  node.add(old);
  return { node, old, pay };
}

test('only transactions that signal BIP125 can be replaced', () => {
  const { node, pay } = start(10_000n);
  const final = node.pay([node.coin(1)], [DFI], { sequence: 0xfffffffe });
  node.add(final);
  assert.equal(node.tell(node.pay([node.coin(1)], [DFI / 2n])), 'txn-mempool-conflict (code 18)');
  assert.equal(node.tell(pay(20_000n)), 'allowed');
});

test('a replacement pays a higher rate', () => {
  const { node, pay } = start(10_000n);
  const same = pay(10_000n);
  const size = BigInt(same.raw.length);
  const rate = (10_000n * 1000n) / size;
  const text = `0.00${rate.toString().padStart(6, '0')} DFI/kB`;
  assert.equal(
    node.tell(same),
    `insufficient fee, rejecting replacement ${formatHash(same.txid)}; new feerate ${text} <= old feerate ${text} (code 66)`,
  );
});

test('a replacement pays for its own relay', () => {
  const { node, old, pay } = start(10_000n);
  const size = BigInt(old.raw.length);
  const short = pay(10_000n + size - 1n);
  const expected = `rejecting replacement ${formatHash(short.txid)}, not enough additional fees to relay; 0.000000${size - 1n} < 0.000000${size}`;
  assert.ok(size > 10n && size < 100n);
  assert.equal(node.tell(short), `insufficient fee, ${expected} (code 66)`);
  const enough = pay(10_000n + size);
  node.add(enough);
  assert.deepEqual([node.has(old), node.has(enough), node.pool.size], [false, true, 1]);
});

test('a replacement pays for the evicted descendants too', () => {
  const { node, old, pay } = start(10_000n);
  const child = node.pay([output(old)], [DFI]);
  const childFee = node.add(child).fee;
  const short = pay(10_000n + childFee - 1n);
  const verdict = node.tell(short);
  assert.match(
    verdict,
    /^insufficient fee, rejecting replacement [0-9a-f]{64}, less fees than conflicting txs; 48.99999999 < 49.00 \(code 66\)$/,
  );
  node.add(pay(10_000n + childFee + 1_000n));
  assert.deepEqual([node.has(old), node.has(child), node.pool.size], [false, false, 1]);
});

test('a replacement adds no new unconfirmed parents', () => {
  const { node } = start(10_000n);
  const other = node.pay([node.coin(1)], [DFI]);
  node.add(other);
  const replacement = node.pay([node.coin(0), output(other)], [DFI]);
  const expected = `replacement-adds-unconfirmed, replacement ${formatHash(replacement.txid)} adds unconfirmed input, idx 1 (code 64)`;
  assert.equal(node.tell(replacement), expected);
});

test('a replacement may keep parents that the replaced one had', () => {
  const node = new PoolNode({ coins: 1 });
  const parent = node.pay([node.coin(0)], [DFI]);
  node.add(parent);
  const pay = (value: bigint) => node.pay([output(parent)], [value], { sequence: REPLACEABLE });
  node.add(pay(DFI / 2n));
  node.add(pay(DFI / 4n));
  assert.equal(node.pool.size, 2);
});

test('a transaction cannot replace its own ancestor', () => {
  const { node, old } = start(10_000n);
  const tx = node.pay([output(old), node.coin(0)], [DFI]);
  const expected = `bad-txns-spends-conflicting-tx, ${formatHash(tx.txid)} spends conflicting transaction ${formatHash(old.txid)} (code 16)`;
  assert.equal(node.tell(tx), expected);
});

test('at most 100 transactions can be replaced', () => {
  const node = new PoolNode({ coins: 6, limits: { descendantCount: 100, descendantBytes: 1_000_000 } });
  const wide = (coin: number, children: number) => {
    const values = new Array<bigint>(children).fill(DFI / 100n);
    const root = node.pay([node.coin(coin)], values, { sequence: REPLACEABLE });
    node.add(root);
    values.forEach((value, i) => void node.add(node.pay([output(root, i)], [value - 1_000n])));
  };
  wide(0, 49);
  wide(1, 49);
  const both = node.pay([node.coin(0), node.coin(1)], [1_000n]);
  assert.equal(node.tell(both), 'allowed');
  node.add(node.pay([node.coin(2)], [DFI], { sequence: REPLACEABLE }));
  const three = node.pay([node.coin(0), node.coin(1), node.coin(2)], [1_000n]);
  const expected = `too many potential replacements, rejecting replacement ${formatHash(three.txid)}; too many potential replacements (101 > 100)\n (code 64)`;
  assert.equal(node.tell(three), expected);
  node.add(both);
  assert.equal(node.pool.size, 2);
});

test('isReplaceable includes the signal of unconfirmed ancestors', () => {
  const { node, old } = start(10_000n);
  const child = node.add(node.pay([output(old)], [DFI]));
  const other = node.add(node.pay([node.coin(1)], [DFI]));
  assert.deepEqual([isReplaceable(child), isReplaceable(other)], [true, false]);
});
