import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { buildScript } from '../../../src/script/script.js';
import { ANYONE, DFI, output, PoolNode } from './fixture.js';

/** Transactions get their size from a data output. */
const LONG_DATA = { dataCarrierBytes: { beforeMetachain: 65_536, sinceMetachain: 65_536 } };

const SIDE = 10_000n;
const STEP = SIDE + 1_000n;

/** Adds `count` transactions, each spending the one before. */
function chainOf(node: PoolNode, count: number): Transaction[] {
  const chain: Transaction[] = [];
  for (let i = 0; i < count; i++) {
    const last = chain.at(-1);
    const [input, value] = last ? [output(last), last.vout[0]?.value ?? 0n] : [node.coin(0), node.subsidy(1)];
    const tx = node.pay([input], [value - STEP, SIDE]);
    node.add(tx);
    chain.push(tx);
  }
  return chain;
}

const next = (node: PoolNode, tx: Transaction, vout = 0) => node.pay([output(tx, vout)], [(tx.vout[vout]?.value ?? 0n) - 1_000n]);

test('a chain of 25 is accepted, the 26th transaction is rejected', () => {
  const node = new PoolNode({ coins: 1 });
  const chain = chainOf(node, 25);
  const expected = 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25] (code 64)';
  assert.equal(node.tell(next(node, chain[24] as Transaction)), expected);
});

test('the number of direct parents is limited', () => {
  const node = new PoolNode({ coins: 4, limits: { ancestorCount: 3 } });
  const parents = [0, 1, 2].map((i) => node.pay([node.coin(i)], [DFI]));
  for (const parent of parents) node.add(parent);
  const of = (count: number) =>
    node.pay(
      parents.slice(0, count).map((tx) => output(tx)),
      [DFI / 2n],
    );
  assert.equal(node.tell(of(2)), 'allowed');
  assert.equal(node.tell(of(3)), 'too-long-mempool-chain, too many unconfirmed parents [limit: 3] (code 64)');
});

test('carve-out: a full package admits one more child of its first transaction', () => {
  const node = new PoolNode({ coins: 1, limits: { ancestorCount: 30 } });
  const chain = chainOf(node, 25);
  const [first, second] = chain as [Transaction, Transaction];
  const tooMany = `too-long-mempool-chain, too many descendants for tx ${formatHash(first.txid)} [limit: 25] (code 64)`;
  assert.equal(node.tell(next(node, second, 1)), tooMany);
  const extra = next(node, first, 1);
  node.add(extra);
  assert.equal(node.pool.get(first.txid)?.descendants.count, 26);
  assert.equal(node.tell(next(node, extra)), tooMany);
});

test('carve-out: not for a large transaction', () => {
  const node = new PoolNode({ coins: 1, limits: { ancestorCount: 30 }, policy: LONG_DATA });
  const [first] = chainOf(node, 25) as [Transaction];
  const padded = (size: number) => {
    const vout = [{ value: 0n, scriptPubKey: buildScript(0x6a, new Uint8Array(size).fill(1)), tokenId: 0 }];
    return node.pay([output(first, 1)], [], { vout });
  };
  const frame = padded(9_000).strippedSize - 9_000;
  assert.equal(node.tell(padded(10_000 - frame), { bypassLimits: true }), 'allowed');
  const expected = `too-long-mempool-chain, too many descendants for tx ${formatHash(first.txid)} [limit: 25] (code 64)`;
  assert.equal(node.tell(padded(10_001 - frame), { bypassLimits: true }), expected);
});

function data(size: number) {
  return { value: 0n, scriptPubKey: buildScript(0x6a, new Uint8Array(size).fill(1)), tokenId: 0 };
}

/** A transaction of exactly `size` bytes, at least 300, with a spendable output. */
function sized(node: PoolNode, prevout: OutPoint, size: number, value = DFI): Transaction {
  const of = (bytes: number) => node.pay([prevout], [], { vout: [{ value, scriptPubKey: ANYONE, tokenId: 0 }, data(bytes)] });
  const tx = of(size - of(260).strippedSize + 260);
  assert.equal(tx.strippedSize, size);
  return tx;
}

test('the size of ancestors is limited', () => {
  const node = new PoolNode({ coins: 1, limits: { ancestorBytes: 3_000 } });
  const first = sized(node, node.coin(0), 1_000);
  const second = sized(node, output(first), 1_200, DFI / 2n);
  for (const tx of [first, second]) node.add(tx);
  assert.equal(node.tell(sized(node, output(second), 800, DFI / 4n)), 'allowed');
  const expected = 'too-long-mempool-chain, exceeds ancestor size limit [limit: 3000] (code 64)';
  assert.equal(node.tell(sized(node, output(second), 801, DFI / 4n)), expected);
});

test('the size of descendants is limited, with carve-out for a small one', () => {
  const node = new PoolNode({ coins: 1, limits: { descendantBytes: 3_000 }, policy: LONG_DATA });
  const first = node.pay([node.coin(0)], [DFI, DFI, DFI]);
  node.add(first);
  const second = sized(node, output(first), 3_000 - first.strippedSize - 800, DFI / 2n);
  node.add(second);
  const expected = `too-long-mempool-chain, exceeds descendant size limit for tx ${formatHash(first.txid)} [limit: 3000] (code 64)`;
  assert.equal(node.tell(sized(node, output(second), 800, DFI / 4n)), 'allowed');
  assert.equal(node.tell(sized(node, output(second), 801, DFI / 4n)), expected);
  assert.equal(node.tell(sized(node, output(first, 1), 10_000, DFI / 2n)), 'allowed');
  assert.equal(node.tell(sized(node, output(first, 1), 10_001, DFI / 2n), { absurdFee: 0n }), expected);
});
