import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failed, type Reply } from '../../../src/gateway/envelope.js';
import { HttpCall } from '../../../src/gateway/http-call.js';
import { JsonRpc, type RpcOperations } from '../../../src/gateway/jsonrpc.js';
import { textOf } from '../../../src/gateway/reply.js';
import { Role } from '../../../src/rpc/options.js';
import { NodeError } from '../../../src/util/errors.js';
import { parseJson } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';

const RESULT = 'x'.repeat(100);

/** Knows one operation. @returns replies, and how often it ran */
function rpcWith(maxBatchBytes?: number) {
  const ran = { times: 0 };
  const operations: RpcOperations = {
    requireAccess() {},
    answer: () => {
      ran.times += 1;
      return JSON.stringify(RESULT);
    },
  };
  const rpc = new JsonRpc(operations, silentLogger, undefined, undefined, maxBatchBytes);
  const answer = async (text: string): Promise<Reply> =>
    rpc.answer({ parse: () => parseJson(text) }, new HttpCall('jsonrpc', { user: 'u', role: Role.ADMIN }, undefined, undefined, undefined));
  return { answer, ran };
}

test('JsonRpc: remaining calls of a batch are not run after its answers exceed the limit', async () => {
  const { answer, ran } = rpcWith(250);
  const { status, body } = await answer('[{"method":"a","id":1},{"method":"a","id":2},{"method":"a","id":[3]},7]');
  const error = { code: -7, message: 'The answers of this batch are too long' };
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(textOf(body)), [
    { result: RESULT, error: null, id: 1 },
    { result: RESULT, error: null, id: 2 },
    { result: null, error, id: [3] },
    { result: null, error, id: null },
  ]);
  assert.equal(ran.times, 2);
});

const ids = [
  { name: 'a string', longest: JSON.stringify('i'.repeat(8_388_480)), longer: JSON.stringify('i'.repeat(8_388_481)) },
  { name: 'an array', longest: JSON.stringify(new Array(65_535).fill(null)), longer: JSON.stringify(new Array(65_536).fill(null)) },
  { name: 'an object', longest: '{"a":1}', longer: JSON.stringify({ ['k'.repeat(8_388_480)]: null }) },
];
for (const { name, longest, longer } of ids) {
  test(`JsonRpc: an id that is too long is rejected: ${name}`, async () => {
    const { answer, ran } = rpcWith();
    const echoed = await answer(`{"method":"a","id":${longest}}`);
    assert.deepEqual([echoed.status, textOf(echoed.body)], [200, `{"result":"${RESULT}","error":null,"id":${longest}}\n`]);
    const refused = await answer(`{"method":"a","id":${longer}}`);
    assert.equal(refused.status, 400);
    assert.deepEqual(JSON.parse(textOf(refused.body)), {
      result: null,
      error: { code: -32600, message: 'Invalid id: too long' },
      id: null,
    });
    assert.equal(ran.times, 1);
  });
}

test('JsonRpc: the text of an error that repeats a long argument is cut', () => {
  const { body } = failed(new NodeError('misc', 'x'.repeat(3 << 20)), { isVersion2: false, id: '1' });
  assert.equal(textOf(body), `{"result":null,"error":{"code":-1,"message":"${'x'.repeat(1 << 20)}..."},"id":1}\n`);
});

test('JsonRpc: version 2.0 is answered in its own form', async () => {
  const { answer, ran } = rpcWith();
  const rows: readonly (readonly [string, number, string])[] = [
    ['{"jsonrpc":"2.0","method":"a","id":1}', 200, `{"jsonrpc":"2.0","result":"${RESULT}","id":1}\n`],
    ['{"jsonrpc":"2.0","method":"a","id":null}', 200, `{"jsonrpc":"2.0","result":"${RESULT}","id":null}\n`],
    ['{"jsonrpc":"2.0","id":"x"}', 200, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Missing method"},"id":"x"}\n'],
    ['{"jsonrpc":"2.0","method":"a"}', 204, ''],
    ['{"jsonrpc":"2.0"}', 204, ''],
    [
      '[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"a"},{"method":"a"},7]',
      200,
      `[{"jsonrpc":"2.0","result":"${RESULT}","id":1},{"result":"${RESULT}","error":null,"id":null},{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null}]\n`,
    ],
    ['[{"jsonrpc":"2.0","method":"a"}]', 204, ''],
    ['[]', 200, '[]\n'],
    ['{"jsonrpc":2.0,"method":"a","id":1}', 200, `{"result":"${RESULT}","error":null,"id":1}\n`],
    ['{"jsonrpc":"1.1","method":"a"}', 200, `{"result":"${RESULT}","error":null,"id":null}\n`],
  ];
  for (const [text, status, body] of rows) {
    const reply = await answer(text);
    assert.deepEqual([reply.status, textOf(reply.body)], [status, body], text);
  }
  assert.equal(ran.times, 9);
});
