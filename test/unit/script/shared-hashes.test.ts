import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
import type { TransactionFields } from '../../../src/primitives/transaction.js';
import { legacySignatureHash, WitnessHashes, witnessSignatureHash } from '../../../src/script/sighash.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';

const format = { tokenIds: true };

function transactionOf(inputs: number, outputs: number): TransactionFields {
  return {
    version: 4,
    lockTime: 7,
    vin: Array.from({ length: inputs }, (_, n) => ({
      prevout: { txid: sha256(Uint8Array.of(n, n >> 8)), vout: n },
      scriptSig: new Uint8Array(n % 5).fill(n),
      sequence: 0xfffffff0 + (n % 8),
      witness: [],
    })),
    vout: Array.from({ length: outputs }, (_, n) => ({
      value: BigInt(n),
      scriptPubKey: new Uint8Array(n % 30).fill(0x51),
      tokenId: n % 3,
    })),
  };
}

/** A plain script, and one with code separators, which are not signed. */
const scripts = ['76a914', '51ab52ab'].map(fromHex);
const hashTypes = [0x00, 0x01, 0x02, 0x03, 0x41, 0x81, 0x82, 0x83, 0xff];

for (const [inputs, outputs] of [
  [1, 1],
  [8, 2],
  [9, 2],
  [252, 1],
  [253, 300],
] as const) {
  test(`legacy signatures of ${inputs} inputs: shared parts change no hash`, () => {
    const tx = transactionOf(inputs, outputs);
    const shared = new WitnessHashes(tx, format);
    const prepared = new WitnessHashes(tx, format);
    finish(prepared.prepare());
    assert.equal(shared.blank !== undefined, inputs > 8);
    for (const input of new Set([0, 1, inputs >> 1, inputs - 1])) {
      for (const script of scripts) {
        for (const hashType of hashTypes) {
          const alone = toHex(legacySignatureHash({ tx, format, input }, script, hashType));
          assert.equal(toHex(legacySignatureHash({ tx, format, input }, script, hashType, shared)), alone);
          assert.equal(toHex(legacySignatureHash({ tx, format, input }, script, hashType, prepared)), alone);
        }
      }
    }
  });
}

test('witness signatures: hashes made in steps are the same', () => {
  const tx = transactionOf(300, 300);
  const steps = new WitnessHashes(tx, format);
  assert.ok([...steps.prepare()].length > 2);
  const signing = { scriptCode: scripts[0] as Uint8Array, value: 5n, hashType: 1 };
  assert.deepEqual(witnessSignatureHash(steps, 299, signing), witnessSignatureHash(new WitnessHashes(tx, format), 299, signing));
});
