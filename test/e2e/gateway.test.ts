import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { HttpServer } from '../../src/gateway/http-server.js';
import { AccessRules } from '../../src/rpc/access.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { basic, type FakeHandlers, startGateway } from './gateway-fixture.js';

const handlers: FakeHandlers = {
  getblockcount: () => ({ height: 7 }),
  getblockhash: ({ height }) => {
    if (height > 7) throw new NodeError('out-of-range', 'Block height out of range');
    return { blockhash: 'ab'.repeat(32) };
  },
  getbestblockhash: () => {
    throw new TypeError('cannot read "x"');
  },
  getdifficulty: () => Promise.resolve({ difficulty: 0.5 }),
  savemempool: (_, call: CallContext) =>
    new Promise((_resolve, reject) => {
      call.signal.addEventListener('abort', () => reject(new Error('given up')));
    }),
};

const error = (code: number, message: string, id = 'null'): string =>
  `{"result":null,"error":{"code":${code},"message":${JSON.stringify(message)}},"id":${id}}\n`;
const count = (id: string): string => `{"result":7,"error":null,"id":${id}}\n`;

test('gateway: malformed envelopes', async (t) => {
  const { post } = await startGateway(t, handlers);
  const faults = [
    { body: '', status: 500, reply: error(-32700, 'Parse error') },
    { body: '{"method":"getblockcount"', status: 500, reply: error(-32700, 'Parse error') },
    { body: '{"method":"getblockcount"} x', status: 500, reply: error(-32700, 'Parse error') },
    { body: '{"method":"getblockcount","id":01}', status: 500, reply: error(-32700, 'Parse error') },
    { body: '"getblockcount"', status: 500, reply: error(-32700, 'Top-level object parse error') },
    { body: '5', status: 500, reply: error(-32700, 'Top-level object parse error') },
    { body: '{}', status: 400, reply: error(-32600, 'Missing method') },
    { body: '{"method":null,"id":3}', status: 400, reply: error(-32600, 'Missing method', '3') },
    { body: '{"method":5,"id":"x"}', status: 400, reply: error(-32600, 'Method must be a string', '"x"') },
    { body: '{"method":"getblockcount","params":5}', status: 400, reply: error(-32600, 'Params must be an array or object') },
    { body: '{"method":"getblockcount","params":"a"}', status: 400, reply: error(-32600, 'Params must be an array or object') },
    { body: '{"method":"getblockcount","params":true}', status: 400, reply: error(-32600, 'Params must be an array or object') },
    { body: '{"method":"nosuchmethod","id":1}', status: 404, reply: error(-32601, 'Method not found', '1') },
    { body: '{"method":"getblockhash","params":{"hight":1}}', status: 500, reply: error(-8, 'Unknown named parameter hight') },
    { body: '{"method":"getblockhash","params":[9]}', status: 500, reply: error(-8, 'Block height out of range') },
    { body: '{"method":"getblockhash","params":["9"]}', status: 500, reply: error(-1, 'JSON value is not an integer as expected') },
    { body: '{"method":"getbestblockhash"}', status: 500, reply: error(-1, 'cannot read "x"') },
  ];
  for (const { body, status, reply } of faults) {
    const answer = await post(body);
    assert.deepEqual([answer.status, answer.body], [status, reply], body);
    assert.equal(answer.headers['content-type'], 'application/json');
  }
});

