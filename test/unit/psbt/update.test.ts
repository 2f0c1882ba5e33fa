import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { createPsbt } from '../../../src/psbt/psbt.js';
import { updatePsbt } from '../../../src/psbt/update.js';
import { noKeys } from '../../../src/script/key-source.js';
import { EMPTY_BYTES, fromHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';

const { txFormat: format } = networkParams({ network: 'regtest' });
const HASH = 'ab'.repeat(20);

/** True if an input that spends an output with this script is given the output. */
function adds(script: string, metachain = false): boolean {
  const prevout = { txid: new Uint8Array(32).fill(1), vout: 0 };
  const vin = [{ prevout, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
  const psbt = createPsbt(makeTransaction({ version: 2, vin, vout: [], lockTime: 0 }, format));
  const output = { value: 1n, scriptPubKey: fromHex(script), tokenId: 0 };
  const [input] = finish(updatePsbt(psbt, { format, keys: noKeys({ metachain }), outputOf: () => output })).inputs;
  return input?.witnessUtxo !== undefined;
}

test('updatePsbt: outputs of witness programs, except those to EVM addresses where these have a type of their own', () => {
  for (const metachain of [false, true]) {
    assert.ok(adds(`0014${HASH}`, metachain));
    assert.ok(adds(`5114${HASH}`, metachain));
    assert.ok(!adds(`76a914${HASH}88ac`, metachain));
  }
  assert.ok(adds(`6014${HASH}`));
  assert.ok(!adds(`6014${HASH}`, true));
});
