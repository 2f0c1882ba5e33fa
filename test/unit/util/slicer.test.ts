import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  eachInSlices,
  eachInSteps,
  finish,
  inBackground,
  inOneTurn,
  inSlices,
  Slicer,
  type Steps,
  UnitCount,
} from '../../../src/util/slicer.js';

const call = { signal: new AbortController().signal };

/** Uses up the time of a turn. @returns the pause that follows, and the steps that were taken before it */
function spend(slicer: Slicer): { readonly paused: Promise<void>; readonly steps: number } {
  for (let steps = 0; ; steps++) {
    const paused = slicer.pause();
    if (paused) return { paused, steps };
  }
}

/** Numbers the turns of the event loop. */
function countTurns(): { turn: number; stop(): void } {
  const counter = { turn: 0, stop: () => clearImmediate(next) };
  const count = (): void => {
    counter.turn += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return counter;
}

test('a turn of the event loop resumes one waiting slice of all calls', async () => {
  const turns = countTurns();
  const ranIn: number[] = [];
  const work = async (): Promise<void> => {
    const slicer = new Slicer();
    for (let slice = 0; slice < 3; slice++) {
      await spend(slicer).paused;
      ranIn.push(turns.turn);
    }
  };
  await Promise.all(Array.from({ length: 5 }, work));
  turns.stop();
  assert.equal(ranIn.length, 15);
  assert.equal(new Set(ranIn).size, 15, `slices ran in turns ${ranIn}`);
});

test('work that starts in a turn without time left waits for a later one', async () => {
  await new Promise(setImmediate);
  const first = spend(new Slicer());
  const second = spend(new Slicer());
  assert.ok(first.steps > 0);
  assert.equal(second.steps, 0);
  await Promise.all([first.paused, second.paused]);
});

test('waiting slices resume in order of arrival', async () => {
  const order: number[] = [];
  await Promise.all([0, 1, 2, 3].map((n) => spend(new Slicer()).paused.then(() => order.push(n))));
  assert.deepEqual(order, [0, 1, 2, 3]);
});

test('a pause rejects after the work is aborted', async () => {
  const controller = new AbortController();
  const { paused } = spend(new Slicer(controller.signal));
  controller.abort(new Error('the caller left'));
  await assert.rejects(paused, /the caller left/);
});

function* countTo(last: number): Steps<number> {
  for (let n = 0; n < last; n++) yield;
  return last;
}

test('steps: short work is synchronous, long work asynchronous, with the same result', async () => {
  assert.equal(finish(countTo(3)), 3);
  assert.equal(inSlices(countTo(0), call), 0);
  const long = inSlices(countTo(3_000_000), call);
  assert.ok(long instanceof Promise);
  assert.equal(await long, 3_000_000);
});

test('steps: nothing runs after the work is aborted', async () => {
  const controller = new AbortController();
  const long = inSlices(countTo(Number.POSITIVE_INFINITY), controller);
  controller.abort(new Error('the caller left'));
  await assert.rejects(async () => long, /the caller left/);
});

test('nested loops with one count of units yield after every 64th of all their units', () => {
  const seen: number[] = [];
  const nested = function* nested(): Steps<void> {
    const units = new UnitCount();
    for (let outer = 0; outer < 64; outer++) yield* eachInSteps(new Array(63).fill(outer), (n) => seen.push(n), units);
  };
  const seenBefore: number[] = [];
  for (const _ of nested()) seenBefore.push(seen.length);
  assert.equal(seen.length, 64 * 63);
  assert.deepEqual(
    seenBefore,
    Array.from({ length: 63 }, (_, i) => 64 * (i + 1)),
  );
});

test('items are visited in order over any number of slices', async () => {
  const seen: number[] = [];
  await eachInSlices(
    Array.from({ length: 200_000 }, (_, n) => n),
    (n) => void seen.push(n),
    call,
  );
  assert.equal(seen.length, 200_000);
  assert.ok(seen.every((n, i) => n === i));
});

test('work of one turn starts again after a pause and finishes within a turn', async () => {
  await new Promise(setImmediate);
  const turns = countTurns();
  let done = 0;
  const runs: number[] = [];
  const begin = function* begin(): Steps<number> {
    runs.push(turns.turn);
    for (; done < 12; done++) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      yield;
    }
    return turns.turn;
  };
  const finished = await inOneTurn(begin, call);
  turns.stop();
  assert.ok(runs.length > 1, `${runs.length} runs`);
  assert.equal(finished, runs.at(-1));
  assert.equal(await inOneTurn(begin, call), turns.turn);
});

/** Steps that each take longer than background work may in a turn. */
function* longSteps(turns: { readonly turn: number }, ranIn: number[]): Steps<string> {
  for (let step = 0; step < 3; step++) {
    const until = performance.now() + 3;
    while (performance.now() < until);
    ranIn.push(turns.turn);
    yield;
  }
  return 'done';
}

test('background work leaves turns to others after each of its slices', async () => {
  const turns = { turn: 0 };
  const ranIn: number[] = [];
  // Timers run in the order in which they are due, also on a machine that is busy until several are.
  const others = setInterval(() => {
    turns.turn += 1;
  }, 1);
  try {
    assert.equal(await inBackground(longSteps(turns, ranIn), call), 'done');
  } finally {
    clearInterval(others);
  }
  assert.equal(ranIn.length, 3);
  assert.equal(new Set(ranIn).size, 3, `steps ran in turns ${ranIn}`);
});

for (const [kind, run] of [
  ['background work', (steps: Steps<void>, signal: AbortSignal) => inBackground(steps, { signal })],
  ['sliced work', (steps: Steps<void>, signal: AbortSignal) => new Slicer(signal).run(steps)],
] as const) {
  test(`${kind} that is aborted cleans up`, async () => {
    const stopping = new AbortController();
    let isClean = false;
    const endless = function* endless(): Steps<void> {
      try {
        for (;;) yield;
      } finally {
        isClean = true;
      }
    };
    const work = run(endless(), stopping.signal);
    stopping.abort();
    await assert.rejects(work, { name: 'AbortError' });
    assert.ok(isClean);
  });
}

test('background work ends when it is aborted', async () => {
  const stopping = new AbortController();
  const ranIn: number[] = [];
  const work = inBackground(longSteps({ turn: 0 }, ranIn), { signal: stopping.signal });
  stopping.abort();
  await assert.rejects(work, { name: 'AbortError' });
  assert.equal(ranIn.length, 1);
});
