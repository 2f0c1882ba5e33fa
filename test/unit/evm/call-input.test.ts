import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallTracer } from '../../../src/evm/tracing/call-tracer.js';
import { type Tracer, TraceTooLong } from '../../../src/evm/tracing/tracer.js';
import { readWord } from '../../../src/evm/words.js';
import { executeCode } from './contracts.js';

/** Writes 7 at 0, and calls the identity with this word. */
const CALL_IDENTITY = '60075f52' + '5f5f60205f60045afa50';
/** Overwrites the word. */
const OVERWRITE = '60095f52';
/** Copies the output of the last call to 32, and returns it. */
const RETURN_OUTPUT = '60205f60203e60206020f3';

test('a call reads its input from the memory of its caller, without a copy', () => {
  const inputs: boolean[] = [];
  const none = () => {};
  const tracer: Tracer = {
    start: none,
    step: none,
    stepped: none,
    ranOff: none,
    leave: none,
    enter(request, _, parent) {
      if (parent && request.kind === 'call') inputs.push(request.data.buffer === parent.memory.view(0, 1).buffer);
    },
  };
  executeCode(CALL_IDENTITY, { tracer });
  assert.deepEqual(inputs, [true]);
});

test('the output of the identity does not change with the memory that it was read from', () => {
  const { exit } = executeCode(CALL_IDENTITY + OVERWRITE + RETURN_OUTPUT);
  assert.equal(readWord(exit.output, 0), 7n);
});

test('a trace shows the input of a call as it was when the call began', () => {
  const tracer = new CallTracer();
  executeCode(CALL_IDENTITY + OVERWRITE, { tracer });
  assert.equal(readWord(tracer.calls[1]?.input as Uint8Array, 0), 7n);
});

test('a trace of calls ends at its limit, since an input that is kept costs the call nothing', () => {
  const code = CALL_IDENTITY.repeat(3);
  const all = new CallTracer();
  executeCode(code, { tracer: all });
  assert.ok(all.length > 3 * 140);
  executeCode(code, { tracer: new CallTracer(all.length) });
  assert.throws(() => executeCode(code, { tracer: new CallTracer(all.length - 1) }), TraceTooLong);
});
