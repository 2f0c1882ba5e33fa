import type { Fr, G1, G2, GT } from 'mcl-wasm';
import { type Curve, INFINITY, isInfinity1, isInfinity2, type Point1, type Point2 } from './bn254-curve.js';

const HEX = 16;

/** Loads the curve as WebAssembly, which takes a tenth of a second and 30 MB. */
export async function loadFastCurve(): Promise<Curve> {
  const imported = await import('mcl-wasm');
  const mcl = imported.default ?? imported;
  await mcl.init(mcl.BN_SNARK1);

  function group1(point: Point1): G1 | undefined {
    const made = new mcl.G1();
    if (isInfinity1(point)) return made;
    return reads(made, `1 ${point.x.toString(HEX)} ${point.y.toString(HEX)}`) && made.isValid() ? made : undefined;
  }

  function group2(point: Point2): G2 | undefined {
    const made = new mcl.G2();
    if (isInfinity2(point)) return made;
    const text = ['1', ...[...point.x, ...point.y].map((part) => part.toString(HEX))].join(' ');
    return reads(made, text) && made.isValid() && made.isValidOrder() ? made : undefined;
  }

  function scalar(factor: bigint): Fr {
    const made = new mcl.Fr();
    made.setStr(factor.toString(HEX), HEX);
    return made;
  }

  return {
    add(a, b) {
      const first = group1(a);
      const second = group1(b);
      return first && second && affine(mcl.add(first, second));
    },
    multiply(point, factor) {
      const known = group1(point);
      return known && affine(mcl.mul(known, scalar(factor)));
    },
    pairsToOne(pairs) {
      let product: GT | undefined;
      for (const [first, second] of pairs) {
        const g1 = group1(first);
        const g2 = group2(second);
        if (!g1 || !g2) return undefined;
        // A pairing with the point at infinity is one.
        if (g1.isZero() || g2.isZero()) continue;
        const step = mcl.millerLoop(g1, g2);
        product = product ? mcl.mul(product, step) : step;
      }
      return !product || mcl.finalExp(product).isOne();
    },
  };
}

/** False if the library refuses the text as a point. */
function reads(point: G1 | G2, text: string): boolean {
  try {
    point.setStr(text, HEX);
    return true;
  } catch {
    return false;
  }
}

function affine(point: G1): Point1 {
  if (point.isZero()) return INFINITY;
  const [, x, y] = point.getStr(HEX).split(' ');
  return { x: BigInt(`0x${x}`), y: BigInt(`0x${y}`) };
}
