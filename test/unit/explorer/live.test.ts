import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Json } from '../../../src/explorer/json.js';
import { Live } from '../../../src/explorer/live.js';
import { CallError, LoginError } from '../../../src/explorer/node-client.js';

test('live: a state is reported when it changes, and none after the stop', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const streams: (() => AsyncGenerator<Json>)[] = [
    async function* () {
      yield { heartbeat: {} };
      yield { block: {}, height: '1' };
      yield { block: {}, height: '2' };
    },
    async function* () {
      yield { block: {}, height: '3' };
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  ];
  let signal: AbortSignal | undefined;
  const events = (given: AbortSignal): AsyncGenerator<Json> => {
    signal = given;
    const next = streams.shift();
    assert.ok(next);
    return next();
  };
  const states: string[] = [];
  const live = new Live({ events }, (state) => states.push(String(state)));
  const ended = live.run();
  await turn();
  assert.deepEqual(states, ['connected', 'waiting']);
  mock.timers.tick(3000);
  await turn();
  live.stop();
  await ended;
  assert.deepEqual(states, ['connected', 'waiting', 'connected']);
  assert.deepEqual(
    live.events.map(({ height }) => height),
    ['3', '2', '1'],
  );
});

test('live: a refused stream is asked for again, until the credentials are refused', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const refusals = [new CallError(9, 'not kept'), new CallError(9, 'not kept'), new Error('no route'), new LoginError('wrong')];
  const states: string[] = [];
  // biome-ignore lint/correctness/useYield: a stream that is refused has no events
  const events = async function* (): AsyncGenerator<Json> {
    throw refusals.shift();
  };
  const live = new Live({ events }, (state) => states.push(String(state)));
  const ended = live.run();
  for (let i = 0; i < 4; i++) {
    await turn();
    mock.timers.tick(3000);
  }
  await ended;
  assert.deepEqual(states, ['Error: not kept', 'waiting', 'Error: wrong']);
});
