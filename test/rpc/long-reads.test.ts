import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { MemoryStore } from '../../src/storage/memory.js';
import { Overlay } from '../../src/storage/overlay.js';
import { fillState, longReads, readsOf, shortAnswers } from '../long-reads.js';

const ROWS = 1_000;
/** Each clock read advances the time by this, so that slices end after a fixed number of steps on any machine. */
const STEP_MS = 1;
/** Maximum number of rows between two turns: a slice is 5 ms, and some reads check the clock only once in 16 rows. */
const ROWS_OF_A_SLICE = 7 * 16;

const view = new Overlay(new MemoryStore());
fillState(view, 0, ROWS);
const { handle, write, writeLong, encode } = readsOf(view, ROWS);

/** Turns of the event loop until the work ends. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await work().finally(() => {
    over = true;
  });
  return turns;
}

/** Answers a call on the clock of slices. @returns turns of the event loop, and the response */
async function slicesOf(method: string, args: readonly unknown[]): Promise<{ readonly turns: number; readonly response: unknown }> {
  let now = 0;
  const clock = mock.method(performance, 'now', () => {
    now += STEP_MS;
    return now;
  });
  try {
    let response: unknown;
    const turns = await turnsOf(async () => {
      response = await handle(method, args);
    });
    return { turns, response };
  } finally {
    clock.mock.restore();
  }
}

for (const read of [...longReads, ...shortAnswers]) {
  const { method, args } = read;
  test(`${method} ${JSON.stringify(args).slice(0, 80)}: yields after every few rows`, {
    timeout: 20_000,
  }, async () => {
    const { turns, response } = await slicesOf(method, args);
    assert.ok(turns >= ROWS / ROWS_OF_A_SLICE, `${turns} turns for ${ROWS} rows`);
    const text = write(method, response);
    // All rows, or their number.
    if (longReads.includes(read)) assert.match(text, new RegExp(`:${ROWS},|(?:^|\\n|\\{)[\\s\\S]{${ROWS * 20},}`));
    assert.equal(text, write(method, await handle(method, args)));
  });
}

const PIECE_CHARS = 64 * 1024;

for (const { method, args } of longReads) {
  test(`${method} ${JSON.stringify(args).slice(0, 80)}: yields between the pieces of its text`, {
    timeout: 20_000,
  }, async () => {
    const response = await handle(method, args);
    const text = write(method, response);
    let now = 0;
    // At each reading of the clock the slice is over.
    const clock = mock.method(performance, 'now', () => {
      now += 1_000;
      return now;
    });
    try {
      let written: string | readonly Uint8Array[] = '';
      const turns = await turnsOf(async () => {
        written = await writeLong(method, response);
      });
      assert.equal(typeof written === 'string' ? written : Buffer.concat(written).toString(), text);
      // The last element of a piece exceeds it, by less than a tenth. An answer no longer than the first piece may be written
      // synchronously.
      assert.ok(turns >= Math.floor(text.length / PIECE_CHARS / 1.1) - 1, `${turns} turns for ${text.length} characters`);
    } finally {
      clock.mock.restore();
    }
  });
}

for (const { method, args } of longReads) {
  test(`${method} ${JSON.stringify(args).slice(0, 80)}: gRPC encodes the same synchronously and in slices`, async () => {
    const response = await handle(method, args);
    const { atOnce, inSlices } = await encode(method, response);
    assert.deepEqual(inSlices, atOnce);
  });
}

/** Elements that are encoded between two turns. */
const ELEMENTS_AT_ONCE = 64;

for (const { method, args } of longReads.filter(({ method }) => method.startsWith('list') || /^get(block|rawmempool)$/.test(method))) {
  test(`${method} ${JSON.stringify(args).slice(0, 80)}: gRPC yields between the parts of a message`, async () => {
    const response = await handle(method, args);
    let now = 0;
    // At each reading of the clock the slice is over.
    const clock = mock.method(performance, 'now', () => {
      now += 1_000;
      return now;
    });
    try {
      const turns = await turnsOf(() => encode(method, response));
      assert.ok(turns >= Math.floor(ROWS / ELEMENTS_AT_ONCE), `${turns} turns for ${ROWS} rows`);
    } finally {
      clock.mock.restore();
    }
  });
}
