const ROUNDS = 9;

/**
 * Medians of the CPU time of a call, in seconds. Other work on the machine distorts single measurements, so the cases take turns.
 * @param perRound calls of a case in each round
 */
export async function medians(cases: readonly ((i: number) => unknown)[], perRound = 20): Promise<number[]> {
  const times = cases.map((): number[] => []);
  for (let round = 0, i = 0; round < ROUNDS; round++) {
    for (const [at, call] of cases.entries()) {
      const start = process.cpuUsage();
      for (let n = 0; n < perRound; n++) await call(i++);
      const { user, system } = process.cpuUsage(start);
      times[at]?.push((user + system) / 1e6 / perRound);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1] as number);
}

/** Seconds as a text in microseconds, in columns. */
export const micros = (seconds: number): string => `${(seconds * 1e6).toFixed(0).padStart(6)} us`;
