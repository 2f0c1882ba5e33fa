import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multisigDestination, multisigRedeemScript, multisigScript } from '../../../src/script/multisig.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { NodeError } from '../../../src/util/errors.js';

const A = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const LONG = fromHex(
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235',
);
const times = (count: number, key = A): Uint8Array[] => new Array<Uint8Array>(count).fill(key);

test('threshold, keys, their number, opcode', () => {
  assert.equal(toHex(multisigScript(1, [A])), `5121${toHex(A)}51ae`);
  assert.equal(toHex(multisigScript(16, times(16)).subarray(-2)), '60ae');
});

const refused = [
  { required: 0, keys: times(1), message: 'a multisignature address must require at least one key to redeem' },
  { required: 2, keys: times(1), message: 'not enough keys supplied (got 1 keys, but need at least 2 to redeem)' },
  {
    required: 1,
    keys: times(17),
    message: 'Number of keys involved in the multisignature address creation > 16\nReduce the number',
  },
  { required: 1, keys: times(16), message: 'redeemScript exceeds size limit: 547 > 520' },
  { required: 1, keys: times(8, LONG), message: 'redeemScript exceeds size limit: 531 > 520' },
];
for (const { required, keys, message } of refused) {
  test(`${required} of ${keys.length} keys: ${message.split('\n')[0]}`, () => {
    assert.throws(
      () => multisigRedeemScript(required, keys),
      (error) => error instanceof NodeError && error.kind === 'invalid-parameter' && error.message === message,
    );
  });
}

test('the largest that fit', () => {
  assert.equal(multisigRedeemScript(15, times(15)).length, 513);
  assert.equal(multisigRedeemScript(1, times(7, LONG)).length, 465);
});

test('destination of a script by address type', () => {
  const keys = [A];
  const script = multisigRedeemScript(1, keys);
  assert.equal(multisigDestination(script, keys, 'legacy').type, 'sh');
  assert.equal(multisigDestination(script, keys, 'bech32').type, 'wsh');
  const nested = multisigDestination(script, keys, 'p2sh-segwit');
  assert.equal(nested.type, 'sh');
  assert.notDeepEqual(nested, multisigDestination(script, keys, 'legacy'));
});

test('an uncompressed key keeps the script out of witness programs', () => {
  const keys = [A, LONG];
  const script = multisigRedeemScript(1, keys);
  const legacy = multisigDestination(script, keys, 'legacy');
  assert.deepEqual(multisigDestination(script, keys, 'bech32'), legacy);
  assert.deepEqual(multisigDestination(script, keys, 'p2sh-segwit'), legacy);
});
