import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { type CallSource, GrpcCall } from '../../../src/grpc/call.js';
import { DIALECT_KEY } from '../../../src/grpc/dialect.js';
import { Role } from '../../../src/rpc/options.js';
import { NodeError } from '../../../src/util/errors.js';

const NOW = 1_700_000_000_000;
const LIMIT_MS = 1_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A call at the time `NOW`, with mocked timers. */
function callAt(t: TestContext, { deadlineMs = Number.POSITIVE_INFINITY, isCancelled = false, headers = {} } = {}) {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW });
  let cancel = () => {};
  const source: CallSource = {
    metadata: Metadata.fromHttp2Headers(headers),
    cancelled: isCancelled,
    getDeadline: () => deadlineMs,
    on: (_, listener) => {
      cancel = listener;
    },
  };
  const call = new GrpcCall(source, { user: 'user', role: Role.ADMIN }, LIMIT_MS);
  const kind = () => (call.signal.reason instanceof NodeError ? call.signal.reason.kind : call.signal.reason);
  return { call, kind, cancel: () => cancel() };
}

test('a call without a deadline has the limit of the server, of which JSON-RPC calls are free', (t) => {
  const { call, kind } = callAt(t);
  assert.equal(call.signal.aborted, false);
  t.mock.timers.tick(LIMIT_MS - 1);
  assert.equal(call.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.deepEqual([call.signal.aborted, kind()], [true, 'deadline-exceeded']);
});

test('a JSON-RPC call without a deadline is never late', (t) => {
  const { call } = callAt(t, { headers: { [DIALECT_KEY]: 'json-rpc' } });
  assert.equal(call.dialect, 'json-rpc');
  assert.equal(call.signal.aborted, false);
  t.mock.timers.tick(10 * LIMIT_MS);
  assert.equal(call.signal.aborted, false);
});

test('the deadline of the client applies in place of the limit', (t) => {
  const { call, kind } = callAt(t, { deadlineMs: NOW + 5 * LIMIT_MS });
  assert.equal(call.signal.aborted, false);
  t.mock.timers.tick(5 * LIMIT_MS - 1);
  assert.equal(call.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(kind(), 'deadline-exceeded');
});

test('a deadline in the past aborts in the next turn', (t) => {
  const { call, kind } = callAt(t, { deadlineMs: NOW - 5 });
  assert.equal(call.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(kind(), 'deadline-exceeded');
});

test('a deadline beyond the longest delay of a timer has none, which would fire at once', (t) => {
  const delaysUntil = (deadlineMs: number) => {
    const { call } = callAt(t, { deadlineMs });
    const timer = t.mock.method(globalThis, 'setTimeout', () => undefined);
    assert.equal(call.signal.aborted, false);
    const delays = timer.mock.calls.map(({ arguments: [, ms] }) => ms);
    timer.mock.restore();
    return delays;
  };
  assert.deepEqual(delaysUntil(NOW + MAX_TIMER_MS), [MAX_TIMER_MS]);
  assert.deepEqual(delaysUntil(NOW + MAX_TIMER_MS + 1), []);
});

test('a call is cancelled by its caller, or because its deadline is as near as the network may be slow', (t) => {
  for (const [deadlineMs, expected] of [
    [Number.POSITIVE_INFINITY, 'cancelled'],
    [NOW + 101, 'cancelled'],
    [NOW + 100, 'deadline-exceeded'],
  ] as const) {
    const { call, kind, cancel } = callAt(t, { deadlineMs });
    assert.equal(call.signal.aborted, false);
    cancel();
    assert.equal(kind(), expected);
    assert.equal(callAt(t, { deadlineMs, isCancelled: true }).kind(), expected, 'cancelled before the signal was read');
  }
});

test('a call that ended is not late', (t) => {
  const { call } = callAt(t);
  const { signal } = call;
  call.end();
  t.mock.timers.tick(LIMIT_MS);
  assert.equal(signal.aborted, false);
});

test('metadata: wallet, fields and request id; each call without an id gets one of its own', (t) => {
  const headers = { 'x-wallet': 'w', 'x-fields': 'a,b', 'x-request-id': 'r' };
  const { call } = callAt(t, { headers });
  assert.deepEqual([call.user, call.wallet, call.fields, call.requestId], ['user', 'w', 'a,b', 'r']);
  const { call: first } = callAt(t);
  const { call: second } = callAt(t);
  assert.match(first.requestId, /^grpc-[0-9a-z]+$/);
  assert.equal(first.requestId, first.requestId);
  assert.notEqual(first.requestId, second.requestId);
});
