import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Coin, coins } from '../../../../../src/chain/coins.js';
import type { OutPoint } from '../../../../../src/primitives/outpoint.js';
import { scanUtxos } from '../../../../../src/services/blockchain/utxos/utxo-totals.js';
import { MemoryStore } from '../../../../../src/storage/memory.js';
import { Overlay } from '../../../../../src/storage/overlay.js';
import type { Range, StateView } from '../../../../../src/storage/view.js';
import { fromHex, toHex } from '../../../../../src/util/bytes.js';

const bestBlock = new Uint8Array(32).fill(0x11);

function coin(value: bigint, script: string, created: { height: number; coinbase: boolean }): Coin {
  return { out: { value, scriptPubKey: fromHex(script), tokenId: 0 }, ...created };
}

test('scanUtxos: totals and hash of a set, amounts above 2^53 included', async () => {
  const view = new Overlay(new MemoryStore());
  const first = new Uint8Array(32).fill(0x22);
  view.put(coins, { txid: new Uint8Array(32).fill(0x33), vout: 0 }, coin(2n ** 53n - 1n, '51', { height: 0, coinbase: false }));
  view.put(coins, { txid: first, vout: 3 }, coin(5n, '', { height: 7, coinbase: false }));
  view.put(coins, { txid: first, vout: 0 }, coin(10n ** 17n, '5152', { height: 7, coinbase: false }));
  const totals = await scanUtxos(view, bestBlock);
  assert.equal(totals.transactions, 2);
  assert.equal(totals.outputs, 3);
  assert.equal(totals.bogoSize, 153);
  assert.equal(totals.amount, 109_007_199_254_740_996n);
  // Computed independently of this code, after docs/protocol/chain.md 8.
  assert.equal(toHex(totals.hash), '3963fa9ecb400046dcbed252b6de0e05258a03c3a5890d35fed065399db8b16e');
});

test('scanUtxos: a scan that is no longer needed ends', async () => {
  const endless = {
    *entries<K, V>(_column: unknown, _range?: Range<K>): Iterable<readonly [K, V]> {
      const point: OutPoint = { txid: bestBlock, vout: 0 };
      for (;;) yield [point, coin(1n, '51', { height: 1, coinbase: false })] as unknown as readonly [K, V];
    },
  } as unknown as StateView;
  const caller = new AbortController();
  const scan = scanUtxos(endless, bestBlock, caller.signal);
  caller.abort(new Error('gone'));
  await assert.rejects(scan, /gone/);
});
