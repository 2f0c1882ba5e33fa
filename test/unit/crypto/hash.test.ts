import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hmac } from '@noble/hashes/hmac.js';
import { ripemd160 as nobleRipemd160, sha1 as nobleSha1 } from '@noble/hashes/legacy.js';
import { sha256 as nobleSha256, sha512 as nobleSha512 } from '@noble/hashes/sha2.js';

import { hash160, hmacSha256, hmacSha512, ripemd160, sha1, sha256, sha256d, sha512 } from '../../../src/crypto/hash.js';
import { toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const ABC = Buffer.from('abc');

const known = [
  { name: 'sha1', hash: sha1, hex: 'a9993e364706816aba3e25717850c26c9cd0d89d' },
  { name: 'sha256', hash: sha256, hex: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  { name: 'sha256d', hash: sha256d, hex: '4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358' },
  { name: 'ripemd160', hash: ripemd160, hex: '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc' },
  { name: 'hash160', hash: hash160, hex: 'bb1be98c142444d7a56aa3981c3942a978e4dc33' },
];
for (const { name, hash, hex } of known) test(`${name} of "abc"`, () => assert.equal(toHex(hash(ABC)), hex));

test('a digest keeps no memory but its own', () => {
  for (const { name, hash } of known) assert.equal(hash(ABC).buffer.byteLength, hash(ABC).length, name);
});

test('HMAC of RFC 4231, case 2', () => {
  const key = Buffer.from('Jefe');
  const message = Buffer.from('what do ya want for nothing?');
  assert.equal(toHex(hmacSha256(key, message)), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  assert.match(toHex(hmacSha512(key, message)), /^164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd6/);
});

test('hashes agree with an independent library', () => {
  const data = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(data, data, (key, bytes) => {
      assert.equal(toHex(sha1(bytes)), toHex(nobleSha1(bytes)));
      assert.equal(toHex(sha256(bytes)), toHex(nobleSha256(bytes)));
      assert.equal(toHex(sha512(bytes)), toHex(nobleSha512(bytes)));
      assert.equal(toHex(ripemd160(bytes)), toHex(nobleRipemd160(bytes)));
      assert.equal(toHex(hmacSha256(key, bytes)), toHex(hmac(nobleSha256, key, bytes)));
      assert.equal(toHex(hmacSha512(key, bytes)), toHex(hmac(nobleSha512, key, bytes)));
    }),
  );
});
