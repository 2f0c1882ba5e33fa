import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../src/rpc/handler.js';
import { Role } from '../../src/rpc/options.js';
import { NodeError } from '../../src/util/errors.js';
import { openApiText } from '../tools/openapi.js';
import { type FakeHandlers, startGateway } from './gateway-fixture.js';

const HASH = 'ab'.repeat(32);

/** Requests that the handlers of a test received, with their callers. */
function recorder() {
  const seen: { request: Record<string, unknown>; call: CallContext }[] = [];
  const note =
    (response: unknown) =>
    (request: Record<string, unknown>, call: CallContext): unknown => {
      seen.push({ request, call });
      return response;
    };
  return { seen, note };
}

test('rest: path, query and body become one request with the defaults of the operations document', async (t) => {
  const { seen, note } = recorder();
  const { ask } = await startGateway(t, {
    getblock: note({ block: { $case: 'hex', value: 'beef' } }),
    getblockstats: note({ stats: {} }),
    decoderawtransaction: note({}),
    verifychain: note({ ok: true }),
    prioritisetransaction: note({ accepted: true }),
  });
  const get = (path: string) => ask(path, { method: 'GET' });
  assert.deepEqual((({ status, body }) => ({ status, body }))(await get(`/v1/blocks/${HASH}`)), { status: 200, body: '"beef"' });
  assert.equal((await get(`/v1/blocks/${HASH}?verbosity=0`)).status, 200);
  await get(`/v1/blocks/${HASH}/stats?stats=txs&stats=height`);
  await get('/v1/chain/hashes/7/stats');
  await ask('/v1/blocks:verify', { body: '{"nblocks":3}' });
  await ask('/v1/blocks:verify', {});
  await ask(`/v1/transactions:decode`, { body: `{"hexstring":"00ff","iswitness":true}` });
  const requests = seen.map((each) => each.request);
  assert.deepEqual(
    requests.slice(0, 2).map(({ blockhash, verbosity }) => ({ blockhash, verbosity })),
    [
      { blockhash: HASH, verbosity: 1 },
      { blockhash: HASH, verbosity: 0 },
    ],
  );
  assert.deepEqual([requests[2]?.stats, requests[3]?.stats], [['txs', 'height'], []]);
  assert.match(JSON.stringify(requests[2]), new RegExp(`"\\$case":"hash","value":"${HASH}"`));
  assert.match(JSON.stringify(requests[3]), /"\$case":"height","value":7/);
  assert.equal(requests[4]?.nblocks, 3);
  assert.deepEqual([requests[6]?.hexstring, requests[6]?.iswitness], ['00ff', true]);
  assert.deepEqual([seen[0]?.call.dialect, seen[0]?.call.transport, seen[0]?.call.user], ['document', 'rest', 'user']);
});

test('rest: the progress of a rescan is streamed as server-sent events', async (t) => {
  const wallets: unknown[] = [];
  const { ask } = await startGateway(t, {
    async *subscriberescan(_: object, { wallet }: CallContext) {
      wallets.push(wallet);
      yield { running: true, progress: 0.5, duration: 3n };
      yield { running: false, progress: 1, duration: 6n };
    },
  });
  const { status, headers, body } = await ask('/v1/wallets/savings/rescan/stream', { method: 'GET' });
  assert.deepEqual([status, headers['content-type'], wallets], [200, 'text/event-stream', ['savings']]);
  assert.deepEqual(body.match(/\{.*\}/g), ['{"running":true,"progress":0.5,"duration":3}', '{"running":false,"progress":1,"duration":6}']);
});

test('rest: a wallet is named by the path, `-` stands for the unnamed one or that of the header', async (t) => {
  const { seen, note } = recorder();
  const { ask } = await startGateway(t, { getbalance: note({ balance: 0n }) });
  const wallets = async (path: string, headers: Record<string, string> = {}): Promise<string | undefined> => {
    assert.equal((await ask(path, { method: 'GET', headers })).status, 200, path);
    return seen.at(-1)?.call.wallet;
  };
  assert.equal(await wallets('/v1/wallets/alice/balance'), 'alice');
  assert.equal(await wallets('/v1/wallets/-/balance'), '');
  assert.equal(await wallets('/v1/wallets/%2D/balance'), '');
  assert.equal(await wallets('/v1/wallets/-/balance', { 'x-wallet': 'dir/x' }), 'dir/x');
});

