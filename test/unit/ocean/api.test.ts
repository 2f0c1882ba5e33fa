import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OceanMetrics } from '../../../src/metrics/ocean.js';
import { OceanApi } from '../../../src/ocean/api/api.js';
import { badRequest, invalid, OceanError, OperationFailed } from '../../../src/ocean/api/errors.js';
import { Reader } from '../../../src/ocean/api/json.js';
import { page, pageOfAll } from '../../../src/ocean/api/page.js';
import { pageOf, queryChoice, queryFlag, queryInteger } from '../../../src/ocean/api/request.js';
import { get, type OceanAnswer, type OceanRequest, post, type Route } from '../../../src/ocean/api/route.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import { TipCache } from '../../../src/ocean/node/tip-cache.js';
import { networkParams } from '../../../src/params/index.js';
import { NodeError } from '../../../src/util/errors.js';
import { JsonNumber } from '../../../src/util/json.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';

const NOW = 1_700_000_000_000;

const uncounted: OceanMetrics = { answered() {} };

/** An API of these routes. */
function apiOf(
  routes: readonly Route[],
  network: 'main' | 'regtest' = 'regtest',
  { log = silentLogger, metrics = uncounted }: { log?: Logger; metrics?: OceanMetrics } = {},
) {
  const modules = { chain: { params: networkParams({ network }) }, clock: { now: () => NOW } };
  const api = new OceanApi(modules as unknown as OceanModules, routes, { log, metrics });
  return async (target: string, method = 'GET', body: () => Promise<undefined> = async () => undefined) => {
    const { status, body: text } = await api.answer({ method, target, body });
    return { status, body: JSON.parse(text) };
  };
}

function failing(error: unknown): Route {
  return get('fail', () => {
    throw error;
  });
}

function requestOf(query: string): OceanRequest {
  return { path: {}, query: new URLSearchParams(query), body: undefined };
}

test('a route is found by version, network, method and path; anything else is an enveloped 404', async () => {
  const ask = apiOf([get('blocks', () => ({ data: [] }))]);
  for (const target of ['/v0/regtest/blocks', '/v0.0/regtest/blocks', '/v0.x/regtest/blocks/', '/v0/regtest/blocks?size=1'])
    assert.deepEqual(await ask(target), { status: 200, body: { data: [] } }, target);
  const unknown = ['/v1/regtest/blocks', '/v0/mainnet/blocks', '/v0/regtest/block', '/v0/regtest', '/', '', '/v0/regtest//blocks'];
  for (const target of unknown) {
    const { status, body } = await ask(target);
    assert.equal(status, 404, target);
    assert.deepEqual(body, { error: { code: 404, type: 'NotFound', at: NOW, message: `Cannot GET ${target}`, url: target } });
  }
  const { body } = await ask('/v0/regtest/blocks?size=1', 'POST');
  assert.equal(body.error.message, 'Cannot POST /v0/regtest/blocks');
});

test('the main network is called mainnet', async () => {
  const ask = apiOf([get('blocks', () => ({ data: [] }))], 'main');
  assert.equal((await ask('/v0/mainnet/blocks')).status, 200);
  assert.equal((await ask('/v0/main/blocks')).status, 404);
});

test('parts of a path are decoded once; a pair splits at its first dash; fixed paths come before parameters', async () => {
  const echo = (name: string): Route['answer'] => {
    return (_, { path }) => ({ data: { name, ...path } });
  };
  const ask = apiOf([
    get('blocks/{id}', echo('id')),
    get('blocks/highest', echo('highest')),
    get('prices/{token}-{currency}/feed', echo('feed')),
  ]);
  assert.deepEqual((await ask('/v0/regtest/blocks/a%2Fb%2520')).body.data, { name: 'id', id: 'a/b%20' });
  assert.deepEqual((await ask('/v0/regtest/blocks/highest')).body.data, { name: 'highest' });
  assert.deepEqual((await ask('/v0/regtest/prices/A.B-C-D/feed')).body.data, { name: 'feed', token: 'A.B', currency: 'C-D' });
  assert.equal((await ask('/v0/regtest/blocks/%E0%A4')).status, 404);
  assert.equal((await ask('/v0/regtest/prices/AXB/feed')).status, 404);
});

