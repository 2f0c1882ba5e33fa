import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { countP2shSigOps, countSigOps, countWitnessSigOps } from '../../../src/script/sigops.js';
import { concatBytes, EMPTY_BYTES } from '../../../src/util/bytes.js';

const KEY = Buffer.alloc(33, 2);
const TWO_OF_THREE = buildScript(Op.ONE + 1, KEY, KEY, KEY, Op.ONE + 2, Op.CHECKMULTISIG);
const P2SH = buildScript(Op.HASH160, Buffer.alloc(20), Op.EQUAL);
const P2WPKH = buildScript(Op.ZERO, Buffer.alloc(20));
const P2WSH = buildScript(Op.ZERO, Buffer.alloc(32));

const cases = [
  { name: 'nothing', script: EMPTY_BYTES, legacy: 0, accurate: 0 },
  { name: 'CHECKSIG and CHECKSIGVERIFY', script: buildScript(Op.CHECKSIG, Op.CHECKSIGVERIFY), legacy: 2, accurate: 2 },
  { name: '2 of 3', script: TWO_OF_THREE, legacy: 20, accurate: 3 },
  { name: 'multisig of an unknown number', script: buildScript(Op.DUP, Op.CHECKMULTISIGVERIFY), legacy: 20, accurate: 20 },
  { name: 'multisig after OP_0', script: buildScript(Op.ZERO, Op.CHECKMULTISIG), legacy: 20, accurate: 20 },
  { name: 'operations in pushed data', script: buildScript(Buffer.of(Op.CHECKSIG)), legacy: 0, accurate: 0 },
  { name: 'operations after a truncated push', script: Buffer.of(Op.CHECKSIG, 5, Op.CHECKSIG), legacy: 1, accurate: 1 },
];
for (const { name, script, legacy, accurate } of cases) {
  test(`signature operations: ${name}`, () => {
    assert.equal(countSigOps(script, false), legacy);
    assert.equal(countSigOps(script, true), accurate);
  });
}

test('P2SH counts the script that the input reveals, if the input only pushes', () => {
  const reveal = buildScript(Op.ZERO, Buffer.alloc(70), TWO_OF_THREE);
  assert.equal(countP2shSigOps(P2SH, reveal), 3);
  assert.equal(countP2shSigOps(P2WPKH, reveal), 0);
  assert.equal(countP2shSigOps(P2SH, concatBytes(buildScript(Op.NOP), reveal)), 0);
  assert.equal(countP2shSigOps(P2SH, concatBytes(reveal, Buffer.of(5, 1))), 0);
  assert.equal(countP2shSigOps(P2SH, buildScript(TWO_OF_THREE, Op.ONE)), 0);
  assert.equal(countP2shSigOps(P2SH, EMPTY_BYTES), 0);
});

test('witness programs of version 0 count, bare and inside P2SH', () => {
  const witness = [EMPTY_BYTES, TWO_OF_THREE];
  assert.equal(countWitnessSigOps(P2WPKH, EMPTY_BYTES, witness), 1);
  assert.equal(countWitnessSigOps(P2WSH, EMPTY_BYTES, witness), 3);
  assert.equal(countWitnessSigOps(P2WSH, EMPTY_BYTES, []), 0);
  assert.equal(countWitnessSigOps(P2SH, buildScript(P2WPKH), []), 1);
  assert.equal(countWitnessSigOps(P2SH, buildScript(P2WSH), witness), 3);
  assert.equal(countWitnessSigOps(P2SH, buildScript(TWO_OF_THREE), witness), 0);
  assert.equal(countWitnessSigOps(buildScript(Op.ONE, Buffer.alloc(32)), EMPTY_BYTES, witness), 0);
});
