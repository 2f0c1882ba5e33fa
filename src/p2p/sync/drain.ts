import { setTimeout as sleep } from 'node:timers/promises';

/** Longest delay of the shutdown: a peer may never send the block that was requested. */
const TIMEOUT_MS = 200;
const ROUND_MS = 5;
/** Consecutive idle rounds after which no work is expected: bytes that have reached the socket are read by the second. */
const IDLE_ROUNDS = 2;

/** Waits until pending work is done, at most 200 ms. */
export async function drain(isIdle: () => boolean): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (let idle = 0; idle < IDLE_ROUNDS && performance.now() < end; ) {
    await sleep(ROUND_MS);
    idle = isIdle() ? idle + 1 : 0;
  }
}
