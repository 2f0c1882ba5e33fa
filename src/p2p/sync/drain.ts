import { setTimeout as sleep } from 'node:timers/promises';

/** Longest that a stop is put off: a peer may never send what it was asked for. */
const LONGEST_MS = 200;
const ROUND_MS = 5;
/** Rounds without work after which none is expected: what has reached the socket by now is read by the second. */
const QUIET_ROUNDS = 2;

/** Waits until there is nothing left to do, or for a moment. */
export async function settle(isQuiet: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < end; ) {
    await sleep(ROUND_MS);
    quiet = isQuiet() ? quiet + 1 : 0;
  }
}
