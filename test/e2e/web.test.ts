import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { createFileRegistry, type DescMethod, fromBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import type { CallContext } from '../../src/rpc/handler.js';
import { NodeError } from '../../src/util/errors.js';
import { until } from '../until.js';
import { basic, catalogue, type FakeHandlers, startGateway } from './gateway-fixture.js';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(new URL('../../gen/image.binpb', import.meta.url))));

function methodOf(name: string): DescMethod {
  const op = catalogue().byName(name);
  const method = registry.getService(op?.service ?? '')?.methods.find((each) => each.name === op?.descriptor.name);
  assert.ok(method);
  return method;
}

const authorization = basic('user:secret');

/** Each protocol in each of its forms. */
function transportsOf(port: number): [string, Transport][] {
  const baseUrl = `http://127.0.0.1:${port}`;
  return [
    ['connect', createConnectTransport({ baseUrl, useBinaryFormat: true })],
    ['connect json', createConnectTransport({ baseUrl, useBinaryFormat: false })],
    ['connect get', createConnectTransport({ baseUrl, useBinaryFormat: true, useHttpGet: true })],
    ['connect json get', createConnectTransport({ baseUrl, useBinaryFormat: false, useHttpGet: true })],
    ['grpc-web', createGrpcWebTransport({ baseUrl })],
  ];
}

interface Sent {
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

async function ask(transport: Transport, name: string, input: object, { headers = {}, timeoutMs, signal }: Sent = {}): Promise<unknown> {
  const method = methodOf(name) as DescMethod & { readonly methodKind: 'unary' };
  const { message } = await transport.unary(method, signal, timeoutMs, { authorization, ...headers }, input as never);
  return toJson(method.output, message, { registry });
}

async function* listen(transport: Transport, name: string, input: object, signal?: AbortSignal): AsyncGenerator<unknown> {
  async function* inputs(): AsyncGenerator<never> {
    yield input as never;
  }
  const method = methodOf(name) as DescMethod & { readonly methodKind: 'server_streaming' };
  const { message } = await transport.stream(method, signal, undefined, { authorization }, inputs());
  for await (const each of message) yield toJson(method.output, each, { registry });
}

async function eachTransport(
  t: TestContext,
  handlers: FakeHandlers,
  check: (transport: Transport, name: string, calls: readonly CallContext[]) => Promise<void>,
): Promise<void> {
  const { port, invoker } = await startGateway(t, handlers);
  for (const [name, transport] of transportsOf(port)) await check(transport, name, invoker.calls);
}

test('calls with one answer, with metadata and fields', async (t) => {
  const handlers: FakeHandlers = {
    listbanned: () => ({ bans: [1n, 2n].map((n) => ({ address: `a${n}`, bannedUntil: n, banCreated: 0n, banReason: 'é"\n' })) }),
    getblockcount: (_, { wallet, requestId }) => ({ height: wallet === 'w' && requestId === 'r7' ? 7 : 0 }),
    listwallets: () => ({ names: [] }),
  };
  await eachTransport(t, handlers, async (transport, name, calls) => {
    const first = { address: 'a1', bannedUntil: '1', banReason: 'é"\n' };
    assert.deepEqual(await ask(transport, 'listbanned', {}), { bans: [first, { ...first, address: 'a2', bannedUntil: '2' }] }, name);
    const reduced = await ask(transport, 'listbanned', {}, { headers: { 'x-fields': 'address' } });
    assert.deepEqual(reduced, { bans: [{ address: 'a1' }, { address: 'a2' }] }, name);
    const [only] = Object.values(
      (await ask(transport, 'getblockcount', {}, { headers: { 'x-wallet': 'w', 'x-request-id': 'r7' } })) as object,
    );
    assert.equal(only, 7, name);
    assert.deepEqual(await ask(transport, 'listwallets', {}), {}, name);
    const call = calls.at(-1);
    assert.deepEqual([call?.transport, call?.dialect, call?.user], ['web', 'document', 'user']);
  });
});

test('long answers are compressed for clients that accept it', async (t) => {
  const { port } = await startGateway(t, { getblockhash: () => ({ blockhash: 'ab'.repeat(20_000) }) });
  const sizeOf = async (encoding: string, type: string): Promise<number> => {
    const headers = { authorization, 'content-type': type, 'accept-encoding': encoding };
    const body = type === 'application/json' ? '{}' : Buffer.alloc(type === 'application/proto' ? 0 : 5);
    return new Promise((resolve, reject) => {
      const path = '/dfi.blockchain.v1.BlockchainService/GetBlockHash';
      const asked = request({ port, host: '127.0.0.1', method: 'POST', path, headers }, async (response) => {
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece as Buffer);
        const bytes = Buffer.concat(pieces);
        assert.equal(response.statusCode, 200);
        assert.equal(response.headers['content-type'], type);
        assert.equal(response.headers['content-encoding'], encoding === 'gzip' ? 'gzip' : undefined);
        assert.match(String(encoding === 'gzip' ? gunzipSync(bytes) : bytes), /(ab){20000}/);
        resolve(bytes.length);
      });
      asked.on('error', reject).end(body);
    });
  };
  for (const type of ['application/json', 'application/proto', 'application/grpc-web+proto']) {
    assert.ok((await sizeOf('identity', type)) > 40_000);
    assert.ok((await sizeOf('gzip', type)) < 1_000);
  }
});

