import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../../src/params/index.js';
import { decode } from '../../../../src/primitives/codec.js';
import { makeTransaction, type Transaction, transaction } from '../../../../src/primitives/transaction.js';
import { formatHex32, formatHex256 } from '../../../../src/services/format/numbers.js';
import { formatTransaction, transactionHex } from '../../../../src/services/format/transaction.js';
import { fromHex } from '../../../../src/util/bytes.js';

const params = networkParams({ network: 'regtest' });
const noTokens = { tokenIds: false };

// Coinbase of block 50 of the recorded chain rpc_blockchain.
const coinbaseHex =
  '020000000001010000000000000000000000000000000000000000000000000000000000000000ffffffff03013200ffffffff0200f2052a010000001976a9' +
  '14b36814fd26190b321aa985809293a41273cfe15e88ac0000000000000000266a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48b' +
  'ebd836974e8cf90120000000000000000000000000000000000000000000000000000000000000000000000000';
const coinbase = decode(transaction(noTokens), fromHex(coinbaseHex));

test('formatTransaction: a coinbase shows its script and sequence only, no witness and no token', () => {
  const shown = formatTransaction(coinbase, { params, hex: transactionHex(coinbase, params, true) });
  assert.equal(shown.txid, '621be78ee7aacc3760cccf36668438ef6695c29bbb0195fca75baade0bff87f0');
  assert.equal(shown.hash, '014407feefd2ca189f5caeb1e80c89db66bf9de9f0abeaeb74d7e4d43b865683');
  assert.deepEqual([shown.version, shown.size, shown.vsize, shown.weight, shown.locktime], [2, 171, 144, 576, 0]);
  assert.deepEqual(shown.vin, [{ coinbase: '013200', scriptsig: undefined, txinwitness: undefined, sequence: 4_294_967_295 }]);
  assert.deepEqual(
    shown.vout.map(({ value, n, tokenid }) => [value, n, tokenid]),
    [
      [5_000_000_000n, 0, undefined],
      [0n, 1, undefined],
    ],
  );
  assert.equal(shown.hex, coinbaseHex);
  assert.equal(shown.blockhash, undefined);
});

function spending(version: number, witness: readonly Uint8Array[]): Transaction {
  const prevout = { txid: fromHex('01'.padEnd(64, '0')), vout: 1 };
  const vin = [{ prevout, scriptSig: fromHex('0151'), sequence: 5, witness }];
  return makeTransaction(
    { version, vin, vout: [{ value: 7n, scriptPubKey: fromHex('51'), tokenId: 15 }], lockTime: 9 },
    { tokenIds: true },
  );
}

test('formatTransaction: an input shows what it spends, with its witness if it has one', () => {
  const [input] = formatTransaction(spending(2, [fromHex('ab'), new Uint8Array()]), { params }).vin;
  const txid = '0000000000000000000000000000000000000000000000000000000000000001';
  const scriptsig = { asm: '81', hex: '0151' };
  assert.deepEqual(input, { txid, vout: 1, scriptsig, txinwitness: { items: ['ab', ''] }, sequence: 5 });
  assert.equal(formatTransaction(spending(2, []), { params }).vin[0]?.txinwitness, undefined);
});

for (const { version, tokenid } of [
  { version: 3, tokenid: undefined },
  { version: 4, tokenid: 15 },
])
  test(`formatTransaction: tokenId of version ${version}`, () => {
    assert.equal(formatTransaction(spending(version, []), { params }).vout[0]?.tokenid, tokenid);
  });

test('formatTransaction: block hash and hex if requested', () => {
  const shown = formatTransaction(coinbase, { params, blockhash: 'ab' });
  assert.deepEqual([shown.blockhash, shown.hex], ['ab', undefined]);
});

test('numbers in hex have all their digits', () => {
  assert.equal(formatHex32(0x20000000), '20000000');
  assert.equal(formatHex32(-2), 'fffffffe');
  assert.equal(formatHex32(1), '00000001');
  assert.equal(formatHex256(0x66n), '0000000000000000000000000000000000000000000000000000000000000066');
});
