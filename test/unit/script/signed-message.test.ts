import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256d } from '../../../src/crypto/hash.js';
import { messageHash, signMessage, verifyMessage } from '../../../src/script/signed-message.js';
import { fc } from '../../property.js';

const secret = new Uint8Array(32).fill(7);
const idOf = (compressed: boolean): Uint8Array => hash160(publicKeyOf(secret, compressed));

test('prefix and text are hashed with their lengths', () => {
  assert.deepEqual(
    messageHash('ä'),
    sha256d(Buffer.concat([Buffer.from([21]), Buffer.from('Defi Signed Message:\n'), Buffer.from([2, 0xc3, 0xa4])])),
  );
  const long = 'x'.repeat(300);
  assert.deepEqual(
    messageHash(long),
    sha256d(Buffer.concat([Buffer.from([21]), Buffer.from('Defi Signed Message:\n'), Buffer.from([0xfd, 0x2c, 0x01]), Buffer.from(long)])),
  );
});

test('a signature verifies for its text and for the form of key that made it', () => {
  for (const compressed of [true, false]) {
    const signature = signMessage('hello', { secret, compressed });
    assert.equal(signature.length, 65);
    assert.equal(verifyMessage('hello', signature, idOf(compressed)), true);
    assert.equal(verifyMessage('hello', signature, idOf(!compressed)), false);
    assert.equal(verifyMessage('hello ', signature, idOf(compressed)), false);
  }
});

test('any bytes may be passed for a signature', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => !verifyMessage('hello', bytes, idOf(true))));
});