test('requests have the defaults of gRPC, and bad ones are refused', async (t) => {
  const seen: unknown[] = [];
  const handlers: FakeHandlers = {
    listtokens: ({ start, verbose, limit }: Record<string, unknown>) => {
      seen.push([start, verbose, limit]);
      return { tokens: {} };
    },
  };
  await eachTransport(t, handlers, async (transport, name) => {
    await ask(transport, 'listtokens', { start: 9_007_199_254_740_993n, verbose: false });
    assert.deepEqual([(seen.at(-1) as unknown[])[0], (seen.at(-1) as unknown[])[1]], [9_007_199_254_740_993n, false], name);
    await assert.rejects(ask(transport, 'listtokens', {}, { headers: { 'x-fields': 'nothing' } }), /the answer has no field nothing/, name);
  });
  const { port, ask: send } = await startGateway(t, handlers);
  const path = methodOf('listtokens').parent.typeName;
  const url = `/${path}/ListTokens`;
  const post = async (type: string, body: string | Uint8Array) => {
    const { status, headers, body: text } = await send(url, { headers: { 'content-type': type }, body });
    return `${status} ${headers['grpc-status'] ?? ''} ${text}`;
  };
  assert.match(await post('application/json', '{"nothing":1}'), /^400 {2}\{"code":"invalid_argument"/);
  assert.match(await post('application/json', '{'), /^400/);
  assert.match(await post('application/json', ''), /^200/);
  assert.match(await post('application/proto', Uint8Array.of(255)), /^400/);
  assert.match(await post('application/grpc-web+proto', Uint8Array.of(0, 0, 0)), /^200 3 /);
  assert.match(await post('application/grpc-web+proto', Uint8Array.of(1, 0, 0, 0, 0)), /^200 3 /);
  assert.match(await post('application/grpc-web+proto', Uint8Array.of(0, 0, 0, 0, 0)), /^200 /);
  const text = Buffer.from(await post('application/grpc-web-text', 'AAAAAAA=').then((answer) => answer.slice(5)), 'base64');
  assert.match(text.toString('latin1'), /grpc-status: 0\r\n$/);
  assert.match(await post('application/connect+proto', Uint8Array.of(0, 0, 0, 0, 0)), /^415/);
  assert.match(await post('text/plain', ''), /^415/);
  assert.match(await post('application/json', `"${'x'.repeat(1_500_000)}"`), /^429/);
  assert.equal((await send('/dfi.node.v1.NodeService/Nothing', { headers: { 'content-type': 'application/json' } })).status, 404);
  assert.equal((await send(url, { method: 'PUT' })).status, 405);
  assert.equal((await fetch(`http://127.0.0.1:${port}${url}`)).status, 405);
});

test('errors have the code, the text and the details of gRPC', async (t) => {
  const handlers: FakeHandlers = {
    getblockcount: () => {
      throw new NodeError('not-found', 'nichts é % da');
    },
  };
  await eachTransport(t, handlers, async (transport, name) => {
    const error = await ask(transport, 'getblockcount', {}).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ConnectError, name);
    assert.deepEqual([error.code, error.rawMessage], [Code.NotFound, 'nichts é % da'], name);
    const info = registry.getMessage('google.rpc.ErrorInfo');
    if (info) assert.equal((error.findDetails(info)[0] as unknown as { reason: string }).reason, 'NOT_FOUND', name);
    const refused = await ask(transport, 'getblockcount', {}, { headers: { authorization: basic('user:wrong') } }).catch(
      (thrown: unknown) => thrown,
    );
    assert.equal((refused as ConnectError).code, Code.Unauthenticated, name);
  });
});

