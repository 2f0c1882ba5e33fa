import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { sipHash24, sipKey } from '../../../src/crypto/siphash.js';
import { basicFilter, filterElements, filterHeader } from '../../../src/indexes/filter/basic-filter.js';
import { golombSet } from '../../../src/indexes/filter/golomb.js';
import { ByteReader, DecodeError, decode, encode, list } from '../../../src/primitives/codec.js';
import { formatHash, parseHash256 } from '../../../src/primitives/hash.js';
import { transaction } from '../../../src/primitives/transaction.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { projectRoot } from '../../shared.js';

function sipHash(key: Uint8Array, bytes: Uint8Array): bigint {
  const out = new Uint32Array(2);
  sipHash24(sipKey(key), bytes, out);
  return (BigInt(out[1] as number) << 32n) | BigInt(out[0] as number);
}

/** SipHash as in its paper, in 64-bit words. */
function sipHashByTheBook(key: Uint8Array, bytes: Uint8Array): bigint {
  const mask = (1n << 64n) - 1n;
  const word = (from: Uint8Array, at: number) => Buffer.from(from).readBigUInt64LE(at);
  const rotate = (x: bigint, by: bigint) => ((x << by) | (x >> (64n - by))) & mask;
  const [k0, k1] = [word(key, 0), word(key, 8)];
  let [a, b, c, d] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn, k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const round = () => {
    a = (a + b) & mask;
    b = rotate(b, 13n) ^ a;
    a = rotate(a, 32n);
    c = (c + d) & mask;
    d = rotate(d, 16n) ^ c;
    a = (a + d) & mask;
    d = rotate(d, 21n) ^ a;
    c = (c + b) & mask;
    b = rotate(b, 17n) ^ c;
    c = rotate(c, 32n);
  };
  const padded = Buffer.alloc((Math.floor(bytes.length / 8) + 1) * 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 0xff;
  for (let at = 0; at < padded.length; at += 8) {
    d ^= word(padded, at);
    round();
    round();
    a ^= word(padded, at);
  }
  c ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return a ^ b ^ c ^ d;
}

test('SipHash-2-4: the example of its paper', () => {
  const key = Uint8Array.from({ length: 16 }, (_, i) => i);
  assert.equal(
    sipHash(
      key,
      Uint8Array.from({ length: 15 }, (_, i) => i),
    ),
    0xa129ca6149be45e5n,
  );
});

test('SipHash-2-4 in halves equals SipHash-2-4 in whole words', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.uint8Array({ maxLength: 300 }), (key, bytes) => {
      assert.equal(sipHash(key, bytes), sipHashByTheBook(key, bytes));
    }),
    { numRuns: 200, seed: 1 },
  );
});

test('Golomb set: round trip, and random bytes yield a value or DecodeError', () => {
  const set = golombSet(19);
  const sorted = fc.array(fc.nat(2 ** 30), { maxLength: 50 }).map((values) => values.sort((a, b) => a - b));
  fc.assert(fc.property(sorted, (values) => assert.deepEqual(decode(set, encode(set, values)), values)));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        set.read(new ByteReader(bytes));
      } catch (error) {
        assert.ok(error instanceof DecodeError);
      }
    }),
  );
});

test('Golomb set: layout', () => {
  // Count 2; 3: quotient 0, remainder 3 of 19 bits; then 2^20 more: quotient 2, remainder 0; then zero bits to the byte.
  assert.equal(toHex(encode(golombSet(19), [3, 3 + 2 ** 20])), '02' + '00003c0000' + '00');
});

test('a filter contains every element, without duplicates', () => {
  const elements = ['00', '01', '01', 'ff'.repeat(40)].map(fromHex);
  const values = Array.from(decode(golombSet(19), basicFilter(new Uint8Array(32).fill(7), elements)));
  assert.equal(values.length, 3);
  assert.deepEqual(
    [...values].sort((a, b) => a - b),
    values,
  );
});

type Row = readonly [number, string, string, readonly string[], string, string, string, string];

test('published block filters', () => {
  const rows = JSON.parse(readFileSync(join(projectRoot, 'test/vectors/blockfilters.json'), 'utf8')) as readonly Row[];
  let count = 0;
  for (const [height, hash, raw, spent, previousHeader, filter, header] of rows.slice(1)) {
    // Bitcoin's header is 80 bytes; the rest of the block has the form of our blocks.
    const transactions = decode(list(transaction({ tokenIds: false })), fromHex(raw).subarray(80));
    const made = basicFilter(parseHash256(hash), filterElements({ transactions }, spent.map(fromHex)));
    assert.equal(toHex(made), filter, `filter of ${height}`);
    assert.equal(formatHash(filterHeader(made, parseHash256(previousHeader))), header, `header of ${height}`);
    count += 1;
  }
  assert.equal(count, 10);
});
