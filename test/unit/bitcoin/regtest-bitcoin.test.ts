import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';

test('a transaction that is sent again is in a block of the present height', () => {
  let now = 1_000;
  const bitcoin = new RegtestBitcoin({ seconds: () => now });
  const tx = { txid: new Uint8Array(32).fill(1) } as never;
  const seen: number[] = [];
  bitcoin.on('transaction', ({ height }) => seen.push(height));
  bitcoin.setHeight(1);
  bitcoin.send(tx);
  assert.deepEqual([bitcoin.blockHash(1)?.length, bitcoin.blockHash(2)], [32, undefined]);
  now = 2_000;
  bitcoin.setHeight(2);
  bitcoin.send(tx);
  assert.deepEqual([seen, bitcoin.find(new Uint8Array(32).fill(1))?.time, [...bitcoin.transactions()].length], [[1, 2], 3_000, 1]);
  assert.deepEqual([bitcoin.blockHash(1), bitcoin.blockHash(2)?.length], [undefined, 32]);
});
