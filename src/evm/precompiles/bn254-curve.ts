/** Affine point of the first group; (0, 0) is the point at infinity. */
export interface Point1 {
  readonly x: bigint;
  readonly y: bigint;
}

/** Number of the extension field: real and imaginary part. */
export type Extended = readonly [real: bigint, imaginary: bigint];

/** Affine point of the second group; zeros are the point at infinity. */
export interface Point2 {
  readonly x: Extended;
  readonly y: Extended;
}

/** Operations on the curve bn254. Coordinates are below the order of the field. Each returns undefined for a point outside its group. */
export interface Curve {
  add(a: Point1, b: Point1): Point1 | undefined;
  /** @param factor below the order of the group */
  multiply(point: Point1, factor: bigint): Point1 | undefined;
  /** True if the product of the pairings is one. */
  pairsToOne(pairs: readonly (readonly [Point1, Point2])[]): boolean | undefined;
}

/** Order of the field of the coordinates. @see EIP-196 */
export const FIELD_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
/** Order of both groups. @see EIP-196 */
export const GROUP_ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
export const INFINITY: Point1 = { x: 0n, y: 0n };

/** True for points of the first group: all points of its curve, y^2 = x^3 + 3, and infinity. */
export function isOnCurve1(point: Point1): boolean {
  const { x, y } = point;
  return isInfinity1(point) || (y * y - x * x * x - 3n) % FIELD_ORDER === 0n;
}

export function isInfinity1({ x, y }: Point1): boolean {
  return x === 0n && y === 0n;
}

export function isInfinity2({ x, y }: Point2): boolean {
  return x[0] === 0n && x[1] === 0n && y[0] === 0n && y[1] === 0n;
}
