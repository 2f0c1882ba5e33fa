import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf, signLowR, verify } from '../../../src/crypto/ecdsa.js';
import { nativeBackend } from '../../../src/crypto/ecdsa-native.js';
import { nobleBackend } from '../../../src/crypto/ecdsa-noble.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

const secret = (n: number): Uint8Array => sha256(Uint8Array.of(n));

test('signLowR: 70 bytes at most, strict DER, and the key verifies it', () => {
  for (let i = 0; i < 40; i++) {
    const hash = sha256(Uint8Array.of(i, 1));
    const signature = signLowR(hash, secret(i));
    assert.ok(signature.length <= 70, toHex(signature));
    assert.equal((signature[4] as number) & 0x80, 0);
    assert.equal(signature[3], 32, 'r without padding');
    assert.ok(verify(publicKeyOf(secret(i)), signature, hash));
    assert.deepEqual(signLowR(hash, secret(i)), signature);
  }
});

test('signLowR: both libraries use extra data for the nonce alike', () => {
  const [native, noble] = [nativeBackend(), nobleBackend()];
  for (const extra of [undefined, new Uint8Array(32).fill(1), fromHex(`05${'00'.repeat(31)}`)]) {
    const hash = sha256(fromHex('aabb'));
    const [a, b] = [native.sign(hash, secret(7), extra), noble.sign(hash, secret(7), extra)];
    assert.deepEqual([toHex(a.signature), a.recoveryId], [toHex(b.signature), b.recoveryId]);
  }
});

test('signLowR: an invalid key or hash is rejected', () => {
  assert.throws(() => signLowR(new Uint8Array(31), secret(1)), RangeError);
  assert.throws(() => signLowR(new Uint8Array(32), new Uint8Array(32)), RangeError);
});
