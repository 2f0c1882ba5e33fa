import { randomInt } from 'node:crypto';

/** A random whole number from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

const RANGE = 2 ** 47;

/**
 * A number from 0 up to 1 from the system's random number generator. `Math.random` is not used in this project: peers see results of
 * such decisions (intervals, evictions, addresses), and from a few of them its state and all later results can be derived.
 */
export function systemRandom(): number {
  return randomInt(RANGE) / RANGE;
}

/**
 * Time until the next of events that occur once in `meanMs` on average, exponentially distributed, so that observers cannot predict it.
 * @param random from 0 up to 1
 */
export function randomDelay(meanMs: number, random: () => number): number {
  return -Math.log(1 - random()) * meanMs;
}
