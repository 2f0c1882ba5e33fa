import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signTransaction } from '../../../src/dfi/evm/transaction.js';
import { Domain, transferDomainBody } from '../../../src/dfi/evm/transfer-domain-body.js';
import { EvmQueue } from '../../../src/mempool/evm-queue.js';
import { Pool } from '../../../src/mempool/pool.js';
import { encode } from '../../../src/primitives/codec.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { customTxScript } from '../../../src/script/custom-tx.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';

const FORMAT = { tokenIds: true };
const NOW = 1_600_000_000;
let coins = 0;

function custom(type: string, body: Uint8Array, spends?: OutPoint): Transaction {
  const txid = Buffer.alloc(32);
  txid.writeUInt32LE(++coins);
  const vin = [{ prevout: spends ?? { txid, vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }];
  const scripts = [customTxScript({ type, body }), Uint8Array.of(0x51)];
  return makeTransaction(
    { version: 4, vin, vout: scripts.map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 })), lockTime: 0 },
    FORMAT,
  );
}

/** A transferdomain transaction with an EVM transaction signed by a key. */
function transfer(key: number, nonce: number, edge: 'in' | 'out' = 'in', spends?: OutPoint): Transaction {
  const call = { nonce: BigInt(nonce), gasPrice: 0n, gasLimit: 0n, to: undefined, value: 0n, data: EMPTY_BYTES };
  const data = signTransaction(call, new Uint8Array(32).fill(key), 1133);
  const native = { address: EMPTY_BYTES, amount: { tokenId: 0, amount: 1n }, domain: Domain.dvm, data: EMPTY_BYTES };
  const evm = { ...native, domain: Domain.evm, data };
  const sides = edge === 'in' ? { src: native, dst: evm } : { src: evm, dst: native };
  return custom('8', encode(transferDomainBody, { transfers: [sides] }), spends);
}

function open() {
  const pool = new Pool();
  const queue = new EvmQueue(pool);
  const add = (tx: Transaction, time = NOW) =>
    pool.add({ tx, fee: 1_000n, vsize: 200, sigOpsCost: 4, time, height: 5, spendsCoinbase: false });
  return { pool, queue, add };
}

test('a second transaction of the same sender and nonce is rejected, in either direction', () => {
  const { pool, queue, add } = open();
  const first = add(transfer(1, 0));
  assert.throws(() => queue.check(transfer(1, 0, 'out')), { reason: 'evm-low-fee' });
  for (const other of [transfer(1, 1), transfer(2, 0), custom('B', EMPTY_BYTES), custom('8', Uint8Array.of(1))]) queue.check(other);
  pool.remove([first], 'block');
  queue.check(transfer(1, 0));
});

test('at most 64 transactions per sender', () => {
  const { pool, queue, add } = open();
  const entries = Array.from({ length: 64 }, (_, nonce) => add(transfer(1, nonce)));
  assert.throws(() => queue.check(transfer(1, 64)), { reason: 'too-many-evm-txs-by-sender' });
  queue.check(transfer(2, 64));
  pool.remove(entries.slice(0, 1), 'block');
  queue.check(transfer(1, 64));
});

test('olderThan lists expired entries with their auto-auth transactions', () => {
  const { queue, add } = open();
  const proof = add(custom('A', EMPTY_BYTES), NOW - 1);
  const old = add(transfer(1, 0, 'in', { txid: proof.tx.txid, vout: 1 }), NOW - 1);
  const payment = add(custom('B', EMPTY_BYTES), NOW - 1);
  const behind = add(transfer(1, 1, 'in', { txid: payment.tx.txid, vout: 1 }), NOW - 1);
  add(transfer(1, 2), NOW);
  assert.deepEqual(queue.olderThan(NOW), [old, proof, behind]);
  assert.deepEqual(queue.olderThan(NOW - 1), []);
});
