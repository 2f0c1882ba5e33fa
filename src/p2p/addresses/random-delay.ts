/** Time to the next of events that happen by chance, once in `meanMs` on average: nobody can tell one from where it comes by its time. */
export function randomDelay(meanMs: number, random: () => number): number {
  return -Math.log(1 - random()) * meanMs;
}
