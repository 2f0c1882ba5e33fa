/**
 * Waits until a condition holds.
 * @param timeoutMs generous by default, as other work may share the machine
 * @throws {Error} after that time
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeoutMs = 30_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The same for tests that replace the clock: waits for a number of turns of the event loop at most. @throws {Error} after that */
export async function untilTurn(condition: () => boolean, what: string, turns = 1_000_000): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn >= turns) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
