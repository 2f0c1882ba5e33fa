import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf, signLowR, uncompressed, verify } from '../../../src/crypto/ecdsa.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { KnownPoints } from '../../../src/crypto/known-points.js';

const SECRET = sha256(Buffer.from('secret'));
const KEY = publicKeyOf(SECRET);

test('a key is decompressed at its second use, once', () => {
  let computed = 0;
  const points = new KnownPoints((key) => {
    computed += 1;
    return uncompressed(key);
  });
  assert.deepEqual(points.formOf(KEY), KEY);
  assert.equal(computed, 0);
  for (let use = 0; use < 3; use++) assert.deepEqual(points.formOf(Uint8Array.from(KEY)), publicKeyOf(SECRET, false));
  assert.equal(computed, 1);
});

test('a key off the curve has no form', () => {
  const bad = Uint8Array.from(KEY, (_, i) => (i === 0 ? 2 : 0xff));
  const points = new KnownPoints(uncompressed);
  points.formOf(bad);
  assert.equal(points.formOf(bad), undefined);
});

test('verdicts do not change when a key is used again', () => {
  const hash = sha256(Buffer.from('message'));
  const other = sha256(Buffer.from('other'));
  const signature = signLowR(hash, SECRET);
  const bad = Uint8Array.from(KEY, (byte, i) => (i === 0 ? byte : 0xff));
  const flipped = Uint8Array.from(KEY, (byte, i) => (i === 0 ? byte ^ 1 : byte));
  for (let use = 0; use < 3; use++) {
    assert.equal(verify(KEY, signature, hash), true);
    assert.equal(verify(KEY, signature, other), false);
    assert.equal(verify(flipped, signature, hash), false);
    assert.equal(verify(bad, signature, hash), false);
  }
});
