import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import { EvmIndex } from '../../../src/mempool/evm-index.js';
import { type PooledEvm, pooledEvm } from '../../../src/mempool/evm-tip.js';
import { Pool } from '../../../src/mempool/pool.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { randomNumbers } from '../../e2e/fixtures/reorg-chain.js';
import { custom, evm, GWEI, transfer } from './evm-transactions.js';

const NOW = 1_600_000_000;
const STATE = new MemoryStore();

function open() {
  const pool = new Pool();
  const index = new EvmIndex(pool);
  const add = (tx: Transaction, time = NOW) =>
    pool.add({ tx, fee: 1_000n, vsize: 200, sigOpsCost: 4, time, height: 5, spendsCoinbase: false, evm: pooledEvm(tx, STATE, {}) });
  const check = (tx: Transaction) => index.check(pooledEvm(tx, STATE, {}) as PooledEvm);
  /** Adds a transaction in the place of the one that it replaces. */
  const replace = (tx: Transaction) => {
    pool.remove([check(tx) as MempoolEntry], 'replaced');
    return add(tx);
  };
  return { pool, index, add, check, replace };
}

test('transactions of other senders and nonces are independent', () => {
  const { add, check, index } = open();
  add(transfer(1, 0));
  for (const other of [transfer(1, 1), evm(1, 1), transfer(2, 0), evm(2, 0)]) assert.equal(check(other), undefined);
  assert.equal(index.size, 1);
});

test('a transfer replaces an EVM transaction, but nothing replaces a transfer', () => {
  const { pool, add, check } = open();
  const first = add(evm(1, 0, { gasPrice: 10_000n * GWEI }));
  assert.equal(check(transfer(1, 0)), first);
  pool.remove([first], 'block');
  add(transfer(1, 0));
  for (const other of [transfer(1, 0), transfer(1, 0, 'out'), evm(1, 0, { gasPrice: 10_000n * GWEI })])
    assert.throws(() => check(other), { reason: 'evm-low-fee' });
});

const replacements = [
  { name: 'ten percent more', old: 50n * GWEI, price: 54n * GWEI, passes: true },
  { name: 'less than ten percent more', old: 50n * GWEI, price: 54n * GWEI - 1_000_000n, passes: false },
  { name: 'one gwei per gas more where ten percent are less', old: 12n * GWEI, price: 13n * GWEI, passes: true },
  { name: 'less than one gwei per gas more', old: 12n * GWEI, price: 13n * GWEI - 1_000_000n, passes: false },
  { name: 'the same fee', old: 30n * GWEI, price: 30n * GWEI, passes: false },
  { name: 'the same fee to the satoshi, with a rounded rest', old: 12n * GWEI + 1n, price: 13n * GWEI, passes: true },
];
for (const { name, old, price, passes } of replacements) {
  test(`replacement with ${name}`, () => {
    const { add, check } = open();
    const first = add(evm(1, 0, { gasPrice: old }));
    if (passes) assert.equal(check(evm(1, 0, { gasPrice: price })), first);
    else assert.throws(() => check(evm(1, 0, { gasPrice: price })), { reason: 'evm-low-fee' });
  });
}

test('at most 64 transactions per sender, but a full sender may replace', () => {
  const { pool, add, check } = open();
  const entries = Array.from({ length: 64 }, (_, nonce) => add(nonce % 2 === 0 ? transfer(1, nonce) : evm(1, nonce)));
  assert.throws(() => check(evm(1, 64)), { reason: 'too-many-evm-txs-by-sender' });
  assert.equal(check(transfer(2, 64)), undefined);
  assert.equal(check(evm(1, 63, { gasPrice: 60n * GWEI })), entries[63]);
  pool.remove(entries.slice(0, 1), 'block');
  assert.equal(check(evm(1, 64)), undefined);
});

