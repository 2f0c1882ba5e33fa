import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainEvent } from '../../../src/chain/chain.js';
import { poolSwap } from '../../../src/dfi/pools/swap-transactions.js';
import { type AppliedCustomTx, indexedBlock, messageOf } from '../../../src/ocean/index/indexed-block.js';
import { networkParams } from '../../../src/params/index.js';
import { skippedCustomTxs } from '../../../src/params/skipped-custom-txs.js';
import { encode } from '../../../src/primitives/codec.js';
import { type Hash256, parseHash256 } from '../../../src/primitives/hash.js';
import { NULL_OUTPOINT, type OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { customTxScript } from '../../../src/script/custom-tx.js';
import { MemoryStore } from '../../../src/storage/memory.js';

const DAKOTA = 10;
const FORT_CANNING = 20;
const METACHAIN = 30;
const params = networkParams({ network: 'regtest', upgradeHeights: { dakota: DAKOTA, fortCanning: FORT_CANNING, metachain: METACHAIN } });
const coin: OutPoint = { txid: new Uint8Array(32).fill(1), vout: 0 };
const body = Buffer.of(1, 2, 3);

/** Transaction with a custom part in its first output, and in the second as well if `twice`. */
function customTx(type: string, { prevout = coin, twice = false }: { prevout?: OutPoint; twice?: boolean } = {}): Transaction {
  const out = { value: 0n, scriptPubKey: customTxScript({ type, body }), tokenId: 0 };
  const vin = [{ prevout, scriptSig: new Uint8Array(2), sequence: 0, witness: [] }];
  return makeTransaction({ version: 4, vin, vout: twice ? [out, out] : [out], lockTime: 0 }, params.txFormat);
}

/** Types of the custom transactions of a block, by their index. */
function appliedAt(height: number, ...transactions: Transaction[]): [txno: number, type: string][] {
  const event = { block: { transactions }, entry: { height } } as unknown as ChainEvent;
  return indexedBlock(event, new MemoryStore(), params).customTxs.map(({ txno, type }) => [txno, type]);
}

test('custom transactions of a block, with type and message; those of a coinbase are none above genesis', () => {
  const coinbase = customTx('s', { prevout: NULL_OUTPOINT });
  const transactions = [coinbase, customTx('s'), customTx('i')];
  const event = { block: { transactions }, entry: { height: 5 } } as unknown as ChainEvent;
  const { customTxs } = indexedBlock(event, new MemoryStore(), params);
  const expected = [
    { tx: transactions[1], txno: 1, type: 's', body },
    { tx: transactions[2], txno: 2, type: 'i', body },
  ];
  assert.deepEqual(
    customTxs.map((each) => ({ ...each, body: Buffer.from(each.body) })),
    expected,
  );
  assert.deepEqual(appliedAt(0, coinbase), [[0, 's']]);
});

test('the height decides which transactions are custom ones', () => {
  const late = customTx('8'); // transferdomain, which came with Metachain
  const twice = customTx('s', { twice: true });
  assert.deepEqual(appliedAt(FORT_CANNING - 1, twice, late), [[0, 's']]);
  assert.deepEqual(appliedAt(FORT_CANNING, twice, late), []);
  assert.deepEqual(appliedAt(METACHAIN, twice, late), [[1, '8']]);
});

test('the known transactions without effect are left out below Dakota, where alone they are', () => {
  const [id = ''] = skippedCustomTxs('regtest');
  const skipped = Object.create(customTx('s'), { txid: { value: parseHash256(id) as Hash256 } }) as Transaction;
  assert.deepEqual(appliedAt(DAKOTA - 1, skipped, customTx('i')), [[1, 'i']]);
  assert.deepEqual(appliedAt(DAKOTA, skipped, customTx('i')), [
    [0, 's'],
    [1, 'i'],
  ]);
});

test('a message is that of its type; one that does not decode is none', () => {
  const swap = { from: body, tokenFrom: 1, amountFrom: 2n, to: body, tokenTo: 3, maxPrice: { integer: 0n, fraction: 0n } };
  assert.ok(poolSwap.codec);
  const applied: AppliedCustomTx = { tx: customTx('s'), txno: 1, type: 's', body: encode(poolSwap.codec, swap) };
  assert.deepEqual(messageOf(poolSwap, applied), swap);
  assert.equal(messageOf(poolSwap, { ...applied, type: 'i' }), undefined);
  assert.equal(messageOf(poolSwap, { ...applied, body }), undefined);
});
