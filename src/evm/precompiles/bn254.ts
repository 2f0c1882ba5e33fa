import { bn254 } from '@noble/curves/bn254.js';
import { Failure } from '../failure.js';
import { readWord, WORD_SIZE, wordBytes } from '../words.js';

const { G1, G2, fields } = bn254;
type Point1 = InstanceType<typeof G1.Point>;
type Point2 = InstanceType<typeof G2.Point>;

const PAIR_SIZE = 6 * WORD_SIZE;
const BAD_INPUT = new Failure('Other("invalid point of bn254")');

/** Sum of two points. @throws {Failure} if one is not on the curve @see EIP-196 */
export function add(input: Uint8Array): Uint8Array {
  return encode(readPoint1(input, 0).add(readPoint1(input, 2 * WORD_SIZE)));
}

/** Product of a point and a number. @throws {Failure} if the point is not on the curve @see EIP-196 */
export function multiply(input: Uint8Array): Uint8Array {
  const point = readPoint1(input, 0);
  return encode(point.multiplyUnsafe(readWord(input, 2 * WORD_SIZE) % fields.Fr.ORDER));
}

/** Number of pairs in an input. @throws {Failure} if its size is no multiple of a pair's */
export function pairCount(input: Uint8Array): number {
  if (input.length % PAIR_SIZE !== 0) throw BAD_INPUT;
  return input.length / PAIR_SIZE;
}

/** 1 if the product of the pairings is one, else 0, as a word. @throws {Failure} for a point that is not of its group @see EIP-197 */
export function pairing(input: Uint8Array): Uint8Array {
  const pairs: { g1: Point1; g2: Point2 }[] = [];
  for (let i = 0; i < pairCount(input); i++) {
    const at = i * PAIR_SIZE;
    const pair = { g1: readPoint1(input, at), g2: readPoint2(input, at + 2 * WORD_SIZE) };
    // A pairing with the point at infinity is one.
    if (!pair.g1.is0() && !pair.g2.is0()) pairs.push(pair);
  }
  const { Fp12 } = fields;
  return wordBytes(pairs.length === 0 || Fp12.eql(bn254.pairingBatch(pairs), Fp12.ONE) ? 1n : 0n);
}

function readPoint1(input: Uint8Array, at: number): Point1 {
  const x = coordinate(input, at);
  const y = coordinate(input, at + WORD_SIZE);
  return x === 0n && y === 0n ? G1.Point.ZERO : valid(() => G1.Point.fromAffine({ x, y }));
}

/** The imaginary part of a coordinate comes first. */
function readPoint2(input: Uint8Array, at: number): Point2 {
  const [xi, xr, yi, yr] = [0, 1, 2, 3].map((i) => coordinate(input, at + i * WORD_SIZE)) as [bigint, bigint, bigint, bigint];
  if (xi === 0n && xr === 0n && yi === 0n && yr === 0n) return G2.Point.ZERO;
  return valid(() => G2.Point.fromAffine({ x: { c0: xr, c1: xi }, y: { c0: yr, c1: yi } }));
}

function coordinate(input: Uint8Array, at: number): bigint {
  const value = readWord(input, at);
  if (value >= fields.Fp.ORDER) throw BAD_INPUT;
  return value;
}

/** Checks that a point is on its curve and in its group. */
function valid<P extends { assertValidity(): void }>(make: () => P): P {
  try {
    const point = make();
    point.assertValidity();
    return point;
  } catch {
    throw BAD_INPUT;
  }
}

function encode(point: Point1): Uint8Array {
  const output = new Uint8Array(2 * WORD_SIZE);
  if (point.is0()) return output;
  const { x, y } = point.toAffine();
  output.set(wordBytes(x));
  output.set(wordBytes(y), WORD_SIZE);
  return output;
}