test('answers are enveloped: data, a page with a token, nothing, or a whole body', async () => {
  const answers: Record<string, OceanAnswer> = {
    one: { data: { a: 1 } },
    none: { data: undefined },
    last: { data: [1], next: undefined },
    more: { data: [1], next: 'x' },
    whole: { body: '{"result":1.00000000}' },
  };
  const api = new OceanApi(
    { chain: { params: networkParams({ network: 'regtest' }) }, clock: { now: () => NOW } } as unknown as OceanModules,
    Object.entries(answers).map(([path, answer]) => get(path, () => answer)),
    { log: silentLogger, metrics: uncounted },
  );
  const texts = await Promise.all(
    Object.keys(answers).map(
      async (path) => (await api.answer({ method: 'GET', target: `/v0/regtest/${path}`, body: async () => undefined })).body,
    ),
  );
  assert.deepEqual(texts, ['{"data":{"a":1}}', '{}', '{"data":[1]}', '{"data":[1],"page":{"next":"x"}}', '{"result":1.00000000}']);
});

test('errors have the status and the type that clients know', async () => {
  const cases: [unknown, number, string, string | undefined][] = [
    [badRequest('no'), 400, 'BadRequest', 'no'],
    [new OceanError('Forbidden', 'mine is not allowed'), 403, 'Forbidden', 'mine is not allowed'],
    [
      new OperationFailed('getblock', -5, 'Block not found'),
      400,
      'BadRequest',
      "RpcApiError: 'Block not found', code: -5, method: getblock",
    ],
    [new NodeError('overloaded', 'Too much data in requests under way'), 503, 'BadGateway', 'Too much data in requests under way'],
    [
      new NodeError('invalid-request', 'Request of more than 250000 JSON values'),
      400,
      'BadRequest',
      'Request of more than 250000 JSON values',
    ],
    [new SyntaxError('Unexpected token in JSON'), 400, 'BadRequest', 'Unexpected token in JSON'],
  ];
  for (const [error, status, type, message] of cases) {
    const answer = await apiOf([failing(error)])('/v0/regtest/fail');
    assert.equal(answer.status, status);
    assert.deepEqual(answer.body.error, { code: status, type, at: NOW, message, url: '/v0/regtest/fail' });
  }
});

test('an invalid field is named with its constraints, and without a message', async () => {
  const ask = apiOf([failing(invalid({ property: 'hex', value: '', constraints: ['a', 'b'] }))]);
  const { status, body } = await ask('/v0/regtest/fail');
  assert.equal(status, 422);
  const validation = { properties: [{ property: 'hex', value: '', constraints: ['a', 'b'] }] };
  assert.deepEqual(body.error, { code: 422, type: 'ValidationError', at: NOW, url: '/v0/regtest/fail', validation });
});

test('an unexpected error is logged, and the client sees nothing of it', async () => {
  const logged: unknown[] = [];
  const log = { ...silentLogger, error: (...line: unknown[]) => void logged.push(line) };
  const error = new Error('a secret');
  const { status, body } = await apiOf([failing(error)], 'regtest', { log })('/v0/regtest/fail');
  assert.equal(status, 500);
  assert.deepEqual(body.error, { code: 500, type: 'UnknownError', at: NOW, url: '/v0/regtest/fail' });
  assert.deepEqual(logged, [['request failed unexpectedly', { target: '/v0/regtest/fail', error }]]);
});

test('a body that is no JSON is refused; that of a GET is not read', async () => {
  const broken = (): Promise<undefined> => Promise.reject(new SyntaxError('Unexpected token in JSON'));
  const ask = apiOf([get('echo', () => ({ data: 1 })), post('echo', () => ({ data: 2 }))]);
  assert.equal((await ask('/v0/regtest/echo', 'POST', broken)).status, 400);
  assert.deepEqual((await ask('/v0/regtest/echo', 'GET', broken)).body, { data: 1 });
});

test('a request that cannot be taken is answered with an envelope too', () => {
  const modules = { chain: { params: networkParams({ network: 'regtest' }) }, clock: { now: () => NOW } };
  const api = new OceanApi(modules as unknown as OceanModules, [], { log: silentLogger, metrics: uncounted });
  const shown = ({ status, body }: { readonly status: number; readonly body: string }) => [status, JSON.parse(body).error];
  const url = '/v0/regtest/blocks';
  const [queue, size] = [api.refuse(url, 'queue'), api.refuse(url, 'size')].map(shown);
  assert.deepEqual(queue, [503, { code: 503, type: 'BadGateway', at: NOW, message: 'Work queue depth exceeded', url }]);
  assert.deepEqual(size, [413, { code: 413, type: 'PayloadTooLarge', at: NOW, message: 'request entity too large', url }]);
});

