import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUSTOM_TX_MARKER, customTxPayload, customTxScript } from '../../../src/script/custom-tx.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { fromHex } from '../../../src/util/bytes.js';

function txWith(...scripts: readonly Uint8Array[]) {
  return { vout: scripts.map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 })) };
}

test('customTxPayload finds in the first output what customTxScript writes', () => {
  const payload = { type: 'R', body: fromHex('0102') };
  assert.deepEqual(customTxPayload(txWith(customTxScript(payload))), { ...payload, extra: false });
});

test('customTxPayload ignores the marker in later outputs', () => {
  assert.equal(customTxPayload(txWith(Uint8Array.of(Op.ONE), customTxScript({ type: 'R', body: fromHex('01') }))), undefined);
  assert.equal(customTxPayload(txWith()), undefined);
});

test('customTxPayload answers for the transaction asked about, in any order of calls', () => {
  const [first, second] = ['C', 'R'].map((type) => txWith(customTxScript({ type, body: fromHex('') })));
  const unmarked = txWith(buildScript(Op.RETURN, Buffer.from(CUSTOM_TX_MARKER)));
  const asked = [first, first, second, unmarked, first, unmarked, second].map((tx) => tx && customTxPayload(tx)?.type);
  assert.deepEqual(asked, ['C', 'C', 'R', undefined, 'C', undefined, 'R']);
});
