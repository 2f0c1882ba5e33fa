import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Coin } from '../../../../../src/chain/coins.js';
import { networkParams } from '../../../../../src/params/index.js';
import { NULL_OUTPOINT, type OutPoint } from '../../../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../../../src/primitives/transaction.js';
import { blockStats } from '../../../../../src/services/blockchain/stats/block-stats.js';

const params = networkParams({ network: 'regtest', noTokens: true });
const script = new Uint8Array(25);

const somewhere: OutPoint = { txid: new Uint8Array(32).fill(1), vout: 0 };

function pay(value: bigint, { prevout = somewhere, inputs = 1 } = {}): Transaction {
  const vin = Array.from({ length: inputs }, () => ({ prevout, scriptSig: new Uint8Array(), sequence: 0, witness: [] }));
  return makeTransaction({ version: 2, vin, vout: [{ value, scriptPubKey: script, tokenId: 0 }], lockTime: 0 }, params.txFormat);
}

function coin(value: bigint): Coin {
  return { out: { value, scriptPubKey: script, tokenId: 0 }, height: 1, coinbase: false };
}

function statsOf(payments: readonly { readonly tx: Transaction; readonly spent: readonly Coin[] }[]) {
  const coinbase = pay(50n, { prevout: NULL_OUTPOINT });
  const block = { ...params.genesis, transactions: [coinbase, ...payments.map(({ tx }) => tx)] };
  const input = { block, height: 5, mediantime: 9, spent: [[], ...payments.map(({ spent }) => spent)], params };
  return blockStats(input, new AbortController());
}

test('blockStats: a coinbase alone', async () => {
  const stats = await statsOf([]);
  assert.deepEqual([stats.txs, stats.outs, stats.ins, stats.utxoIncrease, stats.totalOut], [1n, 1n, 0n, 1n, 0n]);
  assert.deepEqual([stats.avgfee, stats.avgfeerate, stats.medianfee, stats.minfee, stats.mintxsize], [0n, 0n, 0n, 0n, 0n]);
  assert.deepEqual(stats.feeratePercentiles.feerates, [0n, 0n, 0n, 0n, 0n]);
  // 8 bytes of amount, 26 of script, 41 around them.
  assert.equal(stats.utxoSizeInc, 75n);
  assert.equal(stats.subsidy, 5_000_000_000n);
});

test('blockStats: fees, medians of an even number, percentiles by weight', async () => {
  // 85 bytes and weight 340 each, with fees of 85 × 1, 2, 3 and 10 satoshis.
  const stats = await statsOf([1n, 2n, 3n, 10n].map((rate) => ({ tx: pay(1_000n), spent: [coin(1_000n + 85n * rate)] })));
  assert.deepEqual([stats.txs, stats.ins, stats.outs, stats.utxoIncrease, stats.utxoSizeInc], [5n, 4n, 5n, 1n, 75n]);
  assert.deepEqual([stats.totalfee, stats.avgfee, stats.medianfee, stats.minfee, stats.maxfee], [1_360n, 340n, 212n, 85n, 850n]);
  assert.deepEqual([stats.avgfeerate, stats.minfeerate, stats.maxfeerate], [4n, 1n, 10n]);
  assert.deepEqual([stats.totalSize, stats.totalWeight, stats.avgtxsize, stats.mediantxsize], [340n, 1_360n, 85n, 85n]);
  assert.deepEqual(stats.feeratePercentiles.feerates, [1n, 1n, 2n, 3n, 10n]);
  assert.equal(stats.totalOut, 4_000n);
});

test('blockStats: a median of an odd number and the largest transaction', async () => {
  const payments = [1, 2, 4].map((inputs) => ({ tx: pay(10n, { inputs }), spent: Array.from({ length: inputs }, () => coin(100n)) }));
  const stats = await statsOf(payments);
  assert.deepEqual([stats.medianfee, stats.maxfee, stats.ins], [190n, 390n, 7n]);
  assert.deepEqual([stats.mintxsize, stats.mediantxsize, stats.maxtxsize], [85n, 126n, 208n]);
});
