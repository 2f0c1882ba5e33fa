import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetBlockHashRequest } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { END_HEADERS, END_STREAM, FrameType, frame, headerFrames, PREFACE } from '../../src/grpc/plain/frames.js';
import { encodeFields } from '../../src/grpc/plain/header-decoder.js';
import { type GrpcOptions, GrpcServer } from '../../src/grpc/server.js';
import { Invoker } from '../../src/rpc/invoke.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { Role } from '../../src/rpc/options.js';
import { NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { fc } from '../property.js';
import { committedCatalogue } from '../rpc/catalogue.js';

const catalogue = committedCatalogue();
const ADMIN = 'Basic YWRtaW46cA==';
const LIMITED = 'Basic bGltaXRlZDpw';
const callers = new Map([
  [ADMIN, { user: 'admin', role: Role.ADMIN }],
  [LIMITED, { user: 'limited', role: Role.ADMIN, methods: new Set(['getdifficulty']) }],
]);
const SERVICE = '/dfi.blockchain.v1.BlockchainService/';

interface Node {
  readonly server: GrpcServer;
  readonly port: number;
  /** Answers given by the handler of getblockhash; of those, calls whose signal was aborted. */
  readonly seen: { ran: number; aborted: number };
}

/** Answers with a text of as many characters as the height; a height above a million is late, one above two million an error. */
function blockHash(seen: Node['seen']) {
  return (_: object, { height }: { height: number }, { signal }: { readonly signal: AbortSignal }) => {
    seen.ran += 1;
    const response = { blockhash: 'x'.repeat(height % 1_000_000) };
    if (height === 3_000_000) {
      signal.addEventListener('abort', () => {
        seen.aborted += 1;
      });
      return new Promise(() => {});
    }
    if (height > 2_000_000) throw new NodeError('block-not-found', 'Block not found, \xe9');
    return height > 1_000_000 ? sleep(1, response) : response;
  };
}

async function startNode(options: Partial<GrpcOptions> = {}): Promise<Node> {
  const invoker = new Invoker({ catalogue, log: silentLogger, observer: { finished() {} } });
  const seen = { ran: 0, aborted: 0 };
  const getDifficulty = (_: object, _request: object, { requestId, wallet, settings, dialect, user }: Record<string, unknown>) => {
    const text = JSON.stringify([requestId, wallet, settings, dialect, user]);
    return { difficulty: text.length };
  };
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlockHash: blockHash(seen), getDifficulty } as never, {});
  const server = new GrpcServer(
    { port: 0, bind: ['127.0.0.1'], tls: undefined, ...options },
    {
      catalogue,
      invoker,
      credentials: { check: (given) => callers.get(given) },
      throttle: new LoginThrottle({ log: silentLogger }, { delayMs: 0 }),
      isServing: () => true,
      log: silentLogger,
    },
  );
  return { server, port: await server.start(), seen };
}

