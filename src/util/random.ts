import { randomInt } from 'node:crypto';

/** A random integer from 0 to `below` - 1. */
export type Random = (below: number) => number;

const RANGE = 2 ** 47;

/**
 * A random number in [0, 1) from the random number generator of the system. `Math.random` is not used: peers observe results of such
 * decisions (intervals, evictions, addresses), from which its state and all later results can be derived.
 */
export function systemRandom(): number {
  return randomInt(RANGE) / RANGE;
}

/**
 * Exponentially distributed delay (Poisson process), which observers cannot predict.
 * @param random returns a number in [0, 1)
 * @returns milliseconds
 */
export function randomDelay(meanMs: number, random: () => number): number {
  return -Math.log(1 - random()) * meanMs;
}

/** Copy in random order (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