test('gateway: a body that is not UTF-8 is not JSON', async (t) => {
  const { ask } = await startGateway(t, handlers);
  const body = Buffer.concat([Buffer.from('{"method":"getblockcount","id":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  assert.equal((await ask('/', { body })).body, error(-32700, 'Parse error'));
});

test('gateway: wrong number of arguments is answered with help', async (t) => {
  const { post } = await startGateway(t, handlers);
  for (const params of [[], [1, 2]]) {
    const answer = await post({ method: 'getblockhash', params });
    const reply = JSON.parse(answer.body);
    assert.equal(answer.status, 500);
    assert.equal(reply.error.code, -1);
    assert.match(reply.error.message, /^getblockhash height\n/);
  }
});

test('gateway: every kind of id is returned as it was written', async (t) => {
  const { post } = await startGateway(t, handlers);
  const ids = ['1', '-0', '1.50', '1e3', '100000000000000000000000', '"a\\"b"', '""', 'null', 'true', '[1,{"a":2.0}]', '{"b":[],"a":null}'];
  for (const id of ids) assert.equal((await post(`{"method":"getblockcount","id":${id}}`)).body, count(id));
  assert.equal((await post('{"id": [ 1 , 2 ] ,"method":"getblockcount"}')).body, count('[1,2]'));
  assert.equal((await post('{"method":"getblockcount"}')).body, count('null'));
  assert.equal((await post('{"id":1,"method":"getblockcount","id":2}')).body, count('1'));
});

test('gateway: versions before 2.0 get the same reply, and have no notifications', async (t) => {
  const { post } = await startGateway(t, handlers);
  for (const body of [
    '{"jsonrpc":"1.0","method":"getblockcount","params":[],"id":5}',
    '{"version":"1.1","method":"getblockcount","params":null,"id":5}',
  ]) {
    assert.equal((await post(body)).body, count('5'));
  }
  assert.equal((await post('{"jsonrpc":"1.0","method":"getblockcount","params":[]}')).body, count('null'));
  assert.equal((await post('{"jsonrpc":"1.0","method":"nosuchmethod"}')).status, 404);
});

test('gateway: version 2.0 gets its own reply, cached or not, and none for a notification', async (t) => {
  const { post } = await startGateway(t, handlers);
  for (let i = 0; i < 3; i++) {
    assert.equal((await post('{"jsonrpc":"2.0","id":5,"method":"getblockcount"}')).body, '{"jsonrpc":"2.0","result":7,"id":5}\n');
    assert.equal((await post('{"jsonrpc":"1.0","id":5,"method":"getblockcount"}')).body, count('5'));
  }
  const refused = await post('{"jsonrpc":"2.0","method":"nosuchmethod","id":1}');
  assert.deepEqual(
    [refused.status, refused.body],
    [200, '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}\n'],
  );
  const silent = await post('{"jsonrpc":"2.0","method":"getblockcount"}');
  assert.deepEqual([silent.status, silent.body], [204, '']);
});

test('gateway: calls that are not allowed are refused with 403, and nothing of their batch runs', async (t) => {
  const rules = new AccessRules({ whitelists: ['user:getblockcount'], whitelistDefault: undefined, roles: [] });
  const credentials = { check: () => rules.callerOf('user') };
  const { post, ask, invoker } = await startGateway(
    t,
    { getblockcount: () => ({ height: 1 }), uptime: () => ({ seconds: 1 }) },
    {},
    { credentials },
  );
  const allowed = { method: 'getblockcount' };
  assert.equal((await post(allowed)).status, 200);
  assert.equal((await post([allowed, allowed])).status, 200);
  assert.equal(invoker.calls.length, 3);
  for (const method of ['uptime', 'nosuchmethod', 'rpc.discover']) {
    const refused = await post({ method, params: ['too', 'many'], id: 7 });
    assert.deepEqual([refused.status, JSON.parse(refused.body).id], [403, 7], method);
    assert.equal((await post([allowed, { method }])).status, 403, method);
  }
  assert.equal((await ask('/v1/chain/height', { method: 'GET' })).status, 200);
  assert.equal((await ask('/v1/node/uptime', { method: 'GET' })).status, 403);
  assert.equal(invoker.calls.length, 4);
});

test('gateway: batches', async (t) => {
  const { post } = await startGateway(t, handlers);
  const cases = [
    { body: '[]', reply: '[]\n' },
    { body: '[{"method":"getblockcount","id":1}]', reply: `[${count('1').trim()}]\n` },
    {
      body: '[{"method":"getblockcount","id":1},5,{"method":"nosuchmethod","id":2},{"method":"getdifficulty","id":3},[]]',
      reply: `[${[
        count('1'),
        error(-32600, 'Invalid Request object'),
        error(-32601, 'Method not found', '2'),
        '{"result":0.5,"error":null,"id":3}',
        error(-32600, 'Invalid Request object'),
      ]
        .map((each) => each.trim())
        .join(',')}]\n`,
    },
  ];
  for (const { body, reply } of cases) {
    const answer = await post(body);
    assert.deepEqual([answer.status, answer.body], [200, reply], body);
  }
  const full = await post(JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ method: 'getblockcount', id }))));
  assert.deepEqual(
    JSON.parse(full.body).map((each: { id: number }) => each.id),
    Array.from({ length: 1000 }, (_, id) => id),
  );
  const over = await post(JSON.stringify(Array.from({ length: 1001 }, (_, id) => ({ method: 'getblockcount', id }))));
  assert.deepEqual([over.status, over.body], [400, error(-32600, 'Batch of more than 1000 calls')]);
});

