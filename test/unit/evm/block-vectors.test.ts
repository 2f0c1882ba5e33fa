import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuiltBlock } from '../../../src/evm/block/block-builder.js';
import { EntryRefused } from '../../../src/evm/block/entry-error.js';
import { encodeHeader } from '../../../src/evm/codec/header.js';
import { addressBytes, addressWord, wordBytes } from '../../../src/evm/words.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { MemoryState } from './memory-state.js';
import { addItem, type RecordedAccount, type RecordedReceipt, recordedChains, startBlock } from './recorded-blocks.js';

for (const [name, chain] of Object.entries(recordedChains)) {
  const store = new MemoryState();
  const built: BuiltBlock[] = [];
  for (const recorded of chain.blocks)
    test(`block ${recorded.number} of the recorded chain "${name}"`, () => {
      const block = startBlock(chain, recorded, store, built);
      for (const item of recorded.items) {
        if (item.error === null) addItem(block, item);
        else
          assert.throws(
            () => addItem(block, item),
            (error) => error instanceof EntryRefused && error.message === item.error,
            item.note,
          );
      }
      const result = block.finish();
      built.push(result);
      assert.deepEqual(result.entries.map(receiptOf), recorded.receipts.map(expectedReceipt));
      for (const [label, account] of Object.entries(recorded.accounts)) checkAccount(store, label, account);
      assert.equal(toHex(result.header.stateRoot), recorded.stateRoot);
      assert.equal(toHex(result.header.transactionsRoot), recorded.transactionsRoot);
      assert.equal(toHex(result.header.receiptsRoot), recorded.receiptsRoot);
      assert.equal(toHex(encodeHeader(result.header)), recorded.header);
      assert.equal(toHex(result.hash), recorded.hash);
      assert.deepEqual([result.burnt, result.priority], [BigInt(recorded.burntWei), BigInt(recorded.priorityWei)]);
    });
}

function receiptOf({ hash, price, contract, receipt }: BuiltBlock['entries'][number]) {
  const logs = receipt.logs.map(({ address, topics, data }) => ({
    address: toHex(addressBytes(address)),
    topics: topics.map((topic) => toHex(wordBytes(topic))),
    data: toHex(data),
  }));
  const created = contract === undefined ? null : toHex(addressBytes(contract));
  return { hash: toHex(hash), price, status: Number(receipt.isSuccess), gas: Number(receipt.usedGas), contract: created, logs };
}

function expectedReceipt({ hash, price, status, gas, contract, logs }: RecordedReceipt) {
  const plain = logs.map(({ a, t, d }) => ({ address: a, topics: t, data: d }));
  return { hash, price: BigInt(price), status, gas, contract, logs: plain };
}

function checkAccount(store: MemoryState, label: string, expected: RecordedAccount): void {
  const account = store.account(addressWord(fromHex(expected.address)));
  const actual = account && {
    balance: account.balance,
    nonce: account.nonce,
    storageRoot: toHex(account.storageRoot),
    codeHash: toHex(account.codeHash),
  };
  const { balance, nonce, storageRoot, codeHash } = expected;
  assert.deepEqual(actual, expected.absent ? undefined : { balance: BigInt(balance), nonce: BigInt(nonce), storageRoot, codeHash }, label);
}
