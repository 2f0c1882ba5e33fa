import { Failure } from '../failure.js';
import { readWord, WORD_SIZE, wordBytes } from '../words.js';
import { type Curve, FIELD_ORDER, GROUP_ORDER, isInfinity1, type Point1, type Point2 } from './bn254-curve.js';
import { loadFastCurve } from './bn254-fast.js';
import { plainCurve } from './bn254-plain.js';

const PAIR_SIZE = 6 * WORD_SIZE;
const BAD_INPUT = new Failure('Other("invalid point of bn254")');

let curve: Curve = plainCurve;
let loading: Promise<void> | undefined;

/** Sum of two points. @throws {Failure} if one is not on the curve @see EIP-196 */
export function add(input: Uint8Array): Uint8Array {
  return encode(current().add(readPoint1(input, 0), readPoint1(input, 2 * WORD_SIZE)));
}

/** Product of a point and a number. @throws {Failure} if the point is not on the curve @see EIP-196 */
export function multiply(input: Uint8Array): Uint8Array {
  return encode(current().multiply(readPoint1(input, 0), readWord(input, 2 * WORD_SIZE) % GROUP_ORDER));
}

/** Number of pairs in an input. @throws {Failure} if its size is no multiple of a pair's */
export function pairCount(input: Uint8Array): number {
  if (input.length % PAIR_SIZE !== 0) throw BAD_INPUT;
  return input.length / PAIR_SIZE;
}

/** 1 if the product of the pairings is one, else 0, as a word. @throws {Failure} for a point that is not of its group @see EIP-197 */
export function pairing(input: Uint8Array): Uint8Array {
  const pairs = Array.from({ length: pairCount(input) }, (_, i) => {
    const at = i * PAIR_SIZE;
    return [readPoint1(input, at), readPoint2(input, at + 2 * WORD_SIZE)] as const;
  });
  return wordBytes(known(current().pairsToOne(pairs)) ? 1n : 0n);
}

/** Loads the fast curve; until it is there, and where it cannot be loaded, the plain one computes. */
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

function known<T>(result: T | undefined): T {
  if (result === undefined) throw BAD_INPUT;
  return result;
}

function readPoint1(input: Uint8Array, at: number): Point1 {
  return { x: coordinate(input, at), y: coordinate(input, at + WORD_SIZE) };
}

/** The imaginary part of a coordinate comes first. */
function readPoint2(input: Uint8Array, at: number): Point2 {
  const [xi, xr, yi, yr] = [0, 1, 2, 3].map((i) => coordinate(input, at + i * WORD_SIZE)) as [bigint, bigint, bigint, bigint];
  return { x: [xr, xi], y: [yr, yi] };
}

function coordinate(input: Uint8Array, at: number): bigint {
  const value = readWord(input, at);
  if (value >= FIELD_ORDER) throw BAD_INPUT;
  return value;
}

function encode(result: Point1 | undefined): Uint8Array {
  const point = known(result);
  const output = new Uint8Array(2 * WORD_SIZE);
  if (isInfinity1(point)) return output;
  output.set(wordBytes(point.x));
  output.set(wordBytes(point.y), WORD_SIZE);
  return output;
}
