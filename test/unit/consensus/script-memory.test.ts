import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { VerifiedScripts } from '../../../src/consensus/script-cache.js';
import { SignatureCache } from '../../../src/consensus/signature-cache.js';
import { publicKeyOf, verify } from '../../../src/crypto/ecdsa.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { fromHex } from '../../../src/util/bytes.js';

// Key 1, and a signature of the hash below with the nonce that RFC 6979 gives.
const SECRET = fromHex('0000000000000000000000000000000000000000000000000000000000000001');
const HASH = sha256(Buffer.from('Satoshi Nakamoto'));
const SIGNATURE = fromHex(
  '3045022100934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d802202442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
);
let key: Uint8Array;

before(() => {
  key = publicKeyOf(SECRET);
  assert.equal(verify(key, SIGNATURE, HASH), true);
});

test('a valid signature is cached by signature, key and hash', () => {
  const cache = new SignatureCache(100_000, new Uint8Array(16));
  assert.equal(cache.has(key, SIGNATURE, HASH), false);
  assert.equal(cache.verify(key, SIGNATURE, HASH), true);
  assert.equal(cache.has(key, SIGNATURE, HASH), true);
  assert.equal(cache.verify(key, SIGNATURE, HASH), true);
  assert.equal(cache.size, 1);
  const other = sha256(HASH);
  assert.equal(cache.verify(key, SIGNATURE, other), false);
  assert.equal(cache.verify(publicKeyOf(other), SIGNATURE, HASH), false);
});

test('an invalid signature is not cached', () => {
  const cache = new SignatureCache(100_000, new Uint8Array(16));
  const wrong = Uint8Array.from(SIGNATURE);
  wrong[40] = 1;
  assert.equal(cache.verify(key, wrong, HASH), false);
  assert.equal(cache.size, 0);
});

test('signatures verified elsewhere can be added', () => {
  const cache = new SignatureCache(100_000, new Uint8Array(16));
  cache.add(key, SIGNATURE, sha256(HASH));
  // An invalid signature, added as valid: it is not verified again.
  assert.equal(cache.verify(key, SIGNATURE, sha256(HASH)), true);
});

test('without a cache every signature is verified', () => {
  const cache = new SignatureCache(0);
  assert.equal(cache.verify(key, SIGNATURE, HASH), true);
  assert.equal(cache.has(key, SIGNATURE, HASH), false);
});

test('valid scripts are cached with their flags', () => {
  const scripts = new VerifiedScripts(10_000);
  const tx = { wtxid: HASH };
  scripts.add(tx, 5);
  assert.deepEqual([scripts.has(tx, 5), scripts.has(tx, 7), scripts.has({ wtxid: sha256(HASH) }, 5)], [true, false, false]);
});
