import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import { SubscribeEventsRequest } from '../../gen/ts/dfi/events/v1/events.js';
import { GrpcServer } from '../../src/grpc/server.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { until } from '../until.js';
import { basic, catalogue, type FakeHandlers, FakeInvoker, fakeCredentials, startGateway } from './gateway-fixture.js';

/** Streams of numbered events from the cursor on. */
function handlersOf(last: number, end: 'ends' | 'waits' | 'fails' = 'ends') {
  const state = { made: 0, filter: undefined as unknown };
  const handlers: FakeHandlers = {
    async *subscribeevents({ cursor, filter }: { cursor: string; filter?: object }, { signal }: CallContext) {
      if (cursor === 'bad') throw new NodeError('out-of-range', 'no longer kept');
      state.filter = filter;
      for (let number = Number(cursor) + 1; number <= last; number++) {
        state.made += 1;
        yield { event: { cursor: String(number), undone: false, price: { token: 'x'.repeat(5_000), currency: 'USD' } } };
        if (number % 50 === 0) await sleep(0);
      }
      if (end === 'fails') throw new NodeError('out-of-range', 'no longer kept');
      signal.throwIfAborted();
      if (end === 'waits') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  };
  return { handlers, state };
}

const PATH = '/v1/events/stream';
const authorization = basic('user:secret');

function open(port: number, query: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: PATH + query, headers: { authorization, ...headers } }, resolve);
    asked.on('error', reject).end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response) text += String(part);
  return text;
}

test('server-sent events have the cursor as id, and a browser continues after the last one', async (t) => {
  const { handlers, state } = handlersOf(3);
  const { port } = await startGateway(t, handlers);
  const all = await open(port, '?cursor=0&filter.kinds=price&filter.kinds=block');
  assert.equal(all.headers['content-type'], 'text/event-stream');
  const text = await textOf(all);
  assert.deepEqual(
    [...text.matchAll(/^id: (\d)$/gm)].map(([, id]) => id),
    ['1', '2', '3'],
  );
  const [first = ''] = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data);
  assert.equal((JSON.parse(first) as { event: { price: { currency: string } } }).event.price.currency, 'USD');
  assert.deepEqual((state.filter as { kinds: string[] }).kinds, ['price', 'block']);
  const rest = await textOf(await open(port, '?cursor=0', { 'last-event-id': '2' }));
  assert.deepEqual(
    [...rest.matchAll(/^id: (\d)$/gm)].map(([, id]) => id),
    ['3'],
  );
});

test('logs of the EVM are streamed too, and the answer begins before there is one', async (t) => {
  let asked: unknown;
  const { port } = await startGateway(t, {
    async *subscribeevmlogs(given: object, { signal }: CallContext) {
      asked = given;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      yield {};
    },
  });
  const topics = encodeURIComponent('[{"any":["0x01","0x02"]}]');
  const path = `/v1/evm/logs/stream?addresses=0xab&topics=${topics}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { authorization } }, resolve).on('error', reject).end();
  });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(asked, { addresses: ['0xab'], topics: [{ any: ['0x01', '0x02'] }] });
  response.destroy();
});

test('an error before the first event has a status, one after it is an event', async (t) => {
  const { port } = await startGateway(t, handlersOf(1, 'fails').handlers);
  const refused = await open(port, '?cursor=bad');
  assert.equal(refused.statusCode, 400);
  assert.match(await textOf(refused), /no longer kept/);
  const later = await open(port, '?cursor=0');
  assert.equal(later.statusCode, 200);
  assert.match(await textOf(later), /event: error\ndata: \{"reason":"OUT_OF_RANGE","message":"no longer kept","cursor":"1"\}\n\n$/);
  assert.equal((await open(port, '', { authorization: basic('user:wrong') })).statusCode, 401);
});

test('a client that does not read holds up its own stream, and nothing is made for it', async (t) => {
  const { handlers, state } = handlersOf(1_000_000);
  const { port } = await startGateway(t, handlers);
  const response = await open(port, '?cursor=0');
  response.pause();
  let before = -1;
  while (state.made !== before) {
    before = state.made;
    await sleep(100);
  }
  assert.ok(state.made < 20_000, `${state.made} events were made`);
  response.destroy();
});

/** True once the call was aborted because its client does not read. */
function isCut({ calls }: { readonly calls: readonly CallContext[] }): boolean {
  const reason: unknown = calls[0]?.signal.reason;
  return reason instanceof NodeError && reason.kind === 'resource-exhausted';
}

test('server-sent events: a client that does not read is cut, with the cursor to resume from', async (t) => {
  const { port, invoker } = await startGateway(t, handlersOf(1_000_000).handlers, { stallMs: 50 });
  const response = await open(port, '?cursor=0');
  response.pause();
  await until(() => isCut(invoker), 'the stream is cut');
  const text = await textOf(response);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  assert.deepEqual(
    ids,
    ids.map((_, i) => i + 1),
  );
  assert.match(text, new RegExp(`event: error\ndata: \\{"reason":"RESOURCE_EXHAUSTED".*"cursor":"${ids.length}"\\}\n\n$`));
});

test('gRPC-Web: a client that does not read is cut', async (t) => {
  const { port, invoker } = await startGateway(t, handlersOf(1_000_000).handlers, { stallMs: 50 });
  const path = '/dfi.events.v1.EventsService/SubscribeEvents';
  const headers = { authorization, 'content-type': 'application/grpc-web+proto' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method: 'POST', headers }, resolve).on('error', reject).end(Buffer.alloc(5));
  });
  response.pause();
  await until(() => isCut(invoker), 'the stream is cut');
  assert.match(await textOf(response), /grpc-status: 8\r\n/);
});

test('WebSocket: a client that does not read is cut, with the cursor to resume from', async (t) => {
  const { port, invoker } = await startGateway(t, handlersOf(1_000_000).handlers, { stallMs: 50 });
  const client = new WebSocket(`ws://127.0.0.1:${port}${PATH}?cursor=0`, { headers: { authorization } });
  const received: string[] = [];
  client.on('message', (data) => received.push(String(data)));
  await new Promise((resolve) => client.once('open', resolve));
  client.pause();
  await until(() => isCut(invoker), 'the stream is cut');
  client.resume();
  const code = await new Promise((resolve) => client.on('close', resolve));
  const last = JSON.parse(received.at(-1) ?? '') as { reason: string; cursor: string };
  assert.deepEqual([code, last.reason, last.cursor], [1011, 'RESOURCE_EXHAUSTED', String(received.length - 1)]);
});

