import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { BlockchainServiceService as Blockchain, GetBlockRequest } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { RawtransactionsServiceService as Raw } from '../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { HealthService } from '../../gen/ts/grpc/health/v1/health.js';
import { ServerReflectionService } from '../../gen/ts/grpc/reflection/v1/reflection.js';
import { MAX_LARGE_REQUEST_BYTES, MAX_REQUEST_BYTES } from '../../src/grpc/request.js';
import { type GrpcOptions, type GrpcParts, GrpcServer } from '../../src/grpc/server.js';
import { AccessRules } from '../../src/rpc/access.js';
import { Invoker } from '../../src/rpc/invoke.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { Role } from '../../src/rpc/options.js';
import { silentLogger } from '../../src/util/logger.js';
import { committedCatalogue } from '../rpc/catalogue.js';

const READER = 'Basic cmVhZGVyOnA=';
const WRONG = 'Basic eDp5';
const GET_BLOCK = Blockchain.getBlock.path;
const COMBINE_PSBT = Raw.combinePsbt.path;

/** A server that echoes the hash of a block, and callers with the role read. */
async function serve(t: TestContext, options: Partial<GrpcOptions> = {}, parts: Partial<GrpcParts> = {}): Promise<number> {
  const catalogue = committedCatalogue();
  const invoker = new Invoker({ catalogue, log: silentLogger, observer: { finished() {} } });
  const getBlock = (_: object, { blockhash }: GetBlockRequest) => ({ block: { $case: 'hex', value: blockhash } });
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlock }, {});
  invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', { combinePsbt: () => ({ psbt: '' }) }, {});
  const server = new GrpcServer(
    { port: 0, bind: ['127.0.0.1'], tls: undefined, graceMs: 100, ...options },
    {
      catalogue,
      invoker,
      credentials: { check: (given) => (given === READER ? { user: 'reader', role: Role.READ } : undefined) },
      throttle: new LoginThrottle({ log: silentLogger, sleep: () => Promise.resolve() }),
      isServing: () => true,
      log: silentLogger,
      ...parts,
    },
  );
  t.after(() => server.stop());
  return server.start();
}

/** A call whose bytes are sent by the test itself. */
interface RawCall {
  readonly stream: ClientHttp2Stream;
  /** Status code of the answer; -1 if the stream was closed without one. */
  readonly code: Promise<number>;
}

/** Opens calls over one connection. */
function rawClient(t: TestContext, port: number): (path: string, authorization?: string) => RawCall {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  t.after(() => session.destroy());
  session.on('error', () => {});
  return (path, authorization) => {
    const credentials = authorization === undefined ? {} : { authorization };
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...credentials,
    });
    stream.on('error', () => {});
    const code = new Promise<number>((resolve) => {
      const seen = (headers: Record<string, unknown>): void => {
        if (headers['grpc-status'] !== undefined) resolve(Number(headers['grpc-status']));
      };
      stream.on('response', seen);
      stream.on('trailers', seen);
      stream.on('close', () => resolve(-1));
    });
    stream.resume();
    return { stream, code };
  };
}

