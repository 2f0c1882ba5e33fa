import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { HttpCall } from '../../../src/gateway/http-call.js';
import { type EventTimes, type StreamText, sendEvents } from '../../../src/gateway/streams.js';
import { NodeError } from '../../../src/util/errors.js';

/** Answer to a request for a stream; the status is 400 if it fails before it begins. */
async function ask(t: TestContext, texts: () => AsyncGenerator<StreamText>, times: EventTimes): Promise<IncomingMessage> {
  const server = createServer((_, res) => {
    const call = new HttpCall('rest', undefined as never, undefined, undefined, 'id', {});
    sendEvents(texts(), call, res, times).catch(() => res.writeHead(400).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const [response] = (await once(get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }), 'response')) as [
    IncomingMessage,
  ];
  return response;
}

test('a stream without a message begins at once, and comments show that it is alive', async (t) => {
  let publish: (text: StreamText) => void = () => {};
  async function* silent(): AsyncGenerator<StreamText> {
    yield await new Promise<StreamText>((resolve) => {
      publish = resolve;
    });
  }
  const response = await ask(t, silent, { openMs: 1, commentMs: 5 });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'text/event-stream');
  let text = '';
  for await (const part of response) {
    text += String(part);
    if (/^:\n\n:\n\n/.test(text)) publish({ cursor: '7', json: '{"log":1}' });
  }
  assert.match(text, /^(:\n\n){2,}id: 7\ndata: \{"log":1\}\n\n$/);
});

test('an error before the answer begins has a status, a later one is an event', async (t) => {
  let fail: (error: Error) => void = () => {};
  const none: readonly StreamText[] = [];
  async function* failing(): AsyncGenerator<StreamText> {
    await new Promise((_, reject) => {
      fail = reject;
    });
    yield* none;
  }
  async function* refused(): AsyncGenerator<StreamText> {
    yield* none;
    throw new NodeError('out-of-range', 'no longer kept');
  }
  assert.equal((await ask(t, refused, { openMs: 600_000 })).statusCode, 400);
  const later = await ask(t, failing, { openMs: 1 });
  assert.equal(later.statusCode, 200);
  fail(new NodeError('out-of-range', 'no longer kept'));
  let text = '';
  for await (const part of later) text += String(part);
  assert.match(text, /^:\n\nevent: error\ndata: \{"reason":"OUT_OF_RANGE","message":"no longer kept"\}\n\n$/);
});
