import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';

import { decodeBase58, decodeBase58Check, encodeBase58, encodeBase58Check, encodeBase58Hash } from '../../../src/crypto/base58.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { vectorRows } from '../../vectors.js';

const rows = vectorRows('base58_encode_decode.json') as readonly (readonly [string, string])[];

test(`Base58: ${rows.length} published pairs`, () => {
  for (const [hex, text] of rows) {
    assert.equal(encodeBase58(fromHex(hex)), text);
    assert.equal(toHex(decodeBase58(text) ?? Uint8Array.of(0xee)), hex);
  }
});

test('Base58 agrees with an independent library and round-trips', () => {
  fc.assert(
    // Above 96 bytes another code path is used.
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(110), (bytes, zeros) => {
      const padded = Buffer.concat([new Uint8Array(zeros), bytes]);
      const text = encodeBase58(padded);
      assert.equal(text, base58.encode(Uint8Array.from(padded)));
      assert.equal(toHex(decodeBase58(text) ?? Uint8Array.of(0xee)), toHex(padded));
    }),
  );
});

test('Base58 rejects other characters', () => {
  for (const text of ['0', 'O', 'I', 'l', 'a b', 'ä', '\u0131']) assert.equal(decodeBase58(text), undefined);
});

test('Base58Check round-trips, ignores white space around it, and detects any changed digit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(), (payload, where) => {
      const text = encodeBase58Check(payload);
      assert.deepEqual(decodeBase58Check(` \t${text}\n`), decodeBase58Check(text));
      assert.equal(toHex(decodeBase58Check(text) ?? Uint8Array.of(0xee)), toHex(payload));
      const at = where % text.length;
      const digit = text[at] === '2' ? '3' : '2';
      assert.equal(decodeBase58Check(text.slice(0, at) + digit + text.slice(at + 1)), undefined);
    }),
  );
});

test('Base58Check ends at a NUL', () => {
  const text = encodeBase58Check(Uint8Array.of(1, 2, 3));
  for (const rest of ['\0', '\0x', ' \0\0', `\0${text}`]) assert.equal(toHex(decodeBase58Check(text + rest) ?? new Uint8Array()), '010203');
  assert.equal(decodeBase58Check(`\0${text}`), undefined);
  assert.equal(decodeBase58Check(`${text.slice(0, 2)}\0${text.slice(2)}`), undefined);
});

test('Base58Check of a prefix and a hash equals that of their concatenation', () => {
  fc.assert(
    fc.property(fc.nat(255), fc.uint8Array({ minLength: 20, maxLength: 20 }), (prefix, hash) => {
      assert.equal(encodeBase58Hash(prefix, hash), encodeBase58Check(Uint8Array.of(prefix, ...hash)));
    }),
  );
});

test('Base58Check rejects text that is too short for a checksum or too long', () => {
  assert.equal(decodeBase58Check(''), undefined);
  assert.equal(decodeBase58Check('2g'), undefined);
  assert.equal(decodeBase58Check('z'.repeat(1_000_000)), undefined);
});
