/** Number among the words of a command line. */
export function countIn(words: readonly string[], otherwise: number): number {
  return Number(words.find((word) => /^\d+$/.test(word)) ?? otherwise);
}

/** Seed among the words of a command line, `seed=7`; the time by default. */
export function seedIn(words: readonly string[]): number {
  return Number(words.flatMap((word) => /^seed=(\d+)$/.exec(word)?.[1] ?? [])[0] ?? Date.now()) | 0;
}