test('gateway: named arguments', async (t) => {
  const { post } = await startGateway(t, handlers);
  assert.equal(
    (await post('{"method":"getblockhash","params":{"height":3},"id":1}')).body,
    `{"result":"${'ab'.repeat(32)}","error":null,"id":1}\n`,
  );
});

test('gateway: statuses of paths and verbs, in the order of the checks', async (t) => {
  const { ask } = await startGateway(t, handlers);
  const post = 'JSONRPC server handles only POST requests';
  const cases = [
    { method: 'DELETE', path: '/', status: 405, body: '' },
    { method: 'DELETE', path: '/nowhere', status: 405, body: '' },
    { method: 'PATCH', path: '/', status: 501, body: '' },
    { method: 'GET', path: '/nowhere', status: 404, body: '' },
    { method: 'POST', path: '/nowhere', status: 404, body: '' },
    { method: 'POST', path: '/wallet', status: 404, body: '' },
    { method: 'POST', path: '/?x', status: 404, body: '' },
    { method: 'GET', path: '/rest/chaininfo.json', status: 404, body: '' },
    { method: 'GET', path: '/', status: 405, body: post },
    { method: 'PUT', path: '/', status: 405, body: post },
    { method: 'OPTIONS', path: '/', status: 405, body: post },
    { method: 'GET', path: '/wallet/x', status: 405, body: post },
    { method: 'HEAD', path: '/', status: 405, body: '' },
  ];
  for (const { method, path, status, body } of cases) {
    const answer = await ask(path, { method, auth: null });
    assert.deepEqual([answer.status, answer.body], [status, body], `${method} ${path}`);
  }
});

test('gateway: credentials', async (t) => {
  const { ask } = await startGateway(t, handlers, { authDelayMs: 120 });
  const timed = async (auth: string | null, headers: Record<string, string> = {}) => {
    const from = performance.now();
    const answer = await ask('/', { auth, headers, body: '{"method":"getblockcount"}' });
    return { answer, ms: performance.now() - from };
  };
  const none = await timed(null);
  assert.deepEqual([none.answer.status, none.answer.body], [401, '']);
  assert.equal(none.answer.headers['www-authenticate'], 'Basic realm="jsonrpc"');
  assert.ok(none.ms < 100, `no credentials are refused at once, not after ${none.ms} ms`);
  for (const wrong of [await timed('user:wrong'), await timed(null, { authorization: 'Bearer x' })]) {
    assert.deepEqual([wrong.answer.status, wrong.answer.body], [401, '']);
    assert.equal(wrong.answer.headers['www-authenticate'], 'Basic realm="jsonrpc"');
    assert.ok(wrong.ms >= 115, `wrong credentials are refused late, not after ${wrong.ms} ms`);
  }
  assert.equal((await timed('user:secret')).answer.status, 200);
});

test('gateway: at most ten guesses wait, further ones are refused unchecked, and logged-in clients are served', async (t) => {
  const body = '{"method":"getblockcount"}';
  let refused = 0;
  const rejected = (): void => {
    refused += 1;
  };
  // A guess that is checked waits longer than the test runs.
  const { ask, port } = await startGateway(t, handlers, { authDelayMs: 60_000 }, { metrics: { rejected } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const askKnown = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: basic('user:secret') };
      const req = request({ host: '127.0.0.1', port, method: 'POST', agent, headers }, (res) => {
        res.resume().on('end', () => resolve(res.statusCode));
      });
      req.on('error', reject).end(body);
    });
  assert.equal(await askKnown(), 200);
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  const guess = (i: number) => `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${basic(`user:${i}`)}\r\nContent-Length: 0\r\n\r\n`;
  for (let i = 0; i < 10; i++) socket.write(guess(i));
  while (refused < 10) await setImmediate();
  const answer = await ask('/', { body });
  assert.deepEqual([answer.status, answer.body], [429, 'Too many failed log-ins']);
  assert.equal(await askKnown(), 200);
});

