import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oceanNode } from './ask.js';

test('an operation is answered in the envelope of the API, or in that of JSON-RPC', async () => {
  const asked: string[] = [];
  const getblockhash = (params: string): string => {
    asked.push(params);
    return '"ab"';
  };
  const ask = oceanNode({ getblockhash });
  assert.deepEqual((await ask('rpc/getblockhash', '{"params":[7]}')).body, { data: 'ab' });
  assert.deepEqual((await ask('rpc', '{"method":"getblockhash","params":[7],"id":3,"jsonrpc":"1.0"}')).body, {
    result: 'ab',
    error: null,
    id: null,
  });
  assert.deepEqual((await ask('rpc/getblockhash', '{}')).body, { data: 'ab' });
  assert.equal(asked.at(-1), '[]');
});

test('an error of an operation is a refusal of the API, or the error of JSON-RPC', async () => {
  const ask = oceanNode({ getblock: { code: -5, message: 'Block not found' } });
  const { status, body } = await ask('rpc/getblock', '{"params":["00"]}');
  assert.deepEqual([status, body.error?.message], [400, "RpcApiError: 'Block not found', code: -5, method: getblock"]);
  assert.deepEqual(await ask('rpc', '{"method":"getblock","params":["00"]}'), {
    status: 200,
    body: { result: null, error: { code: -5, message: 'Block not found' }, id: null },
  });
});

test('other operations are refused', async () => {
  const ask = oceanNode({});
  const refused = await ask('rpc/stop', '{}');
  assert.deepEqual([refused.status, refused.body.error?.message], [403, 'RPC method not whitelisted']);
  const { status, body } = await ask('rpc', '{"method":"stop"}');
  assert.equal(status, 422);
  assert.deepEqual((body.error as { validation?: unknown }).validation, {
    properties: [{ property: 'method', value: 'stop', constraints: ['RPC method not whitelisted'] }],
  });
  assert.equal((await ask('rpc', '[]')).status, 422);
  assert.equal((await ask('rpc/getblockcount', '{"params":{"a":1}}')).status, 422);
});
