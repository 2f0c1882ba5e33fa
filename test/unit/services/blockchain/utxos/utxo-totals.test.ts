import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Coin, coins } from '../../../../../src/chain/coins.js';
import { sha256d } from '../../../../../src/crypto/hash.js';
import { ByteWriter, encode, varBytes } from '../../../../../src/primitives/codec.js';
import type { OutPoint } from '../../../../../src/primitives/outpoint.js';
import { varInt } from '../../../../../src/primitives/var-int.js';
import { scanUtxos } from '../../../../../src/services/blockchain/utxos/utxo-totals.js';
import { MemoryStore } from '../../../../../src/storage/memory.js';
import { Overlay } from '../../../../../src/storage/overlay.js';
import { equalBytes, fromHex, toHex } from '../../../../../src/util/bytes.js';
import { fc } from '../../../../property.js';

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
    *rows(): Generator<readonly [string, Uint8Array]> {
      const row = encode(coins.value, coin(1n, '51', { height: 1, coinbase: false }));
      for (;;) yield ['\x11'.repeat(36), row];
    },
  };
  const caller = new AbortController();
  const scan = scanUtxos(endless, bestBlock, caller.signal);
  caller.abort(new Error('gone'));
  await assert.rejects(scan, /gone/);
});

/** The stream of docs/protocol/chain.md 8, by the codecs of its parts. */
function streamOf(set: readonly (readonly [OutPoint, Coin])[]): Uint8Array {
  const w = new ByteWriter();
  w.bytes(bestBlock);
  set.forEach(([point, { out, height, coinbase }], i) => {
    const before = set[i - 1]?.[0].txid;
    if (!before || !equalBytes(before, point.txid)) {
      if (before) w.u8(0);
      w.bytes(point.txid);
      w.u8(height === 0 && !coinbase ? 0 : 1);
    }
    varInt.write(w, point.vout + 1);
    varBytes.write(w, out.scriptPubKey);
    varInt.write(w, Number(out.value));
  });
  if (set.length > 0) w.u8(0);
  return w.finish();
}

const anyCoin = fc.record({
  tx: fc.nat(20),
  vout: fc.oneof(fc.nat(3), fc.nat(0xffff_ffff)),
  value: fc.oneof(fc.nat(300), fc.nat(Number.MAX_SAFE_INTEGER)),
  scriptBytes: fc.oneof(fc.nat(70), fc.constantFrom(252, 253, 65_535, 65_536, 70_000)),
  height: fc.nat(3_000_000),
  coinbase: fc.boolean(),
});

test('scanUtxos: totals and hash of any set are those of its coins', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCoin, { maxLength: 60 }), async (given) => {
      const view = new Overlay(new MemoryStore());
      for (const { tx, vout, value, scriptBytes, height, coinbase } of given) {
        const out = { value: BigInt(value), scriptPubKey: new Uint8Array(scriptBytes).fill(tx), tokenId: tx };
        view.put(coins, { txid: new Uint8Array(32).fill(tx), vout }, { out, height, coinbase });
      }
      const set = [...view.entries(coins)];
      const totals = await scanUtxos(view, bestBlock);
      assert.equal(toHex(totals.hash), toHex(sha256d(streamOf(set))));
      assert.equal(totals.outputs, set.length);
      assert.equal(totals.transactions, new Set(set.map(([{ txid }]) => toHex(txid))).size);
      assert.equal(
        totals.amount,
        set.reduce((sum, [, { out }]) => sum + out.value, 0n),
      );
      assert.equal(
        totals.bogoSize,
        set.reduce((sum, [, { out }]) => sum + 50 + out.scriptPubKey.length, 0),
      );
    }),
  );
});
