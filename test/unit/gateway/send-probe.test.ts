import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { sendProbe } from '../../../src/gateway/send-probe.js';

/** Status and body of the answer to a health check. */
function answer(ok: boolean, query: string | undefined): [number, string] {
  const sent: [number, string] = [0, ''];
  const res = {
    destroyed: false,
    writeHead: (status: number) => {
      sent[0] = status;
    },
    end: (body: string) => {
      sent[1] = body;
    },
  };
  sendProbe(res as unknown as ServerResponse, { ok, report: 'report\n' }, query);
  return sent;
}

test('a health check has a report only with ?verbose', () => {
  assert.deepEqual(answer(true, undefined), [200, '']);
  assert.deepEqual(answer(false, undefined), [503, '']);
  assert.deepEqual(answer(true, ''), [200, '']);
  assert.deepEqual(answer(true, 'quiet'), [200, '']);
  assert.deepEqual(answer(true, 'verbosely'), [200, '']);
  assert.deepEqual(answer(true, 'x&verbose'), [200, '']);
  assert.deepEqual(answer(true, 'verbose'), [200, 'report\n']);
  assert.deepEqual(answer(false, 'verbose=1'), [503, 'report\n']);
  assert.deepEqual(answer(false, 'verbose&x'), [503, 'report\n']);
});
