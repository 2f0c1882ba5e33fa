import { mock } from 'node:test';

/** Runs work on a clock that advances by a millisecond with each read. @returns turns of the event loop until the work ends */
export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let now = 0;
  const clock = mock.method(performance, 'now', () => ++now);
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
    return turns;
  } finally {
    isOver = true;
    clock.mock.restore();
  }
}
