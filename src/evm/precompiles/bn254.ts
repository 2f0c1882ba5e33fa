import { type Failure, refusedInput } from '../failure.js';
import { readWord, WORD_SIZE, wordBytes } from '../words.js';
import { type Curve, FIELD_ORDER, GROUP_ORDER, INFINITY, isInfinity1, isOnCurve1, type Point1, type Point2 } from './bn254-curve.js';
import { loadFastCurve } from './bn254-fast.js';
import { plainCurve } from './bn254-plain.js';

const PAIR_SIZE = 6 * WORD_SIZE;
/** Places of the coordinates of a pair, in the words of `defid`. */
const PAIR_COORDINATES = [
  'a argument x',
  'a argument y',
  'b argument imaginary coeff x',
  'b argument imaginary coeff y',
  'b argument real coeff x',
  'b argument real coeff y',
] as const;

const BAD_POINT = refusedInput('Invalid curve point');

let curve: Curve = plainCurve;
let loading: Promise<void> | undefined;

/** Sum of two points. @throws {Failure} if one is not on the curve @see EIP-196 */
export function add(input: Uint8Array): Uint8Array {
  return encode(current().add(readPoint(input, 0), readPoint(input, 2 * WORD_SIZE)));
}

/** Product of a point and a number. @throws {Failure} if the point is not on the curve @see EIP-196 */
export function multiply(input: Uint8Array): Uint8Array {
  return encode(current().multiply(readPoint(input, 0), readWord(input, 2 * WORD_SIZE) % GROUP_ORDER));
}

/** Number of pairs in an input. @throws {Failure} if its size is no multiple of a pair's */
export function pairCount(input: Uint8Array): number {
  if (input.length % PAIR_SIZE !== 0) throw refusedInput('bad elliptic curve pairing size');
  return input.length / PAIR_SIZE;
}

/** 1 if the product of the pairings is one, else 0, as a word. @throws {Failure} for a point that is not of its group @see EIP-197 */
export function pairing(input: Uint8Array): Uint8Array {
  const pairs = Array.from({ length: pairCount(input) }, (_, i) => pairAt(input, i));
  const isOne = pairs.every((pair) => pair !== undefined) ? current().pairsToOne(pairs) : undefined;
  if (isOne === undefined) throw firstRefusal(input);
  return wordBytes(isOne ? 1n : 0n);
}

/** Points of a pair; undefined if a coordinate is beyond the field. The imaginary part of a coordinate comes first. */
function pairAt(input: Uint8Array, index: number): readonly [Point1, Point2] | undefined {
  const [x, y, xi, xr, yi, yr] = coordinatesOf(input, index) as [bigint, bigint, bigint, bigint, bigint, bigint];
  if ([x, y, xi, xr, yi, yr].some((coordinate) => coordinate >= FIELD_ORDER)) return undefined;
  return [
    { x, y },
    { x: [xr, xi], y: [yr, yi] },
  ];
}

function coordinatesOf(input: Uint8Array, index: number): readonly bigint[] {
  return PAIR_COORDINATES.map((_, i) => readWord(input, index * PAIR_SIZE + i * WORD_SIZE));
}

/** Reason for the refusal of pairs of which at least one is invalid. */
function firstRefusal(input: Uint8Array): Failure {
  for (let index = 0; index < pairCount(input); index++) {
    const beyond = coordinatesOf(input, index).findIndex((coordinate) => coordinate >= FIELD_ORDER);
    if (beyond >= 0) return refusedInput(`Invalid ${PAIR_COORDINATES[beyond]} coordinate`);
    const [first, second] = pairAt(input, index) as readonly [Point1, Point2];
    if (current().pairsToOne([[INFINITY, second]]) === undefined) return refusedInput('Invalid b argument - not on curve');
    if (!isOnCurve1(first)) return refusedInput('Invalid a argument - not on curve');
  }
  throw new RangeError('no pair is refused');
}

/** Loads the fast curve. Until it is loaded, and on systems where it cannot be loaded, the plain one is used. */
export function useFastCurve(): Promise<void> {
  loading ??= loadFastCurve().then(
    (fast) => {
      curve = fast;
    },
    () => undefined,
  );
  return loading;
}

/** Most nodes never need the fast curve: the first use loads it. */
function current(): Curve {
  void useFastCurve();
  return curve;
}

function readPoint(input: Uint8Array, at: number): Point1 {
  const [x, y] = [readWord(input, at), readWord(input, at + WORD_SIZE)];
  if (x >= FIELD_ORDER) throw refusedInput('Invalid point x coordinate');
  if (y >= FIELD_ORDER) throw refusedInput('Invalid point y coordinate');
  if (!isOnCurve1({ x, y })) throw BAD_POINT;
  return { x, y };
}

function encode(point: Point1 | undefined): Uint8Array {
  if (!point) throw BAD_POINT;
  const output = new Uint8Array(2 * WORD_SIZE);
  if (isInfinity1(point)) return output;
  output.set(wordBytes(point.x));
  output.set(wordBytes(point.y), WORD_SIZE);
  return output;
}
