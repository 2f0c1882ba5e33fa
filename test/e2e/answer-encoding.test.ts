import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { basic, startGateway } from './gateway-fixture.js';

interface Answer {
  readonly status: number;
  readonly encoding: string | undefined;
  readonly length: string | undefined;
  readonly vary: string | undefined;
  readonly etag: string | undefined;
  readonly bytes: Buffer;
}

/** Sends a request on a connection of its own and reads the bytes of the answer. */
function ask(port: number, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const options = { host: '127.0.0.1', port, path, method, agent: false, headers: { authorization: basic('user:secret'), ...headers } };
    const req = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const { 'content-encoding': encoding, 'content-length': length, vary, etag } = res.headers;
        resolve({ status: res.statusCode ?? 0, encoding, length, vary, etag, bytes: Buffer.concat(chunks) });
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

const HASH = 'ab'.repeat(32);

/** Handlers whose block has the given number of bytes. */
const blocks = (sizeBytes: number) => ({ getblock: () => ({ block: { $case: 'hex', value: 'ab'.repeat(sizeBytes) } }) });

const sizes = [
  { name: 'short', sizeBytes: 1_000, isCompressed: false },
  { name: 'compressed at once', sizeBytes: 5_000, isCompressed: true },
  { name: 'compressed by threads', sizeBytes: 400_000, isCompressed: true },
];
for (const { name, sizeBytes, isCompressed } of sizes) {
  test(`rest: an answer that is ${name} is the same with and without gzip`, async (t) => {
    const { port } = await startGateway(t, blocks(sizeBytes));
    const path = `/v1/blocks/${HASH}`;
    const [plain, gzip] = await Promise.all([ask(port, path), ask(port, path, { 'accept-encoding': 'gzip, deflate' })]);
    assert.deepEqual([plain.status, plain.encoding], [200, undefined]);
    assert.deepEqual([gzip.status, gzip.encoding], [200, isCompressed ? 'gzip' : undefined]);
    assert.equal(Number(gzip.length), gzip.bytes.length);
    if (isCompressed) assert.deepEqual([plain.vary, gzip.vary], ['Accept-Encoding', 'Accept-Encoding']);
    assert.ok(plain.bytes.equals(isCompressed ? gunzipSync(gzip.bytes) : gzip.bytes));
  });
}

test('rest: more long answers at a time than are compressed are all sent', async (t) => {
  const { port } = await startGateway(t, blocks(100_000));
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(port, `/v1/blocks/${HASH}`, { 'accept-encoding': 'gzip' })));
  const texts = answers.map(({ encoding, bytes }) => (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString());
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(new Set(texts), new Set([`"${'ab'.repeat(100_000)}"`]));
});

test('rest: a client that leaves while its answer is compressed does no harm', async (t) => {
  const { port, gateway } = await startGateway(t, blocks(2_000_000));
  const headers = { authorization: basic('user:secret'), 'accept-encoding': 'gzip' };
  for (let i = 0; i < 5; i++) {
    await new Promise<void>((resolve) => {
      const req = request({ host: '127.0.0.1', port, path: `/v1/blocks/${HASH}`, agent: false, headers });
      req.on('error', () => {}).on('close', resolve);
      req.end(() => setImmediate(() => req.destroy()));
    });
  }
  assert.equal((await ask(port, `/v1/blocks/${HASH}`, headers)).encoding, 'gzip');
  await gateway.stop();
});

test('jsonrpc: a client on the same machine is not sent compressed answers', async (t) => {
  const { port } = await startGateway(t, blocks(400_000));
  const body = JSON.stringify({ method: 'getblock', params: [HASH], id: 1 });
  const [plain, gzip] = await Promise.all([ask(port, '/', {}, body), ask(port, '/', { 'accept-encoding': 'gzip' }, body)]);
  assert.deepEqual([plain.encoding, gzip.encoding, gzip.vary], [undefined, undefined, undefined]);
  assert.ok(plain.bytes.equals(gzip.bytes));
});

test('openapi: is served compressed, and not at all to a client that has it', async (t) => {
  const { port } = await startGateway(t, {});
  const plain = await ask(port, '/openapi.json');
  const gzip = await ask(port, '/openapi.json', { 'accept-encoding': 'gzip' });
  assert.deepEqual([plain.encoding, gzip.encoding], [undefined, 'gzip']);
  assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes));
  assert.ok(gzip.bytes.length * 5 < plain.bytes.length);
  const { etag = '' } = plain;
  assert.equal(gzip.etag, etag);
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const again = await ask(port, '/openapi.json', { 'if-none-match': known });
    assert.deepEqual([again.status, again.bytes.length, again.etag], [304, 0, etag], known);
  }
  assert.equal((await ask(port, '/openapi.json', { 'if-none-match': '"other"' })).status, 200);
});
