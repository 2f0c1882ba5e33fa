import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCompact, difficultyOf, encodeCompact, workOf } from '../../../src/consensus/pos/target.js';

const cases = [
  { bits: 0x1d00ffff, target: 0xffffn << 208n },
  { bits: 0x207fffff, target: 0x7fffffn << 232n },
  { bits: 0x1e0fffff, target: 0x0fffffn << 216n },
  { bits: 0x01120000, target: 0x12n },
  { bits: 0x04923456, target: 0n }, // the sign bit makes it negative
  { bits: 0xff123456, target: 0n }, // overflows 256 bits
];
for (const { bits, target } of cases) {
  test(`decodeCompact: 0x${bits.toString(16)}`, () => assert.equal(decodeCompact(bits), target));
}

test('encodeCompact keeps the three leading bytes of any target', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: (1n << 255n) - 1n }), (target) => {
      const back = decodeCompact(encodeCompact(target));
      assert.ok((back <= target && target - back < target >> 15n) || target < 1n << 23n);
    }),
  );
});

test('encodeCompact inverts decodeCompact on canonical bits', () => {
  for (const bits of [0x1d00ffff, 0x207fffff, 0x1e0fffff, 0x1b0404cb]) assert.equal(encodeCompact(decodeCompact(bits)), bits);
});

test('workOf: a regtest block counts two hashes', () => assert.equal(workOf(0x207fffff), 2n));

test('difficultyOf: regtest and the unit', () => {
  assert.equal(difficultyOf(0x207fffff).toPrecision(16), '4.656542373906925e-10');
  assert.equal(difficultyOf(0x1d00ffff), 1);
});
