import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
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
