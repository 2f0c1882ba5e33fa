import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoginThrottle, type LoginThrottleLimits } from '../../../src/rpc/login-throttle.js';

const CLIENT = '192.0.2.1';
const OTHER = '192.0.2.2';

/** A throttle with a clock that the test advances. */
function throttled(limits: Partial<LoginThrottleLimits> = {}) {
  let nowMs = 0;
  const sleepers: { readonly dueMs: number; readonly wake: (value?: unknown) => void }[] = [];
  const lines: { msg: string; fields: object | undefined }[] = [];
  const throttle = new LoginThrottle(
    {
      now: () => nowMs,
      sleep: (ms) => new Promise((wake) => sleepers.push({ dueMs: nowMs + ms, wake })),
      log: { warn: (msg, fields) => lines.push({ msg, fields }) },
    },
    limits,
  );
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    for (const { dueMs, wake } of sleepers) if (dueMs <= nowMs) wake();
    await new Promise(setImmediate);
  };
  /** Reports wrong credentials. @returns ms until the refusal */
  const fail = async (address = CLIENT): Promise<number> => {
    const fromMs = nowMs;
    let refusedMs: number | undefined;
    void throttle.failed(address).then(() => {
      refusedMs = nowMs;
    });
    await pass(0);
    while (refusedMs === undefined) await pass(250);
    return refusedMs - fromMs;
  };
  return { throttle, pass, fail, lines };
}

test('LoginThrottle: the delay doubles after ten failures, up to 16 seconds', async () => {
  const { fail } = throttled();
  const delays: number[] = [];
  for (let i = 0; i < 18; i++) delays.push(await fail());
  assert.deepEqual(delays, [...new Array(10).fill(250), 500, 1000, 2000, 4000, 8000, 16_000, 16_000, 16_000]);
});

test('LoginThrottle: ten refusals wait for one address, further guesses are not checked', async () => {
  const { throttle, pass } = throttled();
  for (let i = 0; i < 9; i++) void throttle.failed(CLIENT);
  assert.equal(throttle.mayTry(CLIENT), true);
  void throttle.failed(CLIENT);
  assert.equal(throttle.mayTry(CLIENT), false);
  assert.equal(throttle.mayTry(OTHER), true);
  await pass(249);
  assert.equal(throttle.mayTry(CLIENT), false);
  await pass(1);
  assert.equal(throttle.mayTry(CLIENT), true);
});

test('LoginThrottle: the total is bounded, and an address without failures may still try', async () => {
  const { throttle, fail } = throttled({ waiting: 3 });
  for (let i = 1; i <= 3; i++) void throttle.failed(`192.0.2.${i}`);
  assert.equal(throttle.mayTry('192.0.2.1'), false);
  assert.equal(throttle.mayTry('192.0.2.9'), true);
  assert.equal(await fail('192.0.2.9'), 0);
  assert.equal(throttle.mayTry('192.0.2.9'), false);
});

test('LoginThrottle: addresses of one IPv6 /64 count as one client', () => {
  const { throttle } = throttled();
  for (let i = 0; i < 10; i++) void throttle.failed(`2001:db8::${i}`);
  assert.equal(throttle.mayTry('2001:db8::ffff'), false);
  assert.equal(throttle.mayTry('2001:db8:0:1::1'), true);
});

test('LoginThrottle: an IPv4 address mapped into IPv6 is the same client', () => {
  const { throttle } = throttled();
  for (let i = 0; i < 10; i++) void throttle.failed(`::ffff:${CLIENT}`);
  assert.equal(throttle.mayTry(CLIENT), false);
  assert.equal(throttle.mayTry(`::ffff:${OTHER}`), true);
});

test('LoginThrottle: failures are forgotten after five quiet minutes', async () => {
  const { fail, pass } = throttled();
  for (let i = 0; i < 11; i++) await fail();
  await pass(299_000);
  assert.equal(await fail(), 1000);
  await pass(300_000);
  assert.equal(await fail(), 250);
});

test('LoginThrottle: only the addresses that failed last are remembered', async () => {
  const { fail } = throttled({ addresses: 2 });
  for (let i = 0; i < 11; i++) await fail(CLIENT);
  await fail('192.0.2.3');
  assert.equal(await fail(CLIENT), 1000);
  await fail('192.0.2.4');
  await fail('192.0.2.5');
  assert.equal(await fail(CLIENT), 250);
});

test('LoginThrottle: one log line per second, with the number of failures', async () => {
  const { throttle, pass, lines } = throttled();
  for (let i = 0; i < 200; i++) void throttle.failed(CLIENT);
  assert.deepEqual(lines, [{ msg: 'incorrect password attempt', fields: { peer: CLIENT } }]);
  await pass(1000);
  assert.deepEqual(lines.slice(1), [{ msg: 'incorrect password attempts', fields: { attempts: 199 } }]);
  await pass(1000);
  await pass(1000);
  assert.equal(lines.length, 2);
  void throttle.failed(OTHER);
  assert.deepEqual(lines.slice(2), [{ msg: 'incorrect password attempt', fields: { peer: OTHER } }]);
});