test('WebSocket: a client that no longer answers is cut, although there is nothing to send to it', async (t) => {
  const waiting = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const handlers: FakeHandlers = {
    // biome-ignore lint/correctness/useYield: it has no messages
    subscribeevents: async function* (_: object, { signal }: CallContext) {
      await waiting(signal);
    } as never,
  };
  const { port, invoker } = await startGateway(t, handlers, { pingMs: 30 });
  const client = new WebSocket(`ws://127.0.0.1:${port}${PATH}`, { headers: { authorization } });
  let pings = 0;
  client.on('ping', () => {
    pings += 1;
    if (pings === 3) client.pause();
  });
  await until(() => invoker.calls[0]?.signal.aborted === true, 'the stream is cut');
  assert.ok(pings >= 3, `${pings} pings were answered`);
  client.terminate();
});

test('gRPC: a client that does not read is cut', async (t) => {
  const invoker = new FakeInvoker(handlersOf(1_000_000).handlers);
  const throttle = new LoginThrottle({ log: silentLogger }, { delayMs: 20 });
  const server = new GrpcServer(
    { port: 0, bind: ['127.0.0.1'], tls: undefined, graceMs: 200, stallMs: 50 },
    { catalogue: catalogue(), invoker, credentials: fakeCredentials, throttle, isServing: () => true, log: silentLogger },
  );
  const session = connect(`http://127.0.0.1:${await server.start()}`);
  t.after(() => {
    session.destroy();
    return server.stop();
  });
  // The client of the gRPC library would read on and keep the messages in memory; this one leaves them in the connection.
  const stream = session.request({
    ':method': 'POST',
    ':path': '/dfi.events.v1.EventsService/SubscribeEvents',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization,
  });
  const message = SubscribeEventsRequest.encode({ cursor: '0', filter: undefined }).finish();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
  await until(() => isCut(invoker), 'the stream is cut');
  let received = 0;
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  const [trailers] = (await once(stream, 'trailers')) as [Record<string, string>];
  assert.deepEqual([Number(trailers['grpc-status']), received > 0], [status.RESOURCE_EXHAUSTED, true]);
});

test('a stream ends with its client and with the gateway', async (t) => {
  const { handlers } = handlersOf(1, 'waits');
  const { port, gateway, invoker } = await startGateway(t, handlers);
  const gone = await open(port, '?cursor=0');
  gone.on('error', () => {}).once('data', () => gone.destroy());
  await until(() => invoker.calls[0]?.signal.aborted === true, 'the call is aborted');
  const stays = await open(port, '?cursor=0');
  const text = textOf(stays);
  await until(() => invoker.calls.length === 2, 'the stream runs');
  await gateway.stop();
  assert.match(await text, /event: error\ndata: .*Shutting down/);
});

test('the same events come over a WebSocket', async (t) => {
  const { port } = await startGateway(t, handlersOf(2).handlers);
  const url = `ws://127.0.0.1:${port}${PATH}`;
  const received: string[] = [];
  const client = new WebSocket(`${url}?cursor=0`, { headers: { authorization } });
  client.on('message', (data) => received.push(String(data)));
  const code = await new Promise((resolve) => client.on('close', resolve));
  assert.deepEqual([code, received.map((text) => (JSON.parse(text) as { event: { cursor: string } }).event.cursor)], [1000, ['1', '2']]);
  const bad = new WebSocket(`${url}?cursor=bad`, { headers: { authorization } });
  const [failed, text] = await Promise.all([
    new Promise((resolve) => bad.on('close', resolve)),
    new Promise((resolve) => bad.on('message', (data) => resolve(String(data)))),
  ]);
  assert.deepEqual([failed, text], [1011, '{"reason":"OUT_OF_RANGE","message":"no longer kept"}']);
  for (const [path, status] of [
    ['/v1/events', 404],
    [PATH, 401],
  ] as const) {
    const refused = new WebSocket(`ws://127.0.0.1:${port}${path}`, path === PATH ? {} : { headers: { authorization } });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      refused.on('unexpected-response', (_, response) => resolve(response)).on('error', reject);
    });
    assert.equal(answer.statusCode, status, path);
    refused.on('error', () => {}).terminate();
  }
});