test('gateway: wallet path, user and request id are passed to the call', async (t) => {
  const { ask, invoker } = await startGateway(t, handlers);
  const body = '{"method":"getblockcount"}';
  for (const path of ['/', '/wallet/', '/wallet/a%20b']) assert.equal((await ask(path, { body })).status, 200);
  await ask('/', { body, headers: { 'x-request-id': 'mine' } });
  assert.deepEqual(
    invoker.calls.map((call) => call.wallet),
    [undefined, '', 'a b', undefined],
  );
  assert.deepEqual([invoker.calls[0]?.user, invoker.calls[0]?.dialect, invoker.calls[3]?.requestId], ['user', 'json-rpc', 'mine']);
});

test('gateway: during warm-up every method is answered with the state of the start', async (t) => {
  const { post, invoker } = await startGateway(t, handlers);
  invoker.warmup = 'Loading block index...';
  for (const body of ['{"method":"getblockcount"}', '{"method":"nosuchmethod"}', '{"method":"getblockhash","params":[]}']) {
    const answer = await post(body);
    assert.deepEqual([answer.status, answer.body], [500, error(-28, 'Loading block index...')]);
  }
  assert.equal((await post('{"params":[]}')).body, error(-32600, 'Missing method'));
  invoker.warmup = undefined;
  assert.equal((await post('{"method":"getblockcount"}')).body, count('null'));
});

test('gateway: cross-origin headers if configured', async (t) => {
  const { ask } = await startGateway(t, handlers, { corsOrigin: 'http://localhost:3000' });
  const options = await ask('/', { method: 'OPTIONS', auth: null });
  assert.deepEqual([options.status, options.body], [204, '']);
  for (const answer of [options, await ask('/', { body: '{"method":"getblockcount"}' }), await ask('/', { auth: null })]) {
    assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:3000');
    assert.equal(answer.headers['access-control-allow-credentials'], 'true');
    assert.equal(answer.headers['access-control-allow-methods'], 'POST, GET, OPTIONS');
    assert.equal(answer.headers['access-control-allow-headers'], 'Content-Type, Authorization');
  }
});

test('gateway: sources outside the allow list get 403 before anything else is checked', async (t) => {
  const server = new HttpServer(
    { portOption: '-rpcport', endpoints: [{ host: '127.0.0.1', port: 0 }], idleTimeoutMs: 1000 },
    { allowList: { allows: () => false }, isBusy: () => false, onRequest: (_, res) => res.end('served'), log: silentLogger },
  );
  const [endpoint] = await server.start();
  t.after(() => server.close());
  for (const verb of ['GET', 'DELETE']) {
    assert.equal(await rawStatus(endpoint?.port ?? 0, `${verb} /nowhere HTTP/1.1\r\nHost: x\r\n\r\n`), 403);
  }
  await assert.rejects(startGateway(t, handlers, { allowIp: ['10.0.0/8'] }), /Invalid -rpcallowip subnet specification: 10.0.0\/8/);
});

test('gateway: the connection of a client outside the allow list is closed', async (t) => {
  const server = new HttpServer(
    { portOption: '-rpcport', endpoints: [{ host: '127.0.0.1', port: 0 }], idleTimeoutMs: 3_600_000 },
    { allowList: { allows: () => false }, isBusy: () => false, onRequest: (_, res) => res.end('served'), log: silentLogger },
  );
  const [endpoint] = await server.start();
  t.after(() => server.close());
  const sockets = Array.from({ length: 40 }, () => connect(endpoint?.port ?? 0, '127.0.0.1').on('error', () => {}));
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
});

