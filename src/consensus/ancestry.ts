import { isActive, type NetworkParams } from '../params/network.js';

/** The part of a block of the header tree that rules read. */
export interface Ancestor {
  readonly height: number;
  readonly version: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
  readonly parent: Ancestor | undefined;
  /** The block itself or its ancestor at that height; undefined above its height or below 0. */
  ancestor(height: number): Ancestor | undefined;
  /** See {@link medianTimePast}. */
  medianTimePast(): number;
}

const MEDIAN_TIME_SPAN = 11;
/** From Fort Canning on the "median" of eleven times is the ninth. */
const FORT_CANNING_MEDIAN_INDEX = 8;

/**
 * Median of the last eleven block times, this block included; fewer near genesis.
 * @see docs/protocol/chain.md 3.6
 */
export function medianTimePast(block: Ancestor, params: NetworkParams): number {
  const times: number[] = [];
  for (let at: Ancestor | undefined = block; at && times.length < MEDIAN_TIME_SPAN; at = at.parent) times.push(at.time);
  times.sort((a, b) => a - b);
  const late = times.length === MEDIAN_TIME_SPAN && isActive(params, 'fortCanning', block.height);
  return times[late ? FORT_CANNING_MEDIAN_INDEX : times.length >> 1] as number;
}