test('a call ends at its deadline and with its client', async (t) => {
  const handlers: FakeHandlers = {
    waitfornewblock: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  };
  const { port, invoker } = await startGateway(t, handlers);
  for (const [name, transport] of transportsOf(port).filter(([each]) => !each.includes('get'))) {
    const error = await ask(transport, 'waitfornewblock', {}, { timeoutMs: 50 }).catch((thrown: unknown) => thrown);
    assert.equal((error as ConnectError).code, Code.DeadlineExceeded, name);
    const gone = new AbortController();
    const begun = invoker.calls.length;
    const answer = ask(transport, 'waitfornewblock', {}, { signal: gone.signal }).catch((thrown: unknown) => thrown);
    await until(() => invoker.calls.length > begun, 'the call runs');
    gone.abort();
    await answer;
    await until(() => invoker.calls.at(-1)?.signal.aborted === true, 'the call is aborted');
  }
});

test('streams: messages, the end, an error within and before, and the end of the client', async (t) => {
  const handlers: FakeHandlers = {
    async *subscribeevents({ cursor }: { cursor: string }, { signal }: CallContext) {
      if (cursor === 'bad') throw new NodeError('out-of-range', 'no longer kept');
      for (let number = 1; number <= 3; number++) {
        yield { event: { cursor: String(number), undone: false, price: { token: 'T', currency: 'USD' } } };
        await sleep(0);
      }
      if (cursor === 'fails') throw new NodeError('out-of-range', 'no longer kept');
      if (cursor === 'waits') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  };
  const { port, invoker } = await startGateway(t, handlers);
  for (const [name, transport] of transportsOf(port).filter(([each]) => !each.includes('get'))) {
    const read = async (cursor: string): Promise<string> => {
      const cursors: unknown[] = [];
      try {
        for await (const each of listen(transport, 'subscribeevents', { cursor })) {
          cursors.push((each as { event: { cursor: string } }).event.cursor);
        }
      } catch (error) {
        cursors.push(Code[(error as ConnectError).code]);
      }
      return cursors.join();
    };
    assert.equal(await read('0'), '1,2,3', name);
    assert.equal(await read('fails'), '1,2,3,OutOfRange', name);
    assert.equal(await read('bad'), 'OutOfRange', name);
    const gone = new AbortController();
    const messages = listen(transport, 'subscribeevents', { cursor: 'waits' }, gone.signal);
    await messages.next();
    gone.abort();
    await messages.next().catch(() => undefined);
    await until(() => invoker.calls.at(-1)?.signal.aborted === true, 'the stream is aborted');
  }
});

test('a stream without messages is open for the client', async (t) => {
  const waiting = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { port, invoker } = await startGateway(t, {
    // biome-ignore lint/correctness/useYield: it has no messages
    subscribeevents: async function* (_: object, { signal }: CallContext) {
      await waiting(signal);
    } as never,
  });
  for (const type of ['application/grpc-web+proto', 'application/connect+proto']) {
    const gone = new AbortController();
    const url = `http://127.0.0.1:${port}/dfi.events.v1.EventsService/SubscribeEvents`;
    const headers = { authorization, 'content-type': type };
    const { status } = await fetch(url, { method: 'POST', headers, body: Buffer.alloc(5), signal: gone.signal });
    assert.equal(status, 200, type);
    gone.abort();
    await until(() => invoker.calls.at(-1)?.signal.aborted === true, 'the stream is aborted');
  }
});

test('a selection of fields is refused for a stream', async (t) => {
  const { port } = await startGateway(t, { subscribeevents: async function* () {} as never });
  const input = Buffer.alloc(5);
  const headers = { authorization, 'x-fields': 'event', 'content-type': 'application/grpc-web+proto' };
  const path = '/dfi.events.v1.EventsService/SubscribeEvents';
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: input });
  assert.match(decodeURIComponent(response.headers.get('grpc-message') ?? ''), /messages of a stream are sent whole/);
});

test('pages of an allowed origin may call, others may not', async (t) => {
  const handlers: FakeHandlers = { getblockcount: () => ({ height: 1 }) };
  const method = methodOf('getblockcount');
  const path = `/${method.parent.typeName}/${method.name}`;
  const origin = 'http://page.example';
  const { ask: allowed } = await startGateway(t, handlers, { corsOrigin: origin });
  const before = await allowed(path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' }, auth: null });
  assert.equal(before.status, 204);
  assert.match(before.headers['access-control-allow-headers'] ?? '', /Connect-Protocol-Version.*X-Grpc-Web/);
  const reply = await allowed(path, { headers: { origin, 'content-type': 'application/json' }, body: '{}' });
  assert.equal(reply.headers['access-control-allow-origin'], origin);
  assert.match(reply.headers['access-control-expose-headers'] ?? '', /Grpc-Status/);
  const { ask: strict } = await startGateway(t, handlers);
  assert.equal((await strict(path, { headers: { origin, 'content-type': 'application/json' }, body: '{}' })).status, 403);
});