test('gateway: connections are bounded per address', async (t) => {
  const reasons: string[] = [];
  const metrics = { rejected: (reason: string) => void reasons.push(reason) };
  const { port, post } = await startGateway(t, handlers, { connections: { total: 10, perAddress: 2 } }, { metrics });
  const open = Array.from({ length: 2 }, () => connect(port, '127.0.0.1'));
  await Promise.all(open.map((socket) => once(socket, 'connect')));
  const third = connect(port, '127.0.0.1');
  await once(third.resume(), 'close');
  assert.deepEqual(reasons, ['connections']);
  open[0]?.destroy();
  open[1]?.destroy();
  // The server is notified of the closed connections after the client.
  while (!(await post('{"method":"getblockcount"}').catch(() => undefined))) await setImmediate();
});

test('gateway: requests of foreign pages are refused before credentials are checked', async (t) => {
  const { ask, invoker } = await startGateway(t, handlers, { allowHosts: ['node'], corsOrigin: 'http://page.example', rest: true });
  const body = '{"method":"getblockcount"}';
  const foreign = { headers: { host: 'attacker.example' }, text: 'Host not allowed; see -rpcallowhost' };
  const crossSite = { headers: { origin: 'http://attacker.example' }, text: 'Origin not allowed; see -rpcallowcors' };
  for (const { headers, text } of [foreign, crossSite]) {
    for (const path of ['/', '/wallet/w', '/v1/chain/height', '/rest/chaininfo.json', '/openapi.json']) {
      const answer = await ask(path, { body, headers: { ...headers, 'content-type': 'text/plain' } });
      assert.deepEqual([answer.status, answer.body], [403, text], path);
    }
  }
  assert.equal(invoker.calls.length, 0);
  assert.equal((await ask('/', { body, headers: { host: 'node:8554', origin: 'http://page.example' } })).status, 200);
});

test('gateway: requests without a host are answered, as by defid', async (t) => {
  const { port } = await startGateway(t, handlers);
  const body = '{"method":"getblockcount"}';
  for (const version of ['1.0', '1.1']) {
    const head = `POST / HTTP/${version}\r\nAuthorization: ${basic('user:secret')}\r\nContent-Length: ${body.length}\r\n\r\n`;
    assert.equal(await rawStatus(port, head + body), 200, version);
  }
});

test('gateway: starts if one address can be bound, and fails if none can', async (t) => {
  const { port, gateway } = await startGateway(t, handlers);
  const bind = { allowIp: ['127.0.0.1'] };
  const second = await startGateway(t, handlers, { ...bind, bind: [`127.0.0.1:${port}`, '127.0.0.1:0'] });
  assert.notEqual(second.port, port);
  await assert.rejects(startGateway(t, handlers, { ...bind, bind: [`127.0.0.1:${port}`] }), {
    name: 'CannotListen',
    message: `Unable to start HTTP server. See debug log for details. Cannot bind: port ${port} of 127.0.0.1 is in use (-rpcport)`,
  });
  await gateway.stop();
});

test('gateway: the log names the option of the port that cannot be bound', async (t) => {
  const { port } = await startGateway(t, handlers);
  for (const { portOption, text } of [
    { portOption: '-rpcport', text: 'Unable to bind any endpoint for RPC server' },
    { portOption: '-metricsport', text: 'Unable to bind any endpoint' },
  ]) {
    const lines: unknown[] = [];
    const log = { ...silentLogger, error: (...line: readonly unknown[]) => lines.push(line) };
    const server = new HttpServer(
      { portOption, endpoints: [{ host: '127.0.0.1', port }], idleTimeoutMs: 1000 },
      { allowList: { allows: () => true }, isBusy: () => false, onRequest: (_, res) => res.end(), log },
    );
    await assert.rejects(server.start(), { name: 'CannotListen' });
    assert.deepEqual(lines, [[text, { option: portOption }]]);
  }
});

