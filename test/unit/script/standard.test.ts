import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf, destinationOf, scriptOf } from '../../../src/script/address.js';
import { classify } from '../../../src/script/standard.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const ADDRESS = { pubKeyHash: 0x6f, scriptHash: 0xc4, bech32Prefix: 'bcrt' };
const HASH = '00112233445566778899aabbccddeeff00112233';
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const FULL_KEY = `04${KEY.slice(2)}483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8`;
// Correct size and first byte, but not a point of the curve.
const OFF_CURVE = `02${'ff'.repeat(32)}`;

const cases = [
  { name: 'P2PKH', script: `76a914${HASH}88ac`, type: 'pubkeyhash', count: 1, reqSigs: 1 },
  { name: 'P2PKH with a longer push', script: `76a94c14${HASH}88ac`, type: 'nonstandard', count: 0 },
  { name: 'P2SH', script: `a914${HASH}87`, type: 'scripthash', count: 1, reqSigs: 1 },
  { name: 'P2WPKH', script: `0014${HASH}`, type: 'witness_v0_keyhash', count: 1, reqSigs: 1 },
  { name: 'P2WSH', script: `0020${'ab'.repeat(32)}`, type: 'witness_v0_scripthash', count: 1, reqSigs: 1 },
  { name: 'version 0 of another size', script: `0015${'ab'.repeat(21)}`, type: 'nonstandard', count: 0 },
  { name: 'version 1', script: `5120${'ab'.repeat(32)}`, type: 'witness_unknown', count: 1, reqSigs: 1 },
  { name: 'version 16 of 20 bytes', script: `6014${HASH}`, type: 'witness_unknown', count: 1, reqSigs: 1 },
  { name: 'data', script: '6a0401020304', type: 'nulldata', count: 0 },
  { name: 'OP_RETURN alone', script: '6a', type: 'nulldata', count: 0 },
  { name: 'OP_RETURN with an opcode', script: '6a61', type: 'nonstandard', count: 0 },
  { name: 'OP_RETURN with a cut-off push', script: '6a0501', type: 'nonstandard', count: 0 },
  { name: 'key', script: `21${KEY}ac`, type: 'pubkey', count: 1, reqSigs: 1 },
  { name: 'full key', script: `41${FULL_KEY}ac`, type: 'pubkey', count: 1, reqSigs: 1 },
  { name: 'key off the curve', script: `21${OFF_CURVE}ac`, type: 'pubkey', count: 1, reqSigs: 1 },
  { name: 'key with a wrong first byte', script: `2105${KEY.slice(2)}ac`, type: 'nonstandard', count: 0 },
  { name: '1 of 2', script: `5121${KEY}41${FULL_KEY}52ae`, type: 'multisig', count: 2, reqSigs: 1 },
  { name: '2 of 2 with longer pushes', script: `524c21${KEY}4d2100${KEY}52ae`, type: 'multisig', count: 2, reqSigs: 2 },
  { name: '3 of 2', script: `5321${KEY}21${KEY}52ae`, type: 'nonstandard', count: 0 },
  { name: '1 of 3 with two keys', script: `5121${KEY}21${KEY}53ae`, type: 'nonstandard', count: 0 },
  { name: '0 of 1', script: `0021${KEY}51ae`, type: 'nonstandard', count: 0 },
  { name: 'multisig with trailing opcodes', script: `5121${KEY}5161ae`, type: 'nonstandard', count: 0 },
  { name: 'multisig with a broken key', script: `5103010203${'51'}ae`, type: 'nonstandard', count: 0 },
  { name: 'nothing', script: '', type: 'nonstandard', count: 0 },
  { name: 'OP_TRUE', script: '51', type: 'nonstandard', count: 0 },
] as const;
for (const expected of cases) {
  test(`output type: ${expected.name}`, () => {
    const script = fromHex(expected.script);
    const { type, reqSigs } = classify(script);
    assert.equal(type, expected.type);
    assert.equal(reqSigs, 'reqSigs' in expected ? expected.reqSigs : undefined);
    assert.equal(addressesOf(script, ADDRESS).length, expected.count);
  });
}

test('types of the Metachain releases are known on request', () => {
  assert.equal(classify(fromHex(`6014${HASH}`), { metachain: true }).type, 'witness_v16_ethhash');
  assert.equal(classify(fromHex(`76c014${HASH}88ac`), { metachain: true }).type, 'pubkeyhash');
  assert.equal(classify(fromHex(`76c014${HASH}88ac`)).type, 'nonstandard');
});

test('a bare key pays the address of its hash; bare multisig has no single destination', () => {
  assert.deepEqual(addressesOf(fromHex(`21${KEY}ac`), ADDRESS), ['mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r']);
  const destination = destinationOf(fromHex(`21${KEY}ac`));
  assert.ok(destination?.type === 'pkh');
  assert.equal(toHex(destination.hash), '751e76e8199196d454941c45d1b3a323f1433bd6');
  assert.equal(destinationOf(fromHex(`5121${KEY}51ae`)), undefined);
});

test('any bytes have a type, and the script of a destination has that destination', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (script) => {
      const destination = destinationOf(script);
      if (destination) assert.deepEqual(destinationOf(scriptOf(destination)), destination);
    }),
    { numRuns: 500 },
  );
});