/** A message with its head. */
function message(bytes: Uint8Array, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function hashRequest(height: number): Buffer {
  return message(GetBlockHashRequest.encode({ height } as GetBlockHashRequest).finish());
}

interface Call {
  readonly path: string;
  readonly headers: Record<string, string>;
  /** Body, in the parts in which it is sent. */
  readonly parts: readonly Buffer[];
  /** The client cancels after it has sent its body. */
  readonly cancel: boolean;
}

function head(call: Pick<Call, 'path' | 'headers'>): Record<string, string> {
  return {
    ':method': 'POST',
    ':path': call.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: ADMIN,
    ...call.headers,
  };
}

/** Everything that a client receives in answer to a call, except the date. */
async function ask(session: ClientHttp2Session, call: Call): Promise<object> {
  const stream = session.request(head(call), { endStream: false });
  const received: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  let error = '';
  const closed = new Promise((resolve) => stream.on('close', resolve));
  stream.on('response', (given) => {
    headers = given;
  });
  stream.on('trailers', (given) => {
    trailers = given;
  });
  stream.on('data', (chunk: Buffer) => received.push(chunk));
  stream.on('error', (thrown: Error) => {
    error = thrown.message;
  });
  for (const part of call.parts.slice(0, -1)) {
    stream.write(part);
    await sleep(1);
  }
  stream.end(call.parts.at(-1));
  if (call.cancel) stream.close(constants.NGHTTP2_CANCEL);
  await closed;
  if (call.cancel) return {};
  const { date, ...others } = headers;
  const trailing = date === undefined ? undefined : typeof date;
  return { headers: others, date: trailing, trailers, body: Buffer.concat(received).toString('latin1'), error };
}

describe('gRPC: plain calls are answered as by the library', () => {
  let plain: Node;
  let library: Node;
  before(async () => {
    plain = await startNode();
    library = await startNode({ plainCalls: false });
  });
  after(() => Promise.all([plain.server.stop(), library.server.stop()]));

  const height = fc.constantFrom(0, 1, 200, 20_000, 70_000, 300_000, 1_000_001, 1_000_200, 1_070_000, 2_000_001);
  const body = fc.oneof(
    { weight: 6, arbitrary: height.map(hashRequest) },
    fc.constantFrom(
      Buffer.alloc(0),
      message(Buffer.alloc(0)),
      message(Buffer.alloc(5_000)),
      message(Buffer.of(0xff, 0xff)),
      message(Buffer.alloc(3), 1),
      Buffer.concat([hashRequest(1), hashRequest(2)]),
      Buffer.concat([hashRequest(1), Buffer.of(0)]),
      hashRequest(70_000).subarray(0, 6),
    ),
  );
  const call: fc.Arbitrary<Call> = fc.record({
    path: fc.oneof(
      { weight: 6, arbitrary: fc.constant(`${SERVICE}GetBlockHash`) },
      fc.constantFrom(`${SERVICE}GetDifficulty`, `${SERVICE}Nothing`, `${SERVICE}GetBlockCount`, '/grpc.health.v1.Health/Check', '/'),
    ),
    headers: fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      fc.constantFrom<Record<string, string>>(
        { 'x-request-id': 'abc', 'x-wallet': 'name', 'x-walletfastselect': '1' },
        { 'x-dfi-dialect': 'json-rpc' },
        { 'grpc-timeout': '10S' },
        { 'grpc-timeout': '5000000u' },
        { 'grpc-timeout': 'soon' },
        { authorization: 'Basic eDp5' },
        { authorization: LIMITED },
        { 'content-type': 'application/grpc+proto' },
        { 'content-type': 'text/plain' },
        { 'x-data-bin': 'AAAA' },
        { 'x-dfi-begun': '1' },
        { 'x-text': 'text with blanks' },
        { 'grpc-encoding': 'gzip' },
      ),
    ),
    parts: fc.tuple(body, fc.nat(12)).map(([bytes, cut]) => (cut > 8 ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes])),
    cancel: fc.nat(9).map((each) => each === 9),
  });

  test('random calls over one connection, several at a time', async () => {
    const options = fc.constantFrom({}, { settings: { initialWindowSize: 100 } }, { settings: { initialWindowSize: 1_000_000 } });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 30 }), options, async (calls, settings) => {
        const sessions = [plain, library].map(({ port }) => connectHttp2(`http://127.0.0.1:${port}`, settings));
        const [first = [], second = []] = await Promise.all(
          sessions.map(async (session) => {
            session.on('error', () => {});
            // The first call logs the connection in.
            await ask(session, { path: `${SERVICE}GetBlockHash`, headers: {}, parts: [hashRequest(3)], cancel: false });
            return Promise.all(calls.map((each) => ask(session, each)));
          }),
        );
        for (const session of sessions) session.destroy();
        for (const [i, answer] of first.entries()) assert.deepEqual(answer, second[i], JSON.stringify(calls[i]));
        compared += first.length;
      }),
      { numRuns: 60 },
    );
    assert.ok(compared > 300);
  });

  test('a body that is longer than it says fails its call, and the server lives on', async () => {
    // Alone on its connection, because the library closes that with Node.js 22 and later.
    const good = { path: `${SERVICE}GetBlockHash`, headers: {}, parts: [hashRequest(3)], cancel: false };
    const [bad, next] = [{ ...good, headers: { 'content-length': '6' } }, good].map(async (call) => {
      const session = connectHttp2(`http://127.0.0.1:${plain.port}`);
      session.on('error', () => {});
      await ask(session, good);
      const answer = await ask(session, call);
      session.destroy();
      return answer as { readonly headers: IncomingHttpHeaders; readonly error: string };
    });
    assert.match((await bad)?.error ?? '', /^(Stream|Session) closed with error code/);
    assert.equal((await next)?.headers[':status'], 200);
  });

  test('a cancelled call is aborted, and one whose connection ends', async () => {
    for (const end of ['call', 'connection']) {
      const session = connectHttp2(`http://127.0.0.1:${plain.port}`);
      session.on('error', () => {});
      await ask(session, { path: `${SERVICE}GetBlockHash`, headers: {}, parts: [hashRequest(3)], cancel: false });
      const before = { ...plain.seen };
      const stream = session.request(head({ path: `${SERVICE}GetBlockHash`, headers: {} }));
      stream.on('error', () => {});
      stream.end(hashRequest(3_000_000));
      while (plain.seen.ran === before.ran) await sleep(2);
      await sleep(20);
      if (end === 'call') stream.close(constants.NGHTTP2_CANCEL);
      else session.destroy();
      for (let tries = 0; plain.seen.aborted === before.aborted && tries < 500; tries++) await sleep(2);
      assert.equal(plain.seen.aborted, before.aborted + 1);
      session.destroy();
    }
  });

  test('answers stay within the windows of a client that reads slowly', async () => {
    const session = connectHttp2(`http://127.0.0.1:${plain.port}`, { settings: { initialWindowSize: 40_000 } });
    const heights = Array.from({ length: 90 }, (_, i) => (i % 3 === 0 ? 60_000 : i % 3 === 1 ? 10_000 : 1_030_000));
    const answers = await Promise.all(
      heights.map((each) => ask(session, { path: `${SERVICE}GetBlockHash`, headers: {}, parts: [hashRequest(each)], cancel: false })),
    );
    for (const [i, answer] of answers.entries()) {
      const { body: text, error } = answer as { body: string; error: string };
      assert.equal(error, '');
      assert.ok(text.length > (heights[i] as number) % 1_000_000);
    }
    session.destroy();
  });

  const fields = (authorization = ADMIN): string[] => [
    ...[':method', 'POST', ':scheme', 'http', ':path', `${SERVICE}GetBlockHash`, ':authority', 'x'],
    ...['content-type', 'application/grpc', 'te', 'trailers', 'authorization', authorization],
  ];
  const call1 = (stream: number, padding = false): Buffer =>
    Buffer.concat([
      headerFrames(stream, 0, encodeFields(fields())),
      padding
        ? frame(FrameType.DATA, END_STREAM | 8, stream, Buffer.concat([Buffer.of(3), hashRequest(5), Buffer.alloc(3)]))
        : frame(FrameType.DATA, END_STREAM, stream, hashRequest(5)),
    ]);
  const split = (stream: number): Buffer => {
    const block = encodeFields(fields());
    return Buffer.concat([
      frame(FrameType.HEADERS, 0, stream, block.subarray(0, 20)),
      frame(FrameType.CONTINUATION, END_HEADERS, stream, block.subarray(20)),
      frame(FrameType.DATA, END_STREAM, stream, hashRequest(5)),
    ]);
  };
  const credit = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };

  /** Sequences of frames after the preface and the settings, the last of which ends the connection or is answered. */
  const sequences: Readonly<Record<string, readonly Buffer[]>> = {
    'two calls': [call1(1), call1(3)],
    padding: [call1(1), call1(3, true)],
    'a split header block': [call1(1), split(3)],
    'a lower stream': [call1(3), call1(1)],
    'an even stream': [call1(1), call1(2)],
    'a stream twice': [call1(1), call1(3), call1(3)],
    'data of an idle stream': [call1(1), frame(FrameType.DATA, 0, 9, hashRequest(1))],
    'data of stream 0': [call1(1), frame(FrameType.DATA, 0, 0, hashRequest(1))],
    'a reset of an idle stream': [call1(1), frame(FrameType.RST_STREAM, 0, 9, credit(8))],
    'a short reset': [call1(1), frame(FrameType.RST_STREAM, 0, 1, Buffer.alloc(3))],
    'no credit': [call1(1), frame(FrameType.WINDOW_UPDATE, 0, 0, credit(0))],
    'credit for an idle stream': [call1(1), frame(FrameType.WINDOW_UPDATE, 0, 9, credit(5))],
    'credit for an answered stream': [call1(1), call1(3), frame(FrameType.WINDOW_UPDATE, 0, 3, credit(5)), call1(5)],
    'a reset of an answered stream': [call1(1), call1(3), frame(FrameType.RST_STREAM, 0, 3, credit(8)), call1(5)],
    'a push': [call1(1), frame(FrameType.PUSH_PROMISE, END_HEADERS, 1, credit(2))],
    'a ping of wrong size': [call1(1), frame(FrameType.PING, 0, 0, Buffer.alloc(7))],
    'settings of wrong size': [call1(1), frame(FrameType.SETTINGS, 0, 0, Buffer.alloc(7))],
    'a wrong header block': [call1(1), frame(FrameType.HEADERS, END_HEADERS, 3, Buffer.of(0xbe))],
    'a continuation of nothing': [call1(1), frame(FrameType.CONTINUATION, END_HEADERS, 3, Buffer.of(0x82))],
    'a header block that is interrupted': [
      call1(1),
      frame(FrameType.HEADERS, 0, 3, Buffer.of(0x82)),
      frame(FrameType.PING, 0, 0, Buffer.alloc(8)),
    ],
    'a frame that is too long': [call1(1), frame(FrameType.DATA, 0, 1, Buffer.alloc(16_385))],
    'an unknown frame': [call1(1), frame(77, 0, 0, Buffer.alloc(3)), call1(3)],
    'an unknown frame of a stream': [
      call1(1),
      headerFrames(3, 0, encodeFields(fields())),
      frame(77, 0, 3, Buffer.alloc(3)),
      frame(FrameType.DATA, END_STREAM, 3, hashRequest(5)),
    ],
    priority: [call1(1), frame(FrameType.PRIORITY, 0, 3, Buffer.alloc(5)), call1(3)],
    'wrong padding': [call1(1), frame(FrameType.HEADERS, END_HEADERS | 8, 3, Buffer.of(9, 0x82))],
    'HTTP/1': [Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  };
  for (const [name, frames] of Object.entries(sequences)) {
    test(`frames: ${name}`, async () => {
      const [first, second] = await Promise.all([plain, library].map(({ port }) => outcomeOf(port, frames)));
      assert.deepEqual(first, second);
    });
  }
});