test('at most 40 replacements per sender, until one of its transactions leaves otherwise', () => {
  const { pool, add, check, replace } = open();
  const other = add(evm(1, 1));
  let price = 20n * GWEI;
  add(evm(1, 0, { gasPrice: price }));
  for (let i = 0; i < 40; i++) {
    price = (price * 12n) / 10n;
    replace(evm(1, 0, { gasPrice: price }));
  }
  const next = evm(1, 0, { gasPrice: 2n * price });
  assert.throws(() => check(next), { reason: 'too-many-evm-rbf-txs-by-sender' });
  assert.throws(() => check(evm(1, 0)), { reason: 'too-many-evm-rbf-txs-by-sender' });
  assert.equal(check(evm(1, 2)), undefined);
  pool.remove([other], 'expiry');
  replace(next);
});

test('a message or EVM transaction that does not decode, and numbers beyond their range', () => {
  const low = { to: undefined, data: EMPTY_BYTES };
  const cases: readonly (readonly [Transaction, string])[] = [
    [custom('8', Uint8Array.of(1)), 'failed-to-parse-evm-tx-metadata'],
    [custom('8', Uint8Array.of(0)), 'evm-sender-info'],
    [custom('9', EMPTY_BYTES), 'failed-to-parse-evm-tx-metadata'],
    [evm(1, 0, { ...low, gasPrice: 10n ** 20n, gasLimit: 10n ** 9n }), 'evm-sender-info'],
    [evm(1, 0, { nonce: 1n << 64n }), 'evm-sender-info'],
  ];
  for (const [tx, reason] of cases) assert.throws(() => pooledEvm(tx, STATE, {}), { reason });
  assert.equal(pooledEvm(custom('B', EMPTY_BYTES), STATE, {}), undefined);
});

test('olderThan lists expired entries with their auto-auth transactions', () => {
  const { index, add, pool } = open();
  const proof = add(custom('A', EMPTY_BYTES), NOW - 1);
  const old = add(transfer(1, 0, 'in', { txid: proof.tx.txid, vout: 1 }), NOW - 1);
  const payment = add(custom('B', EMPTY_BYTES), NOW - 1);
  const behind = add(transfer(1, 1, 'in', { txid: payment.tx.txid, vout: 1 }), NOW - 1);
  add(transfer(1, 2), NOW);
  assert.deepEqual(index.olderThan(NOW - 1), []);
  const expired = index.olderThan(NOW);
  assert.deepEqual(expired, [old, proof, behind]);
  pool.remove(expired, 'expiry');
  assert.deepEqual(index.olderThan(NOW), []);
  assert.equal(index.olderThan(NOW + 1).length, 1);
});

test('the index equals one computed from the pool, after any additions, replacements and removals', () => {
  const pick = randomNumbers(5);
  const { pool, index, add, check } = open();
  for (let step = 0; step < 1_500; step++) {
    const [key, nonce] = [1 + pick(4), pick(8)];
    const tx = pick(4) === 0 ? transfer(key, nonce) : evm(key, nonce, { gasPrice: BigInt(10 + pick(1_000)) * GWEI });
    const known = [...pool.entries()];
    if (pick(3) === 0 && known.length > 0) pool.remove([known[pick(known.length)] as MempoolEntry], 'block');
    else {
      try {
        const replaced = check(tx);
        pool.remove(replaced ? [replaced] : [], 'replaced');
        add(tx, NOW + pick(3));
      } catch (error) {
        assert.match(String(error), /evm-low-fee|too-many/);
      }
    }
    const expected = [...pool.entries()].map((entry) => entry.evm as PooledEvm);
    assert.equal(index.size, expected.length);
    for (let of = 1; of <= 4; of++) {
      const sender = pooledEvm(evm(of, 0), STATE, {})?.signed.sender as bigint;
      const own = expected.filter(({ signed }) => signed.sender === sender).map(({ signed }) => signed.tx.nonce);
      const sorted = own.sort((a, b) => Number(a - b));
      assert.deepEqual(
        index.ofSender(sender).map(({ evm: pooled }) => pooled?.signed.tx.nonce),
        sorted,
      );
      assert.equal(new Set(own).size, own.length);
      let free = 0n;
      while (own.includes(free)) free += 1n;
      assert.equal(index.freeNonce(sender, 0n), free);
    }
  }
});
