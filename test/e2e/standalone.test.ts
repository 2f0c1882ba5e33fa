import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { GetAccessResponse } from '../../gen/ts/dfi/node/v1/control.js';
import { defaultGatewayOptions } from '../../src/gateway/options.js';
import { StandaloneGateway } from '../../src/gateway/standalone.js';
import { GrpcServer } from '../../src/grpc/server.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { InvalidField } from '../../src/rpc/errors.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { type ErrorKind, NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { type Answer, basic, catalogue, type FakeHandlers, FakeInvoker, fakeCredentials } from './gateway-fixture.js';

interface Pair {
  readonly port: number;
  readonly invoker: FakeInvoker;
  readonly gateway: StandaloneGateway;
  ask(
    path: string,
    options?: { method?: string; body?: string; auth?: string | undefined; headers?: Record<string, string> },
  ): Promise<Answer>;
  call(method: string, params?: unknown, path?: string): Promise<Answer>;
}

const ADMINISTRATOR: GetAccessResponse = { user: 'user', role: 'admin', whitelisted: false, methods: [] };

/** Answers the operation with which the gateway checks credentials. */
class NodeBehind extends FakeInvoker {
  constructor(
    handlers: FakeHandlers,
    readonly rights: GetAccessResponse,
  ) {
    super(handlers);
  }

  override invoke(op: Operation, req: object, call: CallContext): unknown {
    return op.name === 'getaccess' ? this.rights : super.invoke(op, req, call);
  }
}

/** A gateway process in front of a gRPC server with fake handlers. */
async function startPair(t: TestContext, handlers: FakeHandlers, rights: GetAccessResponse = ADMINISTRATOR): Promise<Pair> {
  const invoker = new NodeBehind(handlers, rights);
  const throttle = new LoginThrottle({ log: silentLogger }, { delayMs: 20 });
  const server = new GrpcServer(
    { port: 0, bind: ['127.0.0.1'], tls: undefined, graceMs: 200 },
    { catalogue: catalogue(), invoker, credentials: fakeCredentials, throttle, isServing: () => true, log: silentLogger },
  );
  const upstream = await server.start();
  const gateway = new StandaloneGateway(
    { ...defaultGatewayOptions, stopGraceMs: 200 },
    { address: `127.0.0.1:${upstream}`, tls: undefined },
    { catalogue: catalogue(), log: silentLogger },
  );
  const [endpoint] = await gateway.start();
  t.after(async () => {
    await gateway.stop();
    await server.stop();
  });
  const ask: Pair['ask'] = (path, { method = 'POST', body = '', auth = 'user:secret', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: endpoint?.port,
        path,
        method,
        agent: false,
        headers: { authorization: basic(auth), ...headers },
      };
      const req = request(options, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
      });
      req.on('error', reject);
      req.end(body);
    });
  return {
    port: endpoint?.port ?? 0,
    invoker,
    gateway,
    ask,
    call: (method, params = [], path = '/') => ask(path, { body: JSON.stringify({ method, params, id: 1 }) }),
  };
}

test('standalone: calls run on the upstream node, in the dialect of the client', async (t) => {
  const requests: Record<string, unknown>[] = [];
  const { call, ask, invoker } = await startPair(t, {
    getblockcount: () => ({ height: 42 }),
    getblock: (req) => {
      requests.push(req);
      return { block: { $case: 'hex', value: 'beef' } };
    },
    getdifficulty: () => Promise.resolve({ difficulty: 4.656542373906925e-10 }),
    getblockstats: (req) => {
      requests.push(req);
      return { stats: {} };
    },
  });
  assert.equal((await call('getblockcount')).body, '{"result":42,"error":null,"id":1}\n');
  assert.equal((await call('getdifficulty')).body, '{"result":4.656542373906925e-10,"error":null,"id":1}\n');
  assert.equal((await call('getblock', ['ab', 0], '/wallet/mine')).body, '{"result":"beef","error":null,"id":1}\n');
  assert.equal((await call('getblockstats', [7, ['txs']])).status, 200);
  assert.equal((await ask(`/v1/blocks/cd`, { method: 'GET' })).body, '"beef"');
  assert.deepEqual(
    [requests[0]?.blockhash, requests[0]?.verbosity, requests[1]?.stats, requests[2]?.blockhash, requests[2]?.verbosity],
    ['ab', 0, ['txs'], 'cd', 1],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(requests[1]?.hashOrHeight)), { block: { $case: 'height', value: 7 } });
  assert.deepEqual(invoker.calls[0]?.settings, {});
  const headers = { 'x-walletfastselect': '1', 'x-walletcoinoptskipsolvable': 'yes' };
  await ask('/', { headers, body: JSON.stringify({ method: 'getblockcount', id: 1 }) });
  await ask('/v1/blocks/cd', { method: 'GET', headers });
  const settings = { walletfastselect: true, walletcoinoptskipsolvable: false };
  assert.deepEqual(
    invoker.calls.splice(-2).map((each) => each.settings),
    [settings, settings],
  );
  const calls = invoker.calls.map(({ dialect, wallet, user }) => [dialect, wallet, user]);
  assert.deepEqual(calls, [
    ['json-rpc', undefined, 'user'],
    ['json-rpc', undefined, 'user'],
    ['json-rpc', 'mine', 'user'],
    ['json-rpc', undefined, 'user'],
    ['document', undefined, 'user'],
  ]);
});

