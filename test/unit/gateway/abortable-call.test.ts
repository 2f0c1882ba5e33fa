import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortableCall } from '../../../src/gateway/abortable-call.js';
import { NodeError } from '../../../src/util/errors.js';

const REASON = new NodeError('cancelled', 'gone');

test('a listener is called on an abort, unless it was removed', () => {
  const call = new AbortableCall();
  const heard: string[] = [];
  call.onAbort(() => heard.push('kept'));
  const remove = call.onAbort(() => heard.push('removed'));
  remove();
  call.abort(REASON);
  call.abort(new NodeError('unavailable', 'too late'));
  assert.deepEqual(heard, ['kept']);
  assert.equal(call.abortReason, REASON);
});

test('a listener of a call that was aborted is called at once', () => {
  const call = new AbortableCall();
  call.abort(REASON);
  let heard = 0;
  call.onAbort(() => heard++)();
  assert.equal(heard, 1);
});

test('the signal is aborted with the reason, whether it is read before or after', () => {
  for (const isEarly of [true, false]) {
    const call = new AbortableCall();
    if (isEarly) assert.equal(call.signal.aborted, false);
    call.abort(REASON);
    assert.equal(call.signal.reason, REASON);
  }
});