/** The outcome for a client that sends these frames: the streams that were answered, resets, and the end of the connection. */
async function outcomeOf(port: number, frames: readonly Buffer[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const seen: string[] = [];
  let received = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    received = received.subarray(readOutcome(received, seen));
  });
  socket.write(Buffer.concat([PREFACE, frame(FrameType.SETTINGS, 0, 0, Buffer.alloc(0))]));
  for (const each of frames) {
    if (!socket.destroyed) socket.write(each);
    await settled(socket, seen);
  }
  seen.push(socket.destroyed || socket.readableEnded ? 'closed' : 'open');
  socket.destroy();
  return seen.sort();
}

/** Waits until nothing more arrives. */
async function settled(socket: Socket, seen: readonly string[]): Promise<void> {
  let length: number;
  do {
    length = seen.length;
    await sleep(60);
  } while (seen.length > length && !socket.destroyed);
}

function readOutcome(bytes: Buffer, seen: string[]): number {
  let at = 0;
  while (bytes.length - at >= 9) {
    const next = at + 9 + bytes.readUIntBE(at, 3);
    if (next > bytes.length) break;
    const [type, flags, stream] = [bytes[at + 3] as number, bytes[at + 4] as number, bytes.readUInt32BE(at + 5)];
    if (type === FrameType.DATA) seen.push(`data ${stream} ${bytes.toString('latin1', at + 9, next)}`);
    if (type === FrameType.HEADERS && (flags & END_STREAM) !== 0) seen.push(`end ${stream}`);
    if (type === FrameType.RST_STREAM) seen.push(`reset ${stream} ${bytes.readUInt32BE(at + 9)}`);
    if (type === FrameType.GOAWAY) seen.push(`goaway ${bytes.readUInt32BE(at + 13)}`);
    at = next;
  }
  return at;
}
