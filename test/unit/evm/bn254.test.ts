import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { GROUP_ORDER, INFINITY, type Point1, type Point2 } from '../../../src/evm/precompiles/bn254-curve.js';
import { loadFastCurve } from '../../../src/evm/precompiles/bn254-fast.js';
import { plainCurve } from '../../../src/evm/precompiles/bn254-plain.js';

const { G1, G2, fields } = bn254;
const fast = await loadFastCurve();

function point1(factor: bigint): Point1 {
  return factor === 0n ? INFINITY : G1.Point.BASE.multiply(factor).toAffine();
}

function point2(factor: bigint): Point2 {
  if (factor === 0n) return { x: [0n, 0n], y: [0n, 0n] };
  const { x, y } = G2.Point.BASE.multiply(factor).toAffine();
  return { x: [x.c0, x.c1], y: [y.c0, y.c1] };
}

/** A point on the curve of the second group that is most likely not in the group, from the first number that has one. */
function strange2(start: bigint): Point2 {
  const { Fp2 } = fields;
  for (let c0 = start; ; c0++) {
    const x = { c0, c1: 3n };
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), twistB);
    try {
      const y = Fp2.sqrt(square);
      return { x: [x.c0, x.c1], y: [y.c0, y.c1] };
    } catch {}
  }
}

/** b of the twist: y² − x³ of its generator. */
const twistB = (() => {
  const { Fp2 } = fields;
  const { x, y } = G2.Point.BASE.toAffine();
  return Fp2.sub(Fp2.sqr(y), Fp2.mul(Fp2.sqr(x), x));
})();

const factor = fc.oneof(fc.constantFrom(0n, 1n, 2n, GROUP_ORDER - 1n), fc.bigInt({ min: 1n, max: GROUP_ORDER - 1n }));
const first = fc.oneof(
  { weight: 4, arbitrary: factor.map(point1) },
  { weight: 1, arbitrary: fc.record({ x: fc.bigInt({ min: 0n, max: 1000n }), y: fc.bigInt({ min: 0n, max: 1000n }) }) },
);
const second = fc.oneof(
  { weight: 4, arbitrary: factor.map(point2) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 1n << 64n }).map(strange2) },
  { weight: 1, arbitrary: factor.map((f) => ({ ...point2(f), y: [5n, 0n] as const })) },
);

test('both curves add and multiply alike', () => {
  fc.assert(
    fc.property(first, first, factor, (a, b, f) => {
      assert.deepEqual(fast.add(a, b), plainCurve.add(a, b));
      assert.deepEqual(fast.add(a, a), plainCurve.add(a, a));
      assert.deepEqual(fast.multiply(a, f), plainCurve.multiply(a, f));
    }),
    { numRuns: 60 },
  );
});

test('both curves judge products of pairings alike, points outside the groups included', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(first, second), { maxLength: 3 }), (pairs) => {
      assert.equal(fast.pairsToOne(pairs), plainCurve.pairsToOne(pairs));
    }),
    { numRuns: 25 },
  );
});

test('a product of pairings that is one is found so', () => {
  for (const [a, b] of [
    [2n, 3n],
    [GROUP_ORDER - 1n, 7n],
    [12_345n, GROUP_ORDER - 2n],
  ] as const) {
    const inverse = GROUP_ORDER - ((a * b) % GROUP_ORDER);
    const pairs = [[point1(a), point2(b)] as const, [point1(inverse), point2(1n)] as const];
    assert.equal(fast.pairsToOne(pairs), true);
    assert.equal(plainCurve.pairsToOne(pairs), true);
    assert.equal(fast.pairsToOne([[point1(a), point2(b + 1n)] as const, pairs[1] as (typeof pairs)[0]]), false);
  }
});

test('a point on the curve outside the second group is refused by both', () => {
  const strange = strange2(1n);
  assert.equal(fast.pairsToOne([[point1(1n), strange]]), undefined);
  assert.equal(plainCurve.pairsToOne([[point1(1n), strange]]), undefined);
});