test('a page has at most 200 items, 30 by default; other sizes are refused by their texts', () => {
  assert.deepEqual(pageOf(requestOf('')), { size: 30, next: undefined });
  assert.deepEqual(pageOf(requestOf('size=250&next=a')), { size: 200, next: 'a' });
  assert.deepEqual(pageOf(requestOf('size=40'), 20), { size: 20, next: undefined });
  assert.deepEqual(pageOf(requestOf('size=1&next=undefined')), { size: 1, next: undefined });
  const constraintsOf = (query: string): readonly string[] | undefined => {
    try {
      pageOf(requestOf(query));
      return undefined;
    } catch (error) {
      return error instanceof OceanError ? error.invalid?.[0]?.constraints : undefined;
    }
  };
  assert.deepEqual(constraintsOf('size=0'), ['size must not be less than 1']);
  assert.deepEqual(constraintsOf('size=1.5'), ['size must not be less than 1', 'size must be an integer number']);
  assert.deepEqual(constraintsOf('size=x'), ['size must not be less than 1', 'size must be an integer number']);
});

test('values of a query are an integer, a flag or one of several texts', () => {
  assert.equal(queryInteger(requestOf('cycle=-1'), 'cycle', 0), -1);
  assert.equal(queryInteger(requestOf(''), 'cycle', 7), 7);
  assert.throws(() => queryInteger(requestOf('cycle=1e2'), 'cycle', 0), /numeric string is expected/);
  assert.throws(() => queryInteger(requestOf(`cycle=${'9'.repeat(30)}`), 'cycle', 0), /numeric string is expected/);
  assert.equal(queryFlag(requestOf('verbose=true'), 'verbose'), true);
  assert.equal(queryFlag(requestOf(''), 'verbose'), false);
  assert.throws(() => queryFlag(requestOf('verbose=1'), 'verbose'), /boolean string is expected/);
  assert.equal(queryChoice(requestOf('type=voc'), 'type', ['cfp', 'voc', 'all'], 'all'), 'voc');
  assert.throws(() => queryChoice(requestOf('type=x'), 'type', ['cfp', 'voc', 'all'], 'all'), {
    message: 'Invalid query parameter value for type. See the acceptable values: cfp, voc, all',
  });
});

test('a page that is exactly full has a cursor, a shorter one has none', () => {
  const show = (item: number): number => item;
  assert.deepEqual(page([1, 2], { size: 2 }, String, show), { data: [1, 2], next: '2' });
  assert.deepEqual(page([1], { size: 2 }, String, show), { data: [1], next: undefined });
  assert.deepEqual(page([], { size: 2 }, String, show), { data: [], next: undefined });
  const all = [1, 2, 3];
  assert.deepEqual(pageOfAll(all, { size: 2, next: '1' }, String, show), { data: [2, 3], next: '3' });
  assert.deepEqual(pageOfAll(all, { size: 2, next: '3' }, String, show), { data: [], next: undefined });
  assert.deepEqual(pageOfAll(all, { size: 2, next: '9' }, String, show), { data: [], next: undefined });
});

test('a result is computed once for each tip, and again after a failure', async () => {
  let tip = new Uint8Array([1]) as never;
  const cache = new TipCache(() => tip);
  let computed = 0;
  const compute = async (): Promise<number> => {
    computed += 1;
    if (computed === 1) throw new Error('not yet');
    return computed;
  };
  await assert.rejects(cache.get('a', compute), /not yet/);
  assert.equal(await cache.get('a', compute), 2);
  assert.equal(await cache.get('a', compute), 2);
  assert.equal(await cache.get('b', compute), 3);
  tip = new Uint8Array([2]) as never;
  assert.equal(await cache.get('a', compute), 4);
  // A result of another index position replaces the one before it, which is not kept.
  assert.equal(await cache.get('a', compute, 'block 7'), 5);
  assert.equal(await cache.get('a', compute, 'block 7'), 5);
  assert.equal(await cache.get('a', compute), 6);
});

test('numbers of operations keep their texts', () => {
  assert.equal(new Reader(new JsonNumber('1.00000000')).digits(), '1.00000000');
  assert.equal(new Reader('2.5').digits(), '2.5');
  assert.throws(() => new Reader(null).digits(), /null in place of a text/);
});

test('each request is counted by its endpoint and status', async () => {
  const counted: unknown[] = [];
  const metrics: OceanMetrics = { answered: (endpoint, status) => counted.push([endpoint, status]) };
  const routes = [get('blocks/{id}', () => ({ data: {} })), failing(badRequest('no')), failing(new Error('a secret'))];
  const ask = apiOf(routes.slice(0, 2), 'regtest', { metrics });
  for (const path of ['blocks/5', 'blocks/6?size=1', 'fail', 'block']) await ask(`/v0/regtest/${path}`);
  await apiOf(routes.slice(2), 'regtest', { metrics })('/v0/regtest/fail');
  const expected = [
    ['blocks/{id}', 200],
    ['blocks/{id}', 200],
    ['fail', 400],
    ['unknown', 404],
    ['fail', 500],
  ];
  assert.deepEqual(counted, expected);
});
