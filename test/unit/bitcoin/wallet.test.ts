import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreign, hashOf, keyScript, outputOf, p2sh, payment, WalletFixture } from './fixture.js';

test('the wallet counts what pays to its keys, but not HTLCs and others', () => {
  const { wallet, ...node } = new WalletFixture({ keys: [1], scripts: [2] });
  const chain = node.chain;
  chain.send(
    payment({
      from: [foreign(1)],
      to: [
        [keyScript(1), 5_000n],
        [p2sh(2), 6_000n],
        [keyScript(3), 7_000n],
      ],
    }),
  );
  assert.equal(wallet.balance, 5_000n);
  assert.deepEqual(
    Array.from(wallet.htlcOutputs(), ({ output }) => output.value),
    [6_000n],
  );
});

test('of two transactions that spend the same output, the second one does not count', () => {
  const fixture = new WalletFixture({ keys: [1] });
  const first = fixture.send({ from: [foreign(1)], to: [[keyScript(1), 5_000n]] });
  const second = fixture.send({ from: [foreign(1)], to: [[keyScript(1), 6_000n]] });
  fixture.send({ from: [outputOf(second)], to: [[keyScript(1), 5_900n]] });
  assert.equal(fixture.wallet.balance, 5_000n);
  assert.deepEqual(
    fixture.wallet.coins.map(({ prevout }) => prevout),
    [outputOf(first)],
  );
  assert.equal([...fixture.wallet.transactions()].length, 3);
});

const pending = [
  { name: 'a sequence that signals replacement', sequence: 0xfffffffd, counts: false },
  { name: 'a sequence that leaves the lock time in force', sequence: 0xfffffffe, counts: true },
  { name: 'a lock time of the next block', sequence: 0xfffffffe, lockTime: 1, counts: true },
  { name: 'a lock time of a later block', sequence: 0xfffffffe, lockTime: 2, counts: false },
  { name: 'a later lock time with final inputs', lockTime: 2, counts: true },
  { name: 'a lock time of the present second', sequence: 0xfffffffe, lockTime: 1_700_000_000, counts: true },
  { name: 'a lock time in the future', sequence: 0xfffffffe, lockTime: 1_700_000_001, counts: false },
  { name: 'an output of 546 satoshis', dust: 546n, counts: true },
  { name: 'an output of 545 satoshis', dust: 545n, counts: false },
];

for (const { name, counts, dust = 1_000n, ...parts } of pending) {
  test(`the wallet ${counts ? 'counts' : 'does not count'} a transaction with ${name}`, () => {
    const fixture = new WalletFixture({ keys: [1] });
    const to = [
      [keyScript(1), 5_000n],
      [keyScript(9), dust],
    ] as const;
    const tx = fixture.send({ from: [foreign(1)], to, ...parts });
    assert.equal(fixture.wallet.balance, counts ? 5_000n : 0n);
    // Neither does a transaction that depends on it.
    fixture.send({ from: [outputOf(tx)], to: [[keyScript(1), 4_000n]] });
    assert.equal(fixture.wallet.balance, counts ? 4_000n : 0n);
  });
}

test('an output that a pending transaction spends counts until the next transaction of ours, as in defid', () => {
  const fixture = new WalletFixture({ keys: [1] });
  const coin = fixture.send({ from: [foreign(1)], to: [[keyScript(1), 5_000n]] });
  fixture.send({ from: [outputOf(coin)], to: [[keyScript(1), 4_000n]], sequence: 10 });
  assert.equal(fixture.wallet.balance, 5_000n);
  fixture.send({ from: [foreign(2)], to: [[keyScript(1), 600n]] });
  assert.equal(fixture.wallet.balance, 600n);
});

test('coins are in the order of the addresses that they pay, later addresses last', () => {
  const fixture = new WalletFixture({ keys: [3, 1] });
  const late = fixture.send({ from: [foreign(1)], to: [[keyScript(3), 1_000n]] });
  const early = fixture.send({ from: [foreign(2)], to: [[keyScript(1), 2_000n]] });
  const coins = () => fixture.wallet.coins.map(({ output }) => output.value);
  // Keys that were known at the start have the order of their bytes.
  assert.deepEqual(coins(), [2_000n, 1_000n]);
  fixture.wallet.add({ kind: 'key', hash: hashOf(2) });
  fixture.send({ from: [foreign(3)], to: [[keyScript(2), 3_000n]] });
  fixture.send({ from: [foreign(4)], to: [[keyScript(1), 4_000n]] });
  assert.deepEqual(coins(), [2_000n, 4_000n, 1_000n, 3_000n]);
  fixture.send({ from: [outputOf(late), outputOf(early)], to: [[keyScript(1), 2_900n]] });
  // A child follows its parents, also if its address is earlier.
  assert.deepEqual(coins(), [4_000n, 2_900n, 3_000n]);
});

