import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htlcFee, planPayment } from '../../../src/bitcoin/payment.js';
import type { BitcoinCoin } from '../../../src/bitcoin/wallet.js';
import { scriptOf } from '../../../src/script/address.js';
import { foreign, hashOf, keyScript } from './fixture.js';

const COIN = 100_000_000n;
const RECIPIENT = keyScript(8);
const CHANGE = keyScript(9);
const legacy = scriptOf({ type: 'pkh', hash: hashOf(1) });

const coinsOf = (values: readonly bigint[], scriptPubKey = keyScript(1)): BitcoinCoin[] =>
  values.map((value, i) => ({ prevout: foreign(i + 1), output: { value, scriptPubKey, tokenId: 0 } }));

const keepOrder = (below: number): number => below - 1;

interface Case {
  readonly name: string;
  readonly coins: readonly BitcoinCoin[];
  readonly amount: bigint;
  readonly feeRate?: bigint;
  readonly inputs: number;
  /** Values of the outputs. */
  readonly outputs: readonly bigint[];
}

// Fees of coins of P2WPKH were compared with those of `defid`.
const cases: readonly Case[] = [
  { name: 'a payment with change', coins: coinsOf([COIN]), amount: 10_000_000n, inputs: 1, outputs: [10_000_000n, 89_998_800n] },
  {
    name: 'a lower rate is raised',
    coins: coinsOf([COIN]),
    amount: 10_000_000n,
    feeRate: 1_000n,
    inputs: 1,
    outputs: [10_000_000n, 89_998_800n],
  },
  { name: 'a higher rate', coins: coinsOf([COIN]), amount: 10_000_000n, feeRate: 20_000n, inputs: 1, outputs: [10_000_000n, 89_997_700n] },
  {
    name: 'the rest of the balance is rounded to 100 satoshis',
    coins: coinsOf([COIN + 77n]),
    amount: 10_000_000n,
    inputs: 1,
    outputs: [10_000_000n, 89_998_800n],
  },
  {
    name: 'coins in order until they are enough',
    coins: coinsOf([1_000n, COIN, COIN]),
    amount: COIN,
    inputs: 3,
    outputs: [COIN, 99_999_100n],
  },
  { name: 'the exact sum has no change', coins: coinsOf([COIN]), amount: COIN - 1_200n, inputs: 1, outputs: [COIN - 1_200n] },
  { name: 'a rest of dust is left to the fee', coins: coinsOf([COIN]), amount: COIN - 1_746n, inputs: 1, outputs: [COIN - 1_746n] },
  { name: 'a rest above dust is change', coins: coinsOf([COIN]), amount: COIN - 1_800n, inputs: 1, outputs: [COIN - 1_800n, 600n] },
  {
    name: 'coins of P2PKH weigh more',
    coins: coinsOf([COIN], legacy),
    amount: 10_000_000n,
    inputs: 1,
    outputs: [10_000_000n, 89_997_700n],
  },
];

for (const { name, coins, amount, feeRate = 10_000n, inputs, outputs } of cases) {
  test(`Bitcoin payment: ${name}`, () => {
    const balance = coins.reduce((sum, { output }) => sum + output.value, 0n);
    const payment = { script: RECIPIENT, amount, changeScript: CHANGE, feeRate };
    const { fields, coins: used } = planPayment({ coins, balance }, payment, keepOrder);
    assert.deepEqual(
      fields.vout.map(({ value }) => value),
      outputs,
    );
    assert.equal(used.length, inputs);
    assert.deepEqual(
      fields.vin.map(({ prevout }) => prevout),
      used.map(({ prevout }) => prevout),
    );
    assert.deepEqual(fields.vout[0]?.scriptPubKey, RECIPIENT);
    if (outputs.length > 1) assert.deepEqual(fields.vout[1]?.scriptPubKey, CHANGE);
  });
}

test('Bitcoin payment: chance decides the order of the outputs', () => {
  const payment = { script: RECIPIENT, amount: 10_000_000n, changeScript: CHANGE, feeRate: 10_000n };
  const { fields } = planPayment({ coins: coinsOf([COIN]), balance: COIN }, payment, () => 0);
  assert.deepEqual(
    fields.vout.map(({ scriptPubKey }) => scriptPubKey),
    [CHANGE, RECIPIENT],
  );
});

const failures = [
  { name: 'no coins', coins: [], amount: 546n, message: 'Insufficient funds' },
  { name: 'more than the coins', coins: coinsOf([COIN]), amount: COIN + 1n, message: 'Insufficient funds' },
  { name: 'nothing left for the fee', coins: coinsOf([COIN]), amount: COIN, message: 'Insufficient funds to cover fee' },
  { name: 'a satoshi too little for the fee', coins: coinsOf([COIN]), amount: COIN - 1_199n, message: 'Insufficient funds to cover fee' },
  {
    name: 'a negative rate, which is a huge one',
    coins: coinsOf([COIN]),
    amount: 1_000n,
    feeRate: -1n,
    message: 'Insufficient funds to cover fee',
  },
  {
    name: 'a transaction that is too large',
    coins: coinsOf(new Array(2_700).fill(1_000n)),
    amount: COIN,
    message: 'Transaction too large',
  },
];

for (const { name, coins, amount, feeRate = 10_000n, message } of failures) {
  test(`Bitcoin payment: ${name} fails`, () => {
    const balance = coins.reduce((sum, { output }) => sum + output.value, 0n);
    const payment = { script: RECIPIENT, amount, changeScript: CHANGE, feeRate };
    assert.throws(() => planPayment({ coins, balance }, payment, keepOrder), { kind: 'insufficient-funds', message });
  });
}

const fees = [
  { name: 'one claim', sizes: [218], feeRate: 10_000n, fee: 3_010n },
  { name: 'two claims, whose sizes count twice each', sizes: [218, 218], feeRate: 10_000n, fee: 9_970n },
  { name: 'a lower rate is raised', sizes: [218], feeRate: 1_000n, fee: 3_010n },
  { name: 'a higher rate', sizes: [218], feeRate: 20_001n, fee: 6_020n },
];

for (const { name, sizes, feeRate, fee } of fees) {
  test(`fee of HTLCs: ${name}`, () => {
    assert.equal(htlcFee(sizes, { value: 546n, scriptPubKey: RECIPIENT, tokenId: 0 }, feeRate), fee);
  });
}