test('gateway: bodies are bounded, whether announced or not', async (t) => {
  const { ask, port } = await startGateway(t, handlers);
  assert.equal(
    (await ask('/', { headers: { 'content-length': String(0x0800_0001) }, body: '' }).catch(() => ({ status: 413 }))).status,
    413,
  );
  const big = `{"method":"getblockcount","id":"${'x'.repeat(5_000_000)}"}`;
  const answer = await ask('/', { body: big });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.length, 5_000_000 + count('""').length);
  assert.equal(await rawStatus(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(8200)}\r\n\r\n`), 400);
  assert.equal(await rawStatus(port, 'NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n'), 501);
  assert.equal(await rawStatus(port, 'not http at all\r\n\r\n'), 501);
  assert.equal(await rawStatus(port, 'GET / HTTP/9\r\n\r\n'), 400);
});

test('gateway: idle connections are closed, waiting ones are not', async (t) => {
  const slow: FakeHandlers = { ...handlers, savemempool: () => sleep(400).then(() => ({})) };
  const { port, post } = await startGateway(t, slow, { idleTimeoutMs: 150 });
  const from = performance.now();
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('close', resolve);
    socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\nContent-Length: 100\r\n\r\n{');
    socket.resume();
  });
  assert.ok(performance.now() - from < 5000);
  assert.equal((await post('{"method":"savemempool"}')).body, '{"result":null,"error":null,"id":null}\n');
});

test('gateway: the work queue counts calls that wait', async (t) => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { post } = await startGateway(t, { ...handlers, savemempool: () => gate.then(() => ({})) }, { maxPending: 2 });
  const waiting = [post('{"method":"savemempool"}'), post('{"method":"savemempool"}')];
  await sleep(50);
  const refused = await post('{"method":"getblockcount"}');
  assert.deepEqual([refused.status, refused.body], [500, 'Work queue depth exceeded']);
  release();
  for (const each of waiting) assert.equal((await each).status, 200);
  assert.equal((await post('{"method":"getblockcount"}')).status, 200);
});

test('gateway: a disconnecting caller aborts the call', async (t) => {
  let aborted: unknown;
  const left: FakeHandlers = {
    savemempool: (_, call: CallContext) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          aborted = call.signal.reason;
          resolve({});
        });
      }),
  };
  const { port } = await startGateway(t, left);
  const req = request({ port, host: '127.0.0.1', method: 'POST', headers: { authorization: 'Basic dXNlcjpzZWNyZXQ=' } });
  req.on('error', () => undefined);
  req.end('{"method":"savemempool"}');
  await sleep(100);
  req.destroy();
  await sleep(100);
  assert.ok(aborted instanceof NodeError && aborted.kind === 'cancelled');
});

test('gateway: on shutdown running calls are aborted, and later ones refused', async (t) => {
  const { gateway, post, port } = await startGateway(t, handlers);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const waiting = post('{"method":"savemempool","id":9}');
  await sleep(50);
  gateway.drain();
  const last = await post('{"method":"getblockcount"}');
  assert.deepEqual([last.status, last.headers.connection], [200, 'close']);
  const stopped = gateway.stop();
  const answer = await waiting;
  assert.deepEqual([answer.status, answer.body], [500, error(-9, 'Shutting down', '9')]);
  await stopped;
  await assert.rejects(post('{"method":"getblockcount"}'), { code: 'ECONNREFUSED' });
  assert.ok(port > 0);
});

test('gateway: a request that would like HTTP/2 is answered in HTTP/1', async (t) => {
  const { port } = await startGateway(t, handlers);
  for (const [body, reply] of [
    ['{"method":"getblockcount","id":1}', count('1')],
    ['{"method":"nosuchmethod","id":1}', error(-32601, 'Method not found', '1')],
  ] as const) {
    const headers = { authorization: basic('user:secret'), connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
    const req = request({ port, method: 'POST', headers });
    req.end(body);
    const [res] = await once(req, 'response');
    assert.equal((await res.toArray()).join(''), reply);
  }
});

test('gateway: refused WebSockets are closed, others when the gateway stops', async (t) => {
  const { port, gateway } = await startGateway(t, handlers);
  const open = async (path: string, authorization: string) => {
    // Keeps its end open.
    const socket = connect({ port, allowHalfOpen: true });
    const headers = ['Host: 127.0.0.1', `Authorization: ${basic(authorization)}`, 'Connection: Upgrade', 'Upgrade: websocket'];
    socket.write(
      `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
    );
    t.after(() => socket.destroy());
    const [head] = await once(socket, 'data');
    return { socket, status: String(head).slice(9, 12) };
  };
  assert.equal((await open('/v1/nosuch', 'user:secret')).status, '404');
  assert.equal((await open('/v1/events/stream', 'user:wrong')).status, '401');
  await gateway.stop();
});

