import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, test } from 'node:test';
import { type OceanHttpRequest, OceanServer, type OceanService } from '../../../src/gateway/ocean/ocean-server.js';
import { JsonObject } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';

const servers: OceanServer[] = [];
after(() => Promise.all(servers.map((server) => server.stop())));

/** Starts a server on a free port. @returns its port */
async function serve(answering: Pick<OceanService, 'answer'>, maxPending = 10): Promise<number> {
  const refuse: OceanService['refuse'] = (target, reason) => ({
    status: reason === 'size' ? 413 : 503,
    body: JSON.stringify([target, reason]),
  });
  const service = { ...answering, refuse };
  const options = { port: 0, bind: [], allowIp: [], maxPending, idleTimeoutMs: 10_000, stopGraceMs: 1_000 };
  const server = new OceanServer(options, { service, rejected: () => {}, log: silentLogger });
  const [endpoint] = await server.start();
  servers.push(server);
  assert.ok(endpoint);
  return endpoint.port;
}

async function ask(port: number, method: string, path: string, body?: string) {
  const request = http.request({ port, host: '127.0.0.1', method, path });
  // The server may answer and close while the body is still being sent.
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text };
}

test('requests reach the service with method, target and body; pages of any origin may read the answers', async () => {
  const seen: unknown[] = [];
  const port = await serve({
    async answer({ method, target, body }: OceanHttpRequest) {
      const value = await body();
      seen.push([method, target, value instanceof JsonObject ? value.get('hex') : value]);
      return { status: 201, body: '{"data":1}' };
    },
  });
  const got = await ask(port, 'GET', '/v0/regtest/blocks?size=1');
  assert.deepEqual([got.status, got.text, got.headers['content-type']], [201, '{"data":1}', 'application/json']);
  assert.equal(got.headers['access-control-allow-origin'], '*');
  assert.equal((await ask(port, 'HEAD', '/v0/regtest/blocks')).text, '');
  await ask(port, 'POST', '/v0/regtest/rawtx/send', '{"hex":"00"}');
  await ask(port, 'POST', '/v0/regtest/rpc/getblockcount');
  assert.deepEqual(seen, [
    ['GET', '/v0/regtest/blocks?size=1', undefined],
    ['GET', '/v0/regtest/blocks', undefined],
    ['POST', '/v0/regtest/rawtx/send', '00'],
    ['POST', '/v0/regtest/rpc/getblockcount', undefined],
  ]);
});

test('a preflight is answered without the service', async () => {
  const port = await serve({ answer: () => assert.fail('the service was asked') });
  const { status, headers, text } = await ask(port, 'OPTIONS', '/v0/regtest/rawtx/send');
  assert.deepEqual([status, text], [204, '']);
  assert.equal(headers['access-control-allow-methods'], 'GET,POST,PUT,DELETE');
  assert.equal(headers['access-control-allow-headers'], 'Content-Type');
  assert.equal(headers['access-control-max-age'], '10080');
});

test('a body that is no JSON is a syntax error for the service; one that is too large never gets there', async () => {
  const errors: unknown[] = [];
  const port = await serve({
    async answer({ body }) {
      await body().catch((error: unknown) => errors.push(error));
      return { status: 400, body: '{}' };
    },
  });
  assert.equal((await ask(port, 'POST', '/', '{')).status, 400);
  assert.ok(errors[0] instanceof SyntaxError);
  const many = await ask(port, 'POST', '/', `[${'0,'.repeat(300_000)}0]`);
  assert.deepEqual([many.status, many.text], [413, '["/","size"]']);
  const large = await ask(port, 'POST', '/', `"${'0'.repeat(4 * 1024 * 1024)}"`);
  assert.deepEqual([large.status, large.text, errors.length], [413, '["/","size"]', 1]);
});

test('more requests than may wait are refused', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const port = await serve({ answer: () => released.then(() => ({ status: 200, body: '{}' })) }, 1);
  const first = ask(port, 'GET', '/a');
  await new Promise((resolve) => setTimeout(resolve, 100));
  const second = await ask(port, 'GET', '/b');
  assert.deepEqual([second.status, second.text], [503, '["/b","queue"]']);
  release();
  assert.equal((await first).status, 200);
});
