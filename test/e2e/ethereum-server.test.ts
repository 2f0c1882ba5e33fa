import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { EthereumServer } from '../../src/gateway/ethereum/ethereum-server.js';
import { silentLogger } from '../../src/util/logger.js';

const ORIGIN = 'http://page.example';

/** Starts a server whose calls all return `true`. @returns its URL */
async function start(t: TestContext, corsOrigin: string): Promise<string> {
  const call = () => ({ result: 'true' });
  const server = new EthereumServer(
    {
      port: 0,
      bind: [],
      bindOption: '-ethrpcbind',
      portOption: '-ethrpcport',
      allowIp: [],
      allowHosts: [],
      corsOrigin,
      connections: { total: 10, perAddress: 10 },
      maxResponseBytes: 1000,
      maxPending: 10,
      idleTimeoutMs: 1000,
      stopGraceMs: 0,
    },
    { service: { call, open: () => ({ call, close: () => {} }) }, rejected: () => {}, log: silentLogger },
  );
  const endpoints = await server.start();
  t.after(() => server.stop());
  return `http://127.0.0.1:${endpoints[0]?.port}`;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly origin: string | null;
  readonly credentials: string | null;
  readonly methods: string | null;
}

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_syncing"}';

async function ask(url: string, method: string, headers: Record<string, string> = {}, request = REQUEST): Promise<Answer> {
  const body = method === 'POST' ? request : null;
  const response = await fetch(url, { method, body, headers });
  const header = (name: string): string | null => response.headers.get(`access-control-allow-${name}`);
  return {
    status: response.status,
    text: await response.text(),
    origin: header('origin'),
    credentials: header('credentials'),
    methods: header('methods'),
  };
}

const RESULT = '{"jsonrpc":"2.0","result":true,"id":1}';
const none = { origin: null, credentials: null, methods: null };

test('preflight requests are answered with the status 200 of defid, on a port that pages of an origin may call', async (t) => {
  const url = await start(t, ORIGIN);
  const allowed = { origin: ORIGIN, credentials: 'true', methods: 'POST, GET, OPTIONS' };
  assert.deepEqual(await ask(url, 'OPTIONS'), { status: 200, text: '', ...allowed });
  assert.deepEqual(await ask(url, 'OPTIONS', { origin: ORIGIN }), { status: 200, text: '', ...allowed });
  assert.deepEqual(await ask(url, 'POST', { origin: ORIGIN }), { status: 200, text: RESULT, ...allowed });
  assert.equal((await ask(url, 'OPTIONS', { origin: 'http://other.example' })).status, 403);
});

test('any origin may call, but without credentials', async (t) => {
  const url = await start(t, '*');
  const allowed = { origin: '*', credentials: null, methods: 'POST, GET, OPTIONS' };
  assert.deepEqual(await ask(url, 'OPTIONS', { origin: ORIGIN }), { status: 200, text: '', ...allowed });
  assert.deepEqual(await ask(url, 'POST', { origin: ORIGIN }), { status: 200, text: RESULT, ...allowed });
});

test('without an allowed origin, preflight requests have the same status, but no header that allows a page to call', async (t) => {
  const url = await start(t, '');
  assert.deepEqual(await ask(url, 'OPTIONS'), { status: 200, text: '', ...none });
  assert.deepEqual(await ask(url, 'POST'), { status: 200, text: RESULT, ...none });
  assert.equal((await ask(url, 'OPTIONS', { origin: ORIGIN })).status, 403);
  assert.equal((await ask(url, 'PUT')).status, 405);
});

test('a long request has the status of a short one', async (t) => {
  const url = await start(t, '');
  const blanks = ' '.repeat(2 * 1024 * 1024);
  assert.deepEqual(await ask(url, 'POST', {}, REQUEST + blanks), { status: 200, text: RESULT, ...none });
  assert.equal((await ask(url, 'POST', {}, `1${blanks}`)).status, 400);
});

const LONG = REQUEST + ' '.repeat(9 * 1024 * 1024);

async function socketTo(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  await once(socket, 'open');
  return socket;
}

async function answersTo(socket: WebSocket, count: number): Promise<string[]> {
  const answers: string[] = [];
  for await (const [data] of on(socket, 'message', { close: ['close'] })) {
    answers.push(String(data));
    if (answers.length === count) break;
  }
  return answers;
}

test('messages of WebSockets under way have a memory in common, which is free again when they end', async (t) => {
  const url = await start(t, '');
  const sockets = await Promise.all([1, 2, 3, 4, 5].map(() => socketTo(url)));
  // Unfinished messages of 45 MiB together.
  const closed = Promise.race(sockets.map((socket) => once(socket, 'close')));
  for (const socket of sockets) socket.send(LONG, { fin: false }, () => undefined);
  const [code, reason] = await closed;
  assert.deepEqual([code, String(reason)], [1013, 'Too much data in requests under way']);
  for (const socket of sockets) socket.terminate();
  let alone = await socketTo(url);
  // The server may read on for a while what the others have sent.
  for (;;) {
    alone.send(LONG);
    if ((await answersTo(alone, 1))[0] === RESULT) break;
    if (alone.readyState !== WebSocket.OPEN) alone = await socketTo(url);
  }
  for (let i = 0; i < 5; i++) alone.send(LONG);
  assert.deepEqual(await answersTo(alone, 5), Array(5).fill(RESULT), 'the only client is not refused');
  alone.close();
});
