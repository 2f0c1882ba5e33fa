import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortableCall } from '../../../src/gateway/abortable-call.js';
import type { EthereumCalls } from '../../../src/gateway/ethereum/calls.js';
import { answerBody } from '../../../src/gateway/ethereum/envelope.js';
import { NodeError } from '../../../src/util/errors.js';
import { parseJson, writeJson } from '../../../src/util/json.js';

/** Answers with name and parameters; `later` in a later turn, `fail` with an error. */
const calls: EthereumCalls = {
  call(method, params) {
    if (method === 'fail') return { error: { code: 3, message: 'execution reverted: "x"', data: '0x01' } };
    const { value = null } = params;
    const outcome = { result: method === 'source' ? JSON.stringify(params.text()) : writeJson([method, value]) };
    return method === 'later' ? Promise.resolve(outcome) : outcome;
  },
};

function answer(body: string, maxBytes = 1000) {
  return answerBody({ parse: () => parseJson(body), text: () => body }, { calls, call: new AbortableCall(), maxBytes });
}

const error = (code: number, message: string, id = 'null') =>
  `{"jsonrpc":"2.0","error":{"code":${code},"message":"${message}"},"id":${id}}`;
const ok = (result: string, id: string) => `{"jsonrpc":"2.0","result":${result},"id":${id}}`;

const cases: readonly (readonly [name: string, body: string, expected: string | undefined])[] = [
  ['a call', '{"jsonrpc":"2.0","id":1,"method":"m","params":[1.0,"a"]}', ok('["m",[1.0,"a"]]', '1')],
  ['no parameters', '{"jsonrpc":"2.0","id":"x\\"y","method":"m"}', ok('["m",null]', '"x\\"y"')],
  ['a null id', '{"jsonrpc":"2.0","id":null,"method":"m"}', ok('["m",null]', 'null')],
  ['a large id', '{"jsonrpc":"2.0","id":18446744073709551615,"method":"m"}', ok('["m",null]', '18446744073709551615')],
  ['a notification', '{"jsonrpc":"2.0","method":"m"}', undefined],
  [
    'an error with data',
    '{"jsonrpc":"2.0","id":1,"method":"fail"}',
    '{"jsonrpc":"2.0","error":{"code":3,"message":"execution reverted: \\"x\\"","data":"0x01"},"id":1}',
  ],
  ['no named parameters', '{"jsonrpc":"2.0","id":1,"method":"m","params":{}}', ok('["m",{}]', '1')],
  ['named parameters', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}', ok('["m",{"a":1}]', '1')],
  ['the source of the parameters', '{"id":1,"jsonrpc":"2.0","method":"source", "params" :  [1.0 , "]"] }', ok('"[1.0 , \\"]\\"]"', '1')],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"m"}', error(-32600, 'Invalid request', '1')],
  ['no version', '{"id":1,"method":"m"}', error(-32600, 'Invalid request', '1')],
  ['no method', '{"jsonrpc":"2.0","id":1}', error(-32600, 'Invalid request', '1')],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[],"method":"m"}', error(-32700, 'Parse error')],
  ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"m"}', error(-32700, 'Parse error')],
  ['an id of more than 64 bits', '{"jsonrpc":"2.0","id":18446744073709551616,"method":"m"}', error(-32700, 'Parse error')],
  ['two ids', '{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}', error(-32700, 'Parse error')],
  ['neither id nor version', '{"method":"m"}', error(-32700, 'Parse error')],
  ['two methods', '{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}', error(-32600, 'Invalid request', '1')],
  ['a member twice that is not read', '{"jsonrpc":"2.0","id":1,"method":"m","a":1,"a":1}', ok('["m",null]', '1')],
  [
    'a batch with wrong ids',
    '[{"jsonrpc":"2.0","id":1.5,"method":"m"},{"method":"m"}]',
    `[${Array(2).fill(error(-32600, 'Invalid request')).join()}]`,
  ],
  ['neither object nor list', '7', error(-32700, 'Parse error')],
  ['no JSON', '{', error(-32700, 'Parse error')],
  ['an empty batch', '[]', error(-32600, 'Invalid request')],
];

for (const [name, body, expected] of cases) test(name, async () => assert.equal(await answer(body), expected));

test('a batch is answered in order, without its notifications', async () => {
  const batch = '[{"jsonrpc":"2.0","id":1,"method":"later"},{"jsonrpc":"2.0","method":"m"},5,{"jsonrpc":"2.0","id":2,"method":"m"}]';
  assert.equal(await answer(batch), `[${ok('["later",null]', '1')},${error(-32600, 'Invalid request')},${ok('["m",null]', '2')}]`);
  assert.equal(await answer('[{"jsonrpc":"2.0","method":"m"}]'), undefined);
});

test('a batch with too long answers fails as a whole', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"m"}';
  const batch = `[${call},${call}]`;
  const length = `[${ok('["m",null]', '1')},${ok('["m",null]', '1')}]`.length;
  assert.equal((await answer(batch, length))?.length, length);
  assert.equal(await answer(batch, length - 1), error(-32600, 'Invalid request'));
});

test('an answer that is too long with its envelope', async () => {
  const call = '{"jsonrpc":"2.0","id":12,"method":"m"}';
  const whole = ok('["m",null]', '12');
  assert.equal(await answer(call, whole.length), whole);
  const limit = whole.length - 1;
  const refused = `{"jsonrpc":"2.0","error":{"code":-32702,"message":"Response is too big","data":"Exceeded max limit of ${limit}"},"id":12}`;
  assert.equal(await answer(call, limit), refused);
});

test('the calls of a batch after the end of the connection do not run', async () => {
  const call = new AbortableCall();
  call.abort(new NodeError('cancelled', 'Client disconnected'));
  const one = parseJson('{"jsonrpc":"2.0","id":1,"method":"fail"}');
  assert.equal(await answerBody({ parse: () => [one], text: () => '' }, { calls, call, maxBytes: 100 }), undefined);
});

test('the text of an error that repeats a long parameter is cut', () => {
  const repeats: EthereumCalls = { call: () => ({ error: { code: -32001, message: 'x'.repeat(3 << 20) } }) };
  const body = '{"jsonrpc":"2.0","id":1,"method":"m"}';
  const text = answerBody(
    { parse: () => parseJson(body), text: () => body },
    { calls: repeats, call: new AbortableCall(), maxBytes: 1000 },
  );
  assert.equal(text, error(-32001, `${'x'.repeat(1 << 20)}...`, '1'));
});

test('a body that is refused for its size', async () => {
  const refused = () => Promise.reject(new NodeError('invalid-request', 'too many'));
  const expected = '{"jsonrpc":"2.0","error":{"code":-32701,"message":"Request is too big","data":"too many"},"id":null}';
  assert.equal(await answerBody({ parse: refused, text: () => '' }, { calls, call: new AbortableCall(), maxBytes: 100 }), expected);
});

test('the source of parameters is not looked up in long bodies, nor for the later requests of a long batch', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"source","params":[1]}';
  assert.equal(await answer(`${call}${' '.repeat(200_000)}`), ok('""', '1'));
  const answers = JSON.parse(String(await answer(`[${Array(102).fill(call).join()}]`, 100_000))) as { result: string }[];
  assert.deepEqual(answers.map(({ result }) => result).slice(98), ['[1]', '[1]', '', '']);
});
