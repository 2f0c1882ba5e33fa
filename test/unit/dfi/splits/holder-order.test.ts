import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largestFirst } from '../../../../src/dfi/splits/holder-order.js';
import { fc } from '../../../property.js';

function holders(shares: readonly number[]) {
  return shares.map((share, i) => ({ owner: Uint8Array.of(i), shares: BigInt(share) }));
}

test('up to 16 holders of equal shares keep their order', () => {
  const sorted = largestFirst(holders([1, 5, 5, 9, 5, ...new Array<number>(11).fill(5)]));
  assert.deepEqual(
    sorted.map(({ owner }) => owner[0]),
    [3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0],
  );
});

// Results of `std::sort` of libstdc++, which `defid` is built with.
const orders = [
  { name: '17 equal shares', shares: new Array<number>(17).fill(5), expected: [8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1] },
  {
    name: '40 shares of three sizes',
    shares: Array.from({ length: 40 }, (_, i) => (i * 7919) % 3),
    expected: [
      10, 19, 22, 16, 25, 13, 28, 31, 7, 34, 4, 37, 1, 32, 20, 29, 35, 26, 23, 38, 2, 17, 14, 5, 11, 8, 30, 39, 3, 36, 6, 33, 9, 0, 12, 27,
      15, 24, 18, 21,
    ],
  },
];
for (const { name, shares, expected } of orders) {
  test(`holders are in the order of defid: ${name}`, () => {
    assert.deepEqual(
      largestFirst(holders(shares)).map(({ owner }) => owner[0]),
      expected,
    );
  });
}

test('random shares are sorted and complete', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 90 }), (shares) => {
      const given = holders(shares);
      const sorted = largestFirst(given);
      assert.deepEqual(new Set(sorted), new Set(given));
      assert.ok(sorted.every((each, i) => i === 0 || (sorted[i - 1] as { shares: bigint }).shares >= each.shares));
    }),
  );
});