test('rest: a path that needs the router of Express has the same reply as its plain text', async (t) => {
  const { note } = recorder();
  const { ask } = await startGateway(t, { getblock: note({ block: { $case: 'hex', value: 'beef' } }) });
  const [plain, encoded] = [
    await ask(`/v1/blocks/${HASH}`, { method: 'GET' }),
    await ask(`/v1/blocks/%61${HASH.slice(1)}`, { method: 'GET' }),
  ];
  const withoutDate = ({ status, headers: { date, ...headers }, body }: typeof plain) => ({ status, headers, body });
  assert.deepEqual(withoutDate(plain), withoutDate(encoded));
});

test('rest: errors have the form of google.rpc.Status', async (t) => {
  const throwing = (error: Error) => () => {
    throw error;
  };
  const handlers: FakeHandlers = {
    getblock: throwing(new NodeError('block-not-found', 'Block not found')),
    getblockcount: throwing(new TypeError('oops')),
    getdifficulty: throwing(new NodeError('not-implemented', 'getdifficulty is not implemented yet')),
    getchaintips: throwing(new NodeError('warmup', 'Loading block index...')),
    getmempoolinfo: () => Promise.reject(new NodeError('misc', 'late trouble')),
  };
  const { ask } = await startGateway(t, handlers);
  const details = (reason: string, code: string) => [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'node.dfi', metadata: { jsonrpc_code: code } },
  ];
  const cases = [
    { path: `/v1/blocks/${HASH}`, status: 404, body: { code: 5, message: 'Block not found', details: details('BLOCK_NOT_FOUND', '-5') } },
    { path: '/v1/chain/height', status: 500, body: { code: 13, message: 'oops', details: details('INTERNAL', '-1') } },
    {
      path: '/v1/chain/difficulty',
      status: 501,
      body: { code: 12, message: 'getdifficulty is not implemented yet', details: details('NOT_IMPLEMENTED', '-1') },
    },
    { path: '/v1/chain/tips', status: 503, body: { code: 14, message: 'Loading block index...', details: details('IN_WARMUP', '-28') } },
    { path: '/v1/mempool', status: 400, body: { code: 9, message: 'late trouble', details: details('MISC_ERROR', '-1') } },
  ];
  for (const { path, status, body } of cases) {
    const answer = await ask(path, { method: 'GET' });
    assert.equal(answer.status, status, path);
    assert.deepEqual(JSON.parse(answer.body), body);
    assert.equal(answer.headers['content-type'], 'application/json');
  }
});

test('rest: a wrong argument names its field', async (t) => {
  const { ask } = await startGateway(t, {});
  const cases = [
    { path: `/v1/blocks/${HASH}?verbosity=x`, field: 'verbosity' },
    { path: `/v1/blocks/${HASH}?nosuch=1`, field: 'nosuch' },
    { path: '/v1/chain/hashes/tall', field: 'height' },
  ];
  for (const { path, field } of cases) {
    const answer = await ask(path, { method: 'GET' });
    const { code, details } = JSON.parse(answer.body);
    assert.deepEqual([answer.status, code, details[1].fieldViolations[0].field], [400, 3, field], path);
  }
});

test('rest: bodies that are not a JSON object', async (t) => {
  const { ask } = await startGateway(t, {});
  for (const body of ['{', '[1]', '5', '{"checklevel":"x"}', '{"checklevel":true}']) {
    const answer = await ask('/v1/blocks:verify', { body });
    assert.deepEqual([answer.status, JSON.parse(answer.body).code], [400, 3], body);
  }
});

