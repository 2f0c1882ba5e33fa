import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmBlock, evmReceipts, putEvmBlock, type StoredBlock } from '../../../src/dfi/evm/blocks.js';
import { logsOfBlock } from '../../../src/dfi/evm/log-index.js';
import { blockForm } from '../../../src/ethereum/forms/block.js';
import { receiptForm } from '../../../src/ethereum/forms/receipt.js';
import type { EthereumObject } from '../../../src/ethereum/json.js';
import { logObjects, objectsOf } from '../../../src/ethereum/log-filter.js';
import type { EthereumModules } from '../../../src/ethereum/modules.js';
import { Subscriptions } from '../../../src/ethereum/subscriptions.js';
import type { BuiltBlock } from '../../../src/evm/block/block-builder.js';
import { bloomOf } from '../../../src/evm/codec/bloom.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { Emitter } from '../../../src/util/events.js';
import { silentLogger } from '../../../src/util/logger.js';
import { finish, type Steps } from '../../../src/util/slicer.js';
import { turnsOf } from '../../event-loop-turns.js';

const ANY = { addresses: new Set<bigint>(), topics: [] };
const HASH = new Uint8Array(32).fill(5);
const HEIGHT = 7;

/** A store with a block of transactions with many logs each. */
function storeWith(count: number, transactions = 1): MemoryStore {
  const root = new Uint8Array(32);
  const roots = { parentHash: root, stateRoot: root, transactionsRoot: root, receiptsRoot: root, logsBloom: new Uint8Array(256) };
  const figures = { difficulty: 1n, number: 0n, gasLimit: 30_000_000n, gasUsed: 21_000n, timestamp: 5n, baseFee: 10n ** 10n };
  const header = { ...roots, ...figures, beneficiary: new Uint8Array(20), extraData: new Uint8Array(0) };
  const logs = Array.from({ length: count }, (_, i) => ({ address: 7n, topics: [BigInt(i % 3)], data: new Uint8Array(0) }));
  const signature = { parity: 0, r: 1n, s: 1n } as const;
  const fields = { nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: 5n, value: 7n, data: new Uint8Array(0), accessList: [] };
  const tx = { type: 0, chainId: 1n, ...fields, signature } as const;
  const receipt = { isSuccess: true, usedGas: 21_000n, logs, isSystem: false };
  const entries = Array.from({ length: transactions }, () => ({ tx, sender: 9n, hash: HASH, receipt, contract: undefined, price: 3n }));
  const store = new MemoryStore();
  const overlay = new Overlay(store);
  putEvmBlock(overlay, { header, hash: HASH, entries } as unknown as BuiltBlock, { dvmHeight: HEIGHT, dvmHash: HASH, txids: new Map() });
  store.write(overlay.changes());
  return store;
}

function pausesOf(steps: Steps<unknown>): number {
  for (let pauses = 0; ; pauses++) if (steps.next().done) return pauses;
}

test('the forms of many logs of a block are made with interruptions', () => {
  const store = storeWith(1000);
  const [block, receipts] = [evmBlock(store, 0) as StoredBlock, evmReceipts(store, 0)];
  const found = logsOfBlock(receipts, 0, ANY);
  assert.equal(pausesOf(objectsOf(block, found)), 15);
  assert.ok(pausesOf(logObjects(store, { ...ANY, from: 0, to: 0 })) >= 15);
  assert.equal(pausesOf(receiptForm(block, receipts, 0)), 30, 'of the logs, and of their bloom filter');
  const { logs } = finish(receiptForm(block, receipts, 0)) as { logs: readonly EthereumObject[] };
  assert.deepEqual(logs, finish(objectsOf(block, found)));
});

test('the transactions of a block are shown in slices', async () => {
  const store = storeWith(0, 1000);
  const call = { signal: new AbortController().signal };
  let shown: EthereumObject | undefined;
  const turns = await turnsOf(async () => {
    shown = await blockForm(evmBlock(store, 0) as StoredBlock, evmReceipts(store, 0), false, call);
  });
  assert.ok(turns > 10, String(turns));
  const { transactions } = shown as { transactions: readonly EthereumObject[] };
  assert.equal(transactions.length, 1000);
  assert.equal(transactions[999]?.transactionIndex, '0x3e7');
});

test('more logs in a block than a call has arguments', () => {
  const store = storeWith(200_000);
  assert.equal(finish(logObjects(store, { ...ANY, from: 0, to: 0 })).objects.length, 200_000);
});

test('repeated addresses and topics do not change a bloom filter', () => {
  const log = (address: bigint, ...topics: bigint[]) => ({ address, topics, data: new Uint8Array(0) });
  assert.deepEqual(bloomOf([log(1n, 2n), log(1n, 2n, 3n)]), bloomOf([log(1n, 3n, 2n)]));
  assert.notDeepEqual(bloomOf([log(1n, 2n)]), bloomOf([log(2n, 1n)]), 'an address is no topic');
});

test('subscribers receive many logs in several turns, and none after the end of the subscription', async () => {
  const store = storeWith(1000);
  const events = new Emitter<Record<string, unknown>>();
  const chain = { state: store, on: (name: string, listener: (event: unknown) => void) => events.on(name, listener) };
  const modules = { chain, mempool: { pool: { on() {} } }, sync: { progress: () => undefined }, isStrict: false };
  const subscriptions = new Subscriptions(modules as unknown as EthereumModules, silentLogger);
  let received = 0;
  const id = subscriptions.add(['logs', undefined], () => {
    received += 1;
    if (received === 300) subscriptions.remove(id);
  });
  let last = 0;
  const other = subscriptions.add(['logs', undefined], () => {
    last += 1;
  });
  const turns = await turnsOf(async () => {
    events.emit('connected', { entry: { height: HEIGHT, hash: HASH } });
    while (last < 1000) await new Promise((resolve) => setImmediate(resolve));
  });
  assert.ok(subscriptions.has(other));
  assert.equal(received, 300);
  assert.ok(turns > 100, String(turns));
});
