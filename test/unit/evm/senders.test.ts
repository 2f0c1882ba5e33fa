import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEvmTransaction, recoverSender } from '../../../src/evm/codec/transaction.js';
import { legacy, signed } from '../mempool/evm-transactions.js';

test('the sender of a transaction that was decoded before is the recovered one', () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 20; i++) {
      const { tx, sender } = decodeEvmTransaction(signed(legacy(i), 1 + (i % 5)));
      assert.equal(sender, recoverSender(tx));
    }
  }
});

test('the same transaction with another signature has another sender', () => {
  const senders = [1, 2, 3].map((key) => decodeEvmTransaction(signed(legacy(0), key)).sender);
  assert.equal(new Set(senders).size, 3);
});