/** Prefix of a message: not compressed, and its length. */
function prefix(length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

function framed(message: Uint8Array): Buffer {
  return Buffer.concat([prefix(message.length), message]);
}

const block = framed(GetBlockRequest.encode({ blockhash: 'ab', verbosity: undefined }).finish());

test('gRPC: a call is refused by its metadata, before any byte of its message is received', async (t) => {
  const open = rawClient(t, await serve(t));
  assert.equal(await open(GET_BLOCK).code, status.UNAUTHENTICATED);
  assert.equal(await open(GET_BLOCK, WRONG).code, status.UNAUTHENTICATED);
  assert.equal(await open(Blockchain.clearMempool.path, READER).code, status.PERMISSION_DENIED);
});

test('gRPC: a method that is not in the whitelist of the caller is denied', async (t) => {
  const rules = new AccessRules({ whitelists: ['reader:getblock'], whitelistDefault: undefined, roles: [] });
  const open = rawClient(t, await serve(t, {}, { credentials: { check: () => rules.callerOf('reader') } }));
  assert.equal(await open(COMBINE_PSBT, READER).code, status.PERMISSION_DENIED);
  const { stream, code } = open(GET_BLOCK, READER);
  stream.end(block);
  assert.equal(await code, status.OK);
});

test('gRPC: eight megabytes with wrong credentials are never decoded', async (t) => {
  const decode = t.mock.method(Raw.combinePsbt, 'requestDeserialize');
  const port = await serve(t);
  const message = Buffer.alloc(MAX_LARGE_REQUEST_BYTES, Buffer.from('0a00', 'hex'));
  for (const authorization of [undefined, WRONG]) {
    const { stream, code } = rawClient(t, port)(COMBINE_PSBT, authorization);
    stream.end(framed(message));
    assert.equal(await code, status.UNAUTHENTICATED);
  }
  assert.equal(decode.mock.callCount(), 0);
});

test('gRPC: a request with too many values is refused without creating them', async (t) => {
  const decode = t.mock.method(Raw.combinePsbt, 'requestDeserialize');
  const open = rawClient(t, await serve(t));
  const ask = async (values: number): Promise<number> => {
    const { stream, code } = open(COMBINE_PSBT, READER);
    stream.end(framed(Buffer.alloc(2 * values, Buffer.from('0a00', 'hex'))));
    return code;
  };
  assert.equal(await ask(50_001), status.INVALID_ARGUMENT);
  assert.equal(decode.mock.callCount(), 0);
  assert.equal(await ask(50_000), status.OK);
  assert.equal(decode.mock.callCount(), 1);
});

const limits = [
  { name: 'an operation', path: GET_BLOCK, bytes: MAX_REQUEST_BYTES },
  { name: 'an operation that takes PSBTs', path: COMBINE_PSBT, bytes: MAX_LARGE_REQUEST_BYTES },
  { name: 'a health check', path: HealthService.check.path, bytes: 4096 },
  { name: 'reflection', path: ServerReflectionService.serverReflectionInfo.path, bytes: 4096 },
];
for (const { name, path, bytes } of limits) {
  test(`gRPC: ${name} refuses a larger message by its announced length`, async (t) => {
    const open = rawClient(t, await serve(t, { receiveMs: 50 }));
    const larger = open(path, READER);
    larger.stream.write(prefix(bytes + 1));
    assert.equal(await larger.code, status.RESOURCE_EXHAUSTED);
    const largest = open(path, READER);
    largest.stream.end(framed(Buffer.alloc(bytes, Buffer.from('ffffffff00', 'hex'))));
    assert.notEqual(await largest.code, status.RESOURCE_EXHAUSTED);
  });
}

test('gRPC: concurrent requests are bounded; further calls wait for room, and too many waiting ones are refused', async (t) => {
  const open = rawClient(t, await serve(t, { requestBytes: MAX_LARGE_REQUEST_BYTES, waitingCalls: 1 }));
  const receiving = Array.from({ length: MAX_LARGE_REQUEST_BYTES / MAX_REQUEST_BYTES }, () => open(GET_BLOCK, READER));
  for (const { stream } of receiving) stream.write(block.subarray(0, 5));
  const waiting = open(GET_BLOCK, READER);
  waiting.stream.end(block);
  assert.equal(await open(GET_BLOCK, READER).code, status.RESOURCE_EXHAUSTED);
  receiving[0]?.stream.end(block.subarray(5));
  assert.deepEqual(await Promise.all([receiving[0]?.code, waiting.code]), [status.OK, status.OK]);
  receiving[1]?.stream.close();
  const next = open(GET_BLOCK, READER);
  next.stream.end(block);
  assert.equal(await next.code, status.OK);
});

test('gRPC: a request that does not arrive in time is abandoned', async (t) => {
  const open = rawClient(t, await serve(t, { receiveMs: 30 }));
  const { stream, code } = open(GET_BLOCK, READER);
  stream.write(block.subarray(0, 7));
  assert.equal(await code, status.DEADLINE_EXCEEDED);
});

test('gRPC: an address that failed too often is refused unchecked, except on connections that have logged in', async (t) => {
  const state = { mayTry: true, checks: 0 };
  const port = await serve(
    t,
    {},
    {
      throttle: { mayTry: () => state.mayTry, failed: () => Promise.resolve() },
      credentials: {
        check: (given) => {
          state.checks += 1;
          return given === READER ? { user: 'reader', role: Role.READ } : undefined;
        },
      },
    },
  );
  const ask = (open: ReturnType<typeof rawClient>): Promise<number> => {
    const { stream, code } = open(GET_BLOCK, READER);
    stream.end(block);
    return code;
  };
  const known = rawClient(t, port);
  assert.equal(await ask(known), status.OK);
  state.mayTry = false;
  assert.equal(await ask(rawClient(t, port)), status.RESOURCE_EXHAUSTED);
  assert.equal(await ask(known), status.OK);
  assert.equal(await known(GET_BLOCK, WRONG).code, status.RESOURCE_EXHAUSTED);
  assert.equal(state.checks, 1);
});

/** True if a connection is accepted. */
async function isServed(socket: Socket, t: TestContext): Promise<boolean> {
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  // A server that accepts the connection sends its settings first.
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

test('gRPC: connections of clients outside the allow list are closed immediately', async (t) => {
  const port = await serve(t, {}, { allowList: { allows: (address) => address === '127.0.0.1' } });
  const open = (localAddress: string): Socket => connectTcp({ port, host: '127.0.0.1', localAddress });
  assert.equal(await isServed(open('127.0.0.2'), t), false);
  assert.equal(await isServed(open('127.0.0.1'), t), true);
});

test('gRPC: connections are bounded per address and in total', async (t) => {
  const port = await serve(t, { connections: 3, connectionsPerAddress: 2 });
  const open = (localAddress: string): Socket => connectTcp({ port, host: '127.0.0.1', localAddress });
  const first = open('127.0.0.1');
  assert.ok(await isServed(first, t));
  assert.ok(await isServed(open('127.0.0.1'), t));
  assert.equal(await isServed(open('127.0.0.1'), t), false);
  assert.ok(await isServed(open('127.0.0.2'), t));
  assert.equal(await isServed(open('127.0.0.3'), t), false);
  first.destroy();
  await once(first, 'close');
  while (!(await isServed(open('127.0.0.1'), t)));
});