test('gateway: rpc.discover and /openapi.json describe the operations', async (t) => {
  const { post, ask } = await startGateway(t, handlers);
  const openrpc = JSON.parse((await post('{"method":"rpc.discover"}')).body).result;
  assert.ok(openrpc.methods.some((each: { name: string }) => each.name === 'getblock'));
  const answer = await ask('/openapi.json', { method: 'GET', auth: null });
  const openapi = JSON.parse(answer.body);
  assert.equal(openapi.openapi, '3.1.0');
  assert.equal(openapi.paths['/v1/chain/height'].get.operationId, 'getblockcount');
});

/** Status of the answer to bytes that no HTTP client would send. */
function rawStatus(port: number, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString())?.[1]));
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without an answer')));
  });
}

test('gateway: rejected requests are counted by reason', async (t) => {
  const reasons: string[] = [];
  const { ask, port } = await startGateway(t, handlers, { maxPending: 0 }, { metrics: { rejected: (reason) => reasons.push(reason) } });
  await ask('/', { auth: null });
  await ask('/', { auth: 'user:wrong' });
  await ask('/', { body: '{"method":"getblockcount"}' });
  await rawStatus(port, 'NONSENSE\r\n\r\n');
  assert.deepEqual(reasons, ['unauthenticated', 'unauthenticated', 'queue', 'malformed']);
});

const TXIDS = Array.from({ length: 50_000 }, (_, n) => n.toString(16).padStart(64, '0'));
const longAnswer: FakeHandlers = { ...handlers, getrawmempool: () => ({ transactions: { $case: 'txids', value: { txids: TXIDS } } }) };

test('gateway: a long answer equals the same answer written in one piece, with its length', async (t) => {
  const { post, ask } = await startGateway(t, longAnswer);
  const body = `{"result":${JSON.stringify(TXIDS)},"error":null,"id":1}\n`;
  const single = await post('{"method":"getrawmempool","id":1}');
  assert.ok(single.body === body);
  assert.equal(single.headers['content-length'], String(body.length));
  const batch = await post(
    '[{"method":"getblockcount","id":0},{"method":"getrawmempool","id":1},{"method":"nosuchmethod","id":2},{"method":"getrawmempool","id":1}]',
  );
  const inBatch = body.slice(0, -1);
  assert.ok(batch.body === `[${count('0').slice(0, -1)},${inBatch},${error(-32601, 'Method not found', '2').slice(0, -1)},${inBatch}]\n`);
  assert.equal(batch.headers['content-length'], String(batch.body.length));
  const rest = await ask('/v1/mempool/transactions', { method: 'GET' });
  assert.ok(rest.body === JSON.stringify(TXIDS));
});

test('gateway: pipelined long answers arrive whole and in order', async (t) => {
  const { port } = await startGateway(t, longAnswer);
  const socket = connect(port, '127.0.0.1');
  const bodies = ['{"method":"getrawmempool","id":1}', '{"method":"getblockcount","id":2}', '{"method":"getrawmempool","id":3}'];
  const authorization = `Authorization: ${basic('user:secret')}`;
  // All requests are sent before the first is answered.
  for (const body of bodies)
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.endsWith('"id":3}\n')) break;
  }
  assert.deepEqual(text.match(/"id":\d/g), ['"id":1', '"id":2', '"id":3']);
  assert.equal(text.split(JSON.stringify(TXIDS)).length, 3);
});

test('gateway: writing a long answer stops when the client disconnects', async (t) => {
  let read = 0;
  const txids = new Proxy(
    Array.from({ length: 1_000_000 }, () => TXIDS[0]),
    {
      get(list, key) {
        read += 1;
        if (read === 1_000) socket.destroy();
        return Reflect.get(list, key);
      },
    },
  );
  const { port } = await startGateway(t, { getrawmempool: () => ({ transactions: { $case: 'txids', value: { txids } } }) });
  const socket = connect(port, '127.0.0.1');
  const body = '{"method":"getrawmempool"}';
  socket.write(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${basic('user:secret')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'close');
  let before: number;
  do {
    before = read;
    await sleep(100);
  } while (read > before);
  assert.ok(read > 1_000 && read < txids.length, `${read} of ${txids.length} elements`);
});