test('a parent that is sent after its child precedes it', () => {
  const fixture = new WalletFixture({ keys: [1, 2] });
  const parent = payment({ from: [foreign(1)], to: [[keyScript(2), 5_000n]] });
  fixture.send({ from: [outputOf(parent)], to: [[keyScript(1), 4_000n]] });
  fixture.chain.send(parent);
  assert.equal(fixture.wallet.balance, 4_000n);
  assert.deepEqual([...fixture.wallet.transactions()].length, 2);
});

test('an address counts from the next transaction on', () => {
  const fixture = new WalletFixture({ keys: [1] });
  fixture.send({ from: [foreign(1)], to: [[keyScript(2), 5_000n]] });
  fixture.learn({ kind: 'key', hash: hashOf(2) });
  assert.equal(fixture.wallet.kindOf(hashOf(2)), 'key');
  fixture.send({ from: [foreign(2)], to: [[keyScript(2), 6_000n]] });
  assert.equal(fixture.wallet.balance, 6_000n);
  assert.equal([...fixture.wallet.transactions()].length, 1);
});

test('transactions are listed by the hash that they pay to or spend from', () => {
  const fixture = new WalletFixture({ keys: [1], scripts: [2] });
  const funding = fixture.send({ from: [foreign(1)], to: [[keyScript(1), 9_000n]] });
  const payIn = fixture.send({ from: [outputOf(funding)], to: [[p2sh(2), 8_000n]] });
  const payOut = fixture.send({ from: [outputOf(payIn)], to: [[keyScript(7), 7_000n]] });
  fixture.send({ from: [outputOf(payOut)], to: [[keyScript(8), 6_000n]] });
  const { wallet } = fixture;
  assert.deepEqual([...wallet.transactions()], [funding, payIn, payOut]);
  assert.deepEqual([...wallet.transactions(hashOf(1))], [funding, payIn]);
  assert.deepEqual([...wallet.transactions(hashOf(2))], [payIn, payOut]);
  assert.deepEqual([...wallet.transactions(hashOf(7))], []);
});

test('confirmations count from the block in which a transaction was sent last', () => {
  const fixture = new WalletFixture({ keys: [1] });
  fixture.chain.setHeight(5);
  const tx = fixture.send({ from: [foreign(1)], to: [[keyScript(1), 5_000n]] });
  assert.equal(fixture.wallet.confirmations(tx.txid), 1);
  fixture.chain.setHeight(7);
  assert.equal(fixture.wallet.confirmations(tx.txid), 3);
  fixture.chain.send(tx);
  assert.equal(fixture.wallet.confirmations(tx.txid), 1);
  fixture.chain.setHeight(4);
  assert.equal(fixture.wallet.confirmations(tx.txid), -2);
  const other = fixture.send({ from: [foreign(2)], to: [[keyScript(9), 5_000n]] });
  assert.equal(fixture.wallet.confirmations(other.txid), 0);
});

test('the spender of an output is the first transaction that spends it', () => {
  const fixture = new WalletFixture({ scripts: [2] });
  const payIn = fixture.send({ from: [foreign(1)], to: [[p2sh(2), 8_000n]] });
  assert.equal(fixture.wallet.spender(outputOf(payIn)), undefined);
  const first = fixture.send({ from: [outputOf(payIn)], to: [[keyScript(7), 7_000n]], scriptSig: Uint8Array.of(1, 2) });
  fixture.send({ from: [outputOf(payIn)], to: [[keyScript(8), 7_000n]], scriptSig: Uint8Array.of(3) });
  assert.equal(fixture.wallet.spender(outputOf(payIn)), first);
  assert.deepEqual([...fixture.wallet.spendsOf(hashOf(2))], [Uint8Array.of(1, 2), Uint8Array.of(3)]);
  assert.deepEqual([...fixture.wallet.spendsOf(hashOf(7))], []);
});

test('an HTLC that is added again moves behind the others', () => {
  const fixture = new WalletFixture({ scripts: [1, 2] });
  fixture.send({ from: [foreign(1)], to: [[p2sh(2), 2_000n]] });
  fixture.wallet.add({ kind: 'script', hash: hashOf(1) });
  fixture.send({ from: [foreign(2)], to: [[p2sh(1), 1_000n]] });
  fixture.send({ from: [foreign(3)], to: [[p2sh(2), 3_000n]] });
  const values = Array.from(fixture.wallet.htlcOutputs(), ({ output }) => output.value);
  assert.deepEqual(values, [2_000n, 3_000n, 1_000n]);
  assert.deepEqual(
    Array.from(fixture.wallet.htlcOutputs(hashOf(2)), ({ output }) => output.value),
    [2_000n, 3_000n],
  );
});
