import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blake2b } from '@noble/hashes/blake2.js';
import fc from 'fast-check';
import { compress } from '../../../src/evm/precompiles/blake2f.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';

const MASK = (1n << 64n) - 1n;
const IV = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
] as const;
/** Order of the message words in each round, a hex digit for each. */
const ORDER = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
];
const MIXED = ['048c', '159d', '26ae', '37bf', '05af', '16bc', '278d', '349e'];

function input(rounds: number, body: Uint8Array, isFinal: boolean): Uint8Array {
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, rounds);
  return concatBytes(head, body, Uint8Array.of(isFinal ? 1 : 0));
}

test('twelve rounds over the initial vector are the hash of a single block', () => {
  const state = new BigUint64Array(IV);
  state[0] = (state[0] as bigint) ^ 0x01010040n;
  const message = new Uint8Array(128);
  message.set(Buffer.from('abc', 'ascii'));
  const counters = new Uint8Array(16);
  counters[0] = 3;
  const body = concatBytes(new Uint8Array(state.buffer), message, counters);
  assert.equal(toHex(compress(input(12, body, true))), toHex(blake2b(Uint8Array.from(Buffer.from('abc', 'ascii')))));
});

test('any number of rounds equals the rounds of RFC 7693 over bigints', () => {
  const bytes = fc.uint8Array({ minLength: 208, maxLength: 208 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), bytes, fc.boolean(), (rounds, body, isFinal) => {
      assert.equal(toHex(compress(input(rounds, body, isFinal))), toHex(plain(rounds, body, isFinal)));
    }),
  );
});

test('rounds are counted on over the end of one call of the compiled code', () => {
  const body = new Uint8Array(208).fill(0x5a);
  for (const rounds of [999, 1_000, 1_001, 2_345])
    assert.equal(toHex(compress(input(rounds, body, true))), toHex(plain(rounds, body, true)));
});

/** Compression function, as RFC 7693 writes it. */
function plain(rounds: number, body: Uint8Array, isFinal: boolean): Uint8Array {
  const words = [...new BigUint64Array(Uint8Array.from(body).buffer)];
  const before = words.slice(0, 8);
  const message = words.slice(8, 24);
  const v = [...before, ...IV];
  v[12] = at(v, 12) ^ at(words, 24);
  v[13] = at(v, 13) ^ at(words, 25);
  if (isFinal) v[14] = at(v, 14) ^ MASK;
  for (let round = 0; round < rounds; round++) {
    const order = digits(ORDER[round % ORDER.length] as string);
    for (const [i, places] of MIXED.entries()) {
      const [a, b, c, d] = digits(places) as [number, number, number, number];
      for (const [word, first, second] of [
        [order[2 * i], 32n, 24n],
        [order[2 * i + 1], 16n, 63n],
      ] as const) {
        v[a] = (at(v, a) + at(v, b) + at(message, word as number)) & MASK;
        v[d] = rotated(at(v, d) ^ at(v, a), first);
        v[c] = (at(v, c) + at(v, d)) & MASK;
        v[b] = rotated(at(v, b) ^ at(v, c), second);
      }
    }
  }
  return new Uint8Array(new BigUint64Array(before.map((word, i) => word ^ at(v, i) ^ at(v, i + 8))).buffer);
}

function at(words: readonly bigint[], i: number): bigint {
  return words[i] as bigint;
}

function rotated(word: bigint, bits: bigint): bigint {
  return (word >> bits) | ((word << (64n - bits)) & MASK);
}

function digits(text: string): number[] {
  return [...text].map((digit) => Number.parseInt(digit, 16));
}
