import { bn254 } from '@noble/curves/bn254.js';
import { type Curve, INFINITY, isInfinity1, isInfinity2, type Point1, type Point2 } from './bn254-curve.js';

const { G1, G2, fields } = bn254;
type Group1 = InstanceType<typeof G1.Point>;
type Group2 = InstanceType<typeof G2.Point>;

/** The curve in JavaScript: ready at once, some six times slower than {@link loadFastCurve}. */
export const plainCurve: Curve = {
  add(a, b) {
    const first = group1(a);
    const second = group1(b);
    return first && second && affine(first.add(second));
  },
  multiply(point, factor) {
    const known = group1(point);
    return known && affine(known.multiplyUnsafe(factor));
  },
  pairsToOne(pairs) {
    const known: { g1: Group1; g2: Group2 }[] = [];
    for (const [first, second] of pairs) {
      const g1 = group1(first);
      const g2 = group2(second);
      if (!g1 || !g2) return undefined;
      // A pairing with the point at infinity is one.
      if (!g1.is0() && !g2.is0()) known.push({ g1, g2 });
    }
    const { Fp12 } = fields;
    return known.length === 0 || Fp12.eql(bn254.pairingBatch(known), Fp12.ONE);
  },
};

function group1(point: Point1): Group1 | undefined {
  return isInfinity1(point) ? G1.Point.ZERO : valid(() => G1.Point.fromAffine(point));
}

function group2(point: Point2): Group2 | undefined {
  const [x, y] = [point.x, point.y].map(([c0, c1]) => ({ c0, c1 })) as [{ c0: bigint; c1: bigint }, { c0: bigint; c1: bigint }];
  return isInfinity2(point) ? G2.Point.ZERO : valid(() => G2.Point.fromAffine({ x, y }));
}

/** The point if it is on its curve and in its group. */
function valid<P extends { assertValidity(): void }>(make: () => P): P | undefined {
  try {
    const point = make();
    point.assertValidity();
    return point;
  } catch {
    return undefined;
  }
}

function affine(point: Group1): Point1 {
  return point.is0() ? INFINITY : point.toAffine();
}