test('standalone: errors of the upstream node keep their code and text', async (t) => {
  let thrown: Error = new Error();
  const { call, ask } = await startPair(t, {
    getblockcount: () => {
      throw thrown;
    },
  });
  const cases: { kind: ErrorKind; status: number; code: number; text: string }[] = [
    { kind: 'block-not-found', status: 500, code: -5, text: 'Block not found' },
    { kind: 'out-of-range', status: 500, code: -8, text: 'Block height out of range' },
    { kind: 'invalid-parameter', status: 500, code: -8, text: 'ünïcode \u2713' },
    { kind: 'warmup', status: 500, code: -28, text: 'Loading block index...' },
    { kind: 'invalid-request', status: 400, code: -32600, text: 'odd' },
    { kind: 'misc', status: 500, code: -1, text: 'why' },
    { kind: 'unknown-token', status: 500, code: 0, text: 'Invalid Defi token: X' },
  ];
  for (const { kind, status, code, text } of cases) {
    thrown = new NodeError(kind, text);
    const answer = await call('getblockcount');
    assert.deepEqual([answer.status, JSON.parse(answer.body)], [status, { result: null, error: { code, message: text }, id: 1 }]);
  }
  thrown = new InvalidField('a.b', 'is odd');
  const rest = await ask('/v1/chain/height', { method: 'GET' });
  assert.deepEqual(JSON.parse(rest.body).details[1].fieldViolations, [{ field: 'a.b', description: 'is odd' }]);
});

test('standalone: errors that the gateway finds itself do not reach the node', async (t) => {
  const { call, invoker } = await startPair(t, {});
  assert.equal(JSON.parse((await call('nosuchmethod')).body).error.code, -32601);
  assert.match(JSON.parse((await call('getblockhash', [])).body).error.message, /^getblockhash height\n/);
  assert.equal(JSON.parse((await call('getblockhash', ['x'])).body).error.message, 'JSON value is not an integer as expected');
  assert.equal(invoker.calls.length, 0);
});

test('standalone: wrong credentials are refused by the node, and hence by the gateway', async (t) => {
  const { ask } = await startPair(t, { getblockcount: () => ({ height: 1 }) });
  const body = '{"method":"getblockcount"}';
  for (const asked of [body, `[${body}]`]) {
    const answer = await ask('/', { body: asked, auth: 'user:wrong' });
    assert.deepEqual([answer.status, answer.body, answer.headers['www-authenticate']], [401, '', 'Basic realm="jsonrpc"']);
  }
  assert.equal((await ask('/v1/chain/height', { method: 'GET', auth: 'user:wrong' })).status, 401);
});

test('standalone: credentials are checked before the body is read', async (t) => {
  const { port } = await startPair(t, { getblockcount: () => ({ height: 1 }) });
  for (const path of ['/', '/v1/psbts:combine']) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: basic('user:wrong'), 'content-length': '1000000' };
      const req = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false, headers });
      req.on('response', (res) => resolve(res.statusCode));
      req.on('error', reject);
      // The rest of the body is never sent.
      req.write('{"method":');
      t.after(() => req.destroy());
    });
    assert.equal(status, 401, path);
  }
});

test('standalone: without an upstream node, calls fail with an error that says so', async (t) => {
  const gateway = new StandaloneGateway(
    { ...defaultGatewayOptions },
    { address: '127.0.0.1:1', tls: undefined },
    { catalogue: catalogue(), log: silentLogger },
  );
  const [endpoint] = await gateway.start();
  t.after(() => gateway.stop());
  const answer = await fetch(`http://127.0.0.1:${endpoint?.port}/`, {
    method: 'POST',
    headers: { authorization: basic('user:secret') },
    body: '{"method":"getblockcount"}',
  });
  assert.deepEqual(
    [answer.status, await answer.json()],
    [500, { result: null, error: { code: -9, message: 'The node behind this gateway cannot be reached' }, id: null }],
  );
  assert.equal(gateway.health().synced, false);
});

test('standalone: a caller has no more rights than the node grants', async (t) => {
  let calls = 0;
  const uptime = (): object => {
    calls += 1;
    return { seconds: 1 };
  };
  const rights = { user: 'user', role: 'read', whitelisted: false, methods: ['uptime'] };
  const { ask } = await startPair(t, { uptime }, rights);
  const post = async (body: unknown): Promise<number> => (await ask('/', { body: JSON.stringify(body) })).status;
  assert.equal(await post([{ method: 'uptime' }]), 200);
  assert.equal(await post([{ method: 'uptime' }, { method: 'stop' }]), 403);
  assert.equal(await post({ method: 'nosuchmethod' }), 404);
  assert.equal(calls, 1);
});