test('rest: credentials, roles, unknown paths, wrong verbs, broken escapes', async (t) => {
  const reader = { check: () => ({ user: 'reader', role: Role.READ }) };
  const { ask } = await startGateway(t, { getblockcount: () => ({ height: 1 }), savemempool: () => ({}) });
  const none = await ask('/v1/chain/height', { method: 'GET', auth: null });
  assert.deepEqual([none.status, none.headers['www-authenticate'], JSON.parse(none.body).code], [401, 'Basic realm="jsonrpc"', 16]);
  assert.equal((await ask('/v1/chain/height', { method: 'GET', auth: 'user:no' })).status, 401);
  for (const [path, method] of [
    ['/v1/nowhere', 'GET'],
    ['/v1/chain/height', 'DELETE'],
    ['/v1/', 'GET'],
  ] as const) {
    const { status, body } = await ask(path, { method });
    assert.deepEqual([status, JSON.parse(body).message], [404, 'No operation has this verb and path; /openapi.json lists them'], path);
  }
  assert.equal((await ask('/v1/blocks/%zz', { method: 'GET' })).status, 400);
  const limited = await startGateway(t, { getblockcount: () => ({ height: 1 }), savemempool: () => ({}) }, {}, { credentials: reader });
  assert.equal((await limited.ask('/v1/chain/height', { method: 'GET' })).status, 200);
  const refused = await limited.ask('/v1/mempool:save', {});
  assert.deepEqual([refused.status, JSON.parse(refused.body).code], [403, 7]);
  assert.equal((await limited.post('{"method":"savemempool"}')).status, 403);
});

test('rest: the OpenAPI document describes the details of a wrong field', async (t) => {
  const { ask } = await startGateway(t, { getblockcount: () => ({ height: 1 }) });
  const { details } = JSON.parse((await ask('/v1/chain/height?bogus=1', { method: 'GET' })).body) as { details: Record<string, unknown>[] };
  const { schemas } = JSON.parse(openApiText()).components;
  const described = schemas.Error.properties.details.items.anyOf as {
    properties: Record<string, { const?: string }>;
    required: string[];
  }[];
  assert.equal(details.length, 2);
  for (const [i, detail] of details.entries()) {
    assert.equal(described[i]?.properties['@type']?.const, detail['@type']);
    assert.deepEqual(described[i]?.required, Object.keys(detail));
    assert.deepEqual(Object.keys(described[i]?.properties ?? {}), Object.keys(detail));
  }
});

test('rest: pages of an allowed origin may call and read the answer', async (t) => {
  const origin = 'http://page.example';
  const { ask } = await startGateway(t, { getblockcount: () => ({ height: 1 }) }, { corsOrigin: origin });
  const asked = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };
  const before = await ask('/v1/chain/height', { method: 'OPTIONS', headers: asked, auth: null });
  assert.deepEqual([before.status, before.headers['access-control-allow-methods']], [204, 'POST, GET, OPTIONS']);
  assert.match(before.headers['access-control-allow-headers'] ?? '', /Authorization, Last-Event-ID, X-Wallet/);
  const answer = await ask('/v1/chain/height', { method: 'GET', headers: { origin } });
  assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [200, origin]);
  const refused = await ask('/v1/chain/height', { method: 'GET', headers: { origin }, auth: null });
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, origin]);
  assert.equal((await ask('/openapi.json', { method: 'GET', headers: { origin } })).headers['access-control-allow-origin'], origin);
  const strict = await startGateway(t, { getblockcount: () => ({ height: 1 }) });
  assert.equal((await strict.ask('/v1/chain/height', { method: 'GET' })).headers['access-control-allow-origin'], undefined);
});

test('rest: warming up', async (t) => {
  const { ask, invoker } = await startGateway(t, {});
  invoker.warmup = 'Verifying blocks...';
  const answer = await ask('/v1/chain/height', { method: 'GET' });
  assert.deepEqual([answer.status, JSON.parse(answer.body).message], [503, 'Verifying blocks...']);
});
