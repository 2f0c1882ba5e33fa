import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeCalls } from '../../../src/rpc/call-log.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';

const CALL = { dialect: 'json-rpc', user: 'alice', requestId: 'abc' } as const;

function observed(isDebug: boolean) {
  const lines: object[] = [];
  const counted: string[] = [];
  const log: Logger = {
    ...silentLogger,
    debug: (msg, fields) => {
      if (isDebug) lines.push({ msg, ...(typeof fields === 'function' ? (fields as () => object)() : fields) });
    },
  };
  const metrics = { finished: (...values: readonly unknown[]) => void counted.push(values.join(' ')) };
  return { observer: observeCalls(metrics, log), lines, counted };
}

test('a finished call is counted, and written to the log at level debug', () => {
  const { observer, lines, counted } = observed(true);
  observer.finished(CALL, 'getblock', 'NOT_FOUND', 0.00125);
  assert.deepEqual(counted, ['jsonrpc getblock NOT_FOUND 0.00125']);
  const line = { msg: 'call', method: 'getblock', transport: 'jsonrpc', user: 'alice', code: 'NOT_FOUND', ms: 1.25, requestId: 'abc' };
  assert.deepEqual(lines, [line]);
});

test('at other levels nothing is made for the log', () => {
  const { observer, counted } = observed(false);
  const call = {
    ...CALL,
    get requestId(): string {
      throw new Error('read');
    },
  };
  observer.finished(call, 'uptime', 'OK', 0);
  assert.deepEqual(counted, ['jsonrpc uptime OK 0']);
});
