import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oceanNode } from './ask.js';

test('the fee rate is the conservative estimate, or a default without one', async () => {
  const asked: string[] = [];
  const ask = oceanNode({
    estimatesmartfee: (params) => {
      asked.push(params);
      return params.startsWith('[10,') ? '{"feerate":0.00012345,"blocks":10}' : '{"errors":["Insufficient data"],"blocks":2}';
    },
  });
  assert.deepEqual((await ask('fee/estimate')).body, { data: 0.00012345 });
  assert.deepEqual((await ask('fee/estimate?confirmationTarget=2')).body, { data: 0.00005 });
  assert.deepEqual(asked, ['[10,"CONSERVATIVE"]', '[2,"CONSERVATIVE"]']);
  assert.equal((await ask('fee/estimate?confirmationTarget=x')).body.error?.message, 'Validation failed (numeric string is expected)');
});
