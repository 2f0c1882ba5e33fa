import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  ChannelCredentials,
  type ClientReadableStream,
  credentials as channelCredentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { BlockchainServiceClient } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { SubscribeRescanResponse } from '../../gen/ts/dfi/node/v1/control.js';
import { NodeServiceClient } from '../../gen/ts/dfi/node/v1/node.js';
import { BadRequest, ErrorInfo, RetryInfo } from '../../gen/ts/google/rpc/error_details.js';
import { Status } from '../../gen/ts/google/rpc/status.js';
import {
  type HealthCheckResponse,
  HealthClient,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/ts/grpc/health/v1/health.js';
import { GrpcOnDemand } from '../../src/grpc/on-demand.js';
import type { GrpcOptions, GrpcParts } from '../../src/grpc/server.js';
import { AccessRules } from '../../src/rpc/access.js';
import { CertificateRoles } from '../../src/rpc/certificate-roles.js';
import { InvalidField } from '../../src/rpc/errors.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { Invoker } from '../../src/rpc/invoke.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { Role } from '../../src/rpc/options.js';
import { NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { NO_RESTRICTIONS } from '../access-options.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { projectRoot } from '../shared.js';

const catalogue = committedCatalogue();
const run = promisify(execFile);
const SERVICE = 'dfi.blockchain.v1.BlockchainService';
const NODE_SERVICE = 'dfi.node.v1.NodeService';
const ADMIN = 'Basic YWRtaW46cA==';
const READER = 'Basic cmVhZGVyOnA=';
const callers = new Map([
  [ADMIN, { user: 'admin', role: Role.ADMIN }],
  [READER, { user: 'reader', role: Role.READ }],
]);

interface Started {
  readonly server: GrpcOnDemand;
  readonly port: number;
  readonly calls: CallContext[];
  readonly state: { serving: boolean };
  /** End of each stream: `left` if its reader disconnected or it failed, `over` if it completed. */
  readonly streams: string[];
}

/** Yields two messages; then fails, ends or waits for ever, as the name of the wallet says. */
async function* rescanEvents(call: CallContext, streams: string[]): AsyncGenerator<SubscribeRescanResponse> {
  let end = 'left';
  try {
    yield { running: true, progress: 0.25, duration: 1 };
    yield { running: true, progress: 0.5, duration: 2 };
    if (call.wallet === 'none') throw new NodeError('wallet-not-found', 'no such wallet');
    if (call.wallet === 'endless') await sleep(60_000, undefined, { signal: call.signal });
    end = 'over';
  } finally {
    streams.push(end);
  }
}

/** Progress values that a stream yielded, and its status code. */
async function readAll(
  stream: ClientReadableStream<SubscribeRescanResponse>,
  each: (seen: number) => void = () => {},
): Promise<[number[], number]> {
  const seen: number[] = [];
  const code = await new Promise<number>((resolve) => {
    stream.on('data', ({ progress }: SubscribeRescanResponse) => each(seen.push(progress)));
    stream.on('error', () => {});
    stream.on('status', (end) => resolve(end.code));
  });
  return [seen, code];
}

/** A server with handlers for the cases of this file. */
async function start(options: Partial<GrpcOptions> = {}, refusalDelayMs = 0, parts: Partial<GrpcParts> = {}): Promise<Started> {
  const calls: CallContext[] = [];
  const state = { serving: true };
  const streams: string[] = [];
  const invoker = new Invoker({ catalogue, log: silentLogger, observer: { finished() {} } });
  const handlers = {
    getBlockCount: (_: object, _request: object, call: CallContext) => {
      calls.push(call);
      return { height: 1234 };
    },
    getBlock: (_: object, request: { blockhash: string; verbosity: number }) => {
      if (request.blockhash === 'missing') throw new NodeError('block-not-found', 'Block not found');
      if (request.blockhash === 'bad') throw new InvalidField('blockhash', 'must be hexadecimal');
      if (request.blockhash === 'bug') throw new TypeError('oops');
      if (request.blockhash === 'busy') throw new NodeError('warmup', 'Loading block index...');
      return { block: { $case: 'hex', value: `verbosity ${request.verbosity}` } };
    },
    getDifficulty: (_: object, _request: object, call: CallContext) => {
      calls.push(call);
      return new Promise(() => {});
    },
    getChainTips: () => ({}),
  };
  invoker.bind(SERVICE, handlers, {});
  invoker.bind(NODE_SERVICE, { subscribeRescan: (_: object, _request: object, call: CallContext) => rescanEvents(call, streams) }, {});
  const server = new GrpcOnDemand(
    { port: 0, bind: ['127.0.0.1'], tls: undefined, ...options },
    {
      catalogue,
      invoker,
      credentials: { check: (given) => callers.get(given) },
      throttle: new LoginThrottle({ log: silentLogger }, { delayMs: refusalDelayMs }),
      isServing: () => state.serving,
      log: silentLogger,
      ...parts,
    },
  );
  return { server, port: await server.start(), calls, state, streams };
}

function metadata(authorization: string | undefined, more: Record<string, string> = {}): Metadata {
  const result = new Metadata();
  if (authorization) result.set('authorization', authorization);
  for (const [key, value] of Object.entries(more)) result.set(key, value);
  return result;
}

type Done<R> = (error: ServiceError | null, response: R) => void;

function answer<R>(call: (done: Done<R>) => unknown): Promise<R> {
  return new Promise((resolve, reject) => call((error, response) => (error ? reject(error) : resolve(response))));
}

function detailsOf(error: ServiceError): Status {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  assert.ok(bytes instanceof Buffer);
  return Status.decode(bytes);
}

describe('gRPC', () => {
  let started: Started;
  let client: BlockchainServiceClient;

  before(async () => {
    started = await start({ limitMs: 500 }, 30);
    client = new BlockchainServiceClient(`127.0.0.1:${started.port}`, channelCredentials.createInsecure());
  });
  after(async () => {
    client.close();
    await started.server.stop();
  });

  const getBlock = (blockhash: string, verbosity?: number) =>
    answer((done) => client.getBlock({ blockhash, verbosity }, metadata(ADMIN), done));

  test('a call is answered, and its context names the caller, the operation and the wallet', async () => {
    const meta = metadata(READER, { 'x-wallet': 'w', 'x-request-id': 'abc', 'x-walletfastselect': '0' });
    assert.deepEqual(await answer((done) => client.getBlockCount({}, meta, done)), { height: 1234 });
    const context = started.calls.at(-1);
    assert.deepEqual(
      [context?.user, context?.wallet, context?.requestId, context?.dialect, context?.transport],
      ['reader', 'w', 'abc', 'document', 'grpc'],
    );
    assert.deepEqual(context?.settings, { walletfastselect: false });
  });

  test('defaults of the operations document are filled in', async () => {
    assert.deepEqual(await getBlock('ab'), { block: { $case: 'hex', value: 'verbosity 1' } });
    assert.deepEqual(await getBlock('ab', 0), { block: { $case: 'hex', value: 'verbosity 0' } });
  });

  const failures = [
    { blockhash: 'missing', code: status.NOT_FOUND, reason: 'BLOCK_NOT_FOUND', jsonRpc: '-5', text: 'Block not found' },
    { blockhash: 'bad', code: status.INVALID_ARGUMENT, reason: 'BAD_REQUEST', jsonRpc: '-32602', text: 'blockhash: must be hexadecimal' },
    { blockhash: 'bug', code: status.INTERNAL, reason: 'INTERNAL', jsonRpc: '-1', text: 'oops' },
    { blockhash: 'busy', code: status.UNAVAILABLE, reason: 'IN_WARMUP', jsonRpc: '-28', text: 'Loading block index...' },
  ];
  for (const { blockhash, code, reason, jsonRpc, text } of failures) {
    test(`an error carries its reason: ${reason}`, async () => {
      const error = await getBlock(blockhash).then(
        () => assert.fail('answered'),
        (thrown: ServiceError) => thrown,
      );
      assert.deepEqual([error.code, error.details], [code, text]);
      const { details, code: inner } = detailsOf(error);
      assert.equal(inner, code);
      const [info, more] = details;
      assert.ok(info);
      assert.deepEqual(ErrorInfo.decode(info.value), { reason, domain: 'node.dfi', metadata: { jsonrpc_code: jsonRpc } });
      if (blockhash === 'bad') {
        assert.deepEqual(BadRequest.decode(more?.value ?? Buffer.alloc(0)).fieldViolations, [
          { field: 'blockhash', description: 'must be hexadecimal' },
        ]);
      }
      if (blockhash === 'busy') assert.equal(RetryInfo.decode(more?.value ?? Buffer.alloc(0)).retryDelay?.seconds, 1n);
    });
  }

  test('an operation without a handler is UNIMPLEMENTED', async () => {
    await assert.rejects(
      answer((done) => client.getBestBlockHash({}, metadata(ADMIN), done)),
      { code: status.UNIMPLEMENTED, details: 'getbestblockhash is not implemented yet' },
    );
  });

  test('a response that cannot be encoded is an internal error, never UNKNOWN', async () => {
    await assert.rejects(
      answer((done) => client.getChainTips({}, metadata(ADMIN), done)),
      { code: status.INTERNAL },
    );
  });

  test('bytes that are no valid request are INVALID_ARGUMENT', async () => {
    const raw = new Promise((resolve, reject) => {
      const identity = (bytes: Buffer): Buffer => bytes;
      client.makeUnaryRequest(`/${SERVICE}/GetBlock`, identity, identity, Buffer.from('0aff', 'hex'), metadata(ADMIN), (error, value) =>
        error ? reject(error) : resolve(value),
      );
    });
    await assert.rejects(raw, { code: status.INVALID_ARGUMENT });
  });

  test('a request above the limit is refused', async () => {
    await assert.rejects(getBlock('a'.repeat(8 * 1024 * 1024 + 1)), { code: status.RESOURCE_EXHAUSTED });
  });

  test('calls without credentials are refused, those with wrong ones after a delay', async () => {
    await assert.rejects(
      answer((done) => client.getBlockCount({}, metadata(undefined), done)),
      { code: status.UNAUTHENTICATED },
    );
    const from = performance.now();
    await assert.rejects(
      answer((done) => client.getBlockCount({}, metadata('Basic eDp5'), done)),
      { code: status.UNAUTHENTICATED },
    );
    assert.ok(performance.now() - from >= 29);
  });

  test('a call that needs a higher role is denied', async () => {
    await assert.rejects(
      answer((done) => client.clearMempool({}, metadata(READER), done)),
      { code: status.PERMISSION_DENIED },
    );
  });

  test("a call without a deadline gets the server's default", async () => {
    const error = await answer((done) => client.getDifficulty({}, metadata(ADMIN), done)).then(
      () => assert.fail('answered'),
      (thrown: ServiceError) => thrown,
    );
    assert.equal(error.code, status.DEADLINE_EXCEEDED);
    assert.equal(ErrorInfo.decode(detailsOf(error).details[0]?.value ?? Buffer.alloc(0)).reason, 'DEADLINE_EXCEEDED');
    const signal = started.calls.at(-1)?.signal;
    assert.ok(signal?.aborted);
    assert.equal((signal.reason as NodeError).kind, 'deadline-exceeded');
  });

  test("the caller's own deadline aborts the handler", async () => {
    const before = started.calls.length;
    const deadline = Date.now() + 400;
    await assert.rejects(
      answer((done) => client.getDifficulty({}, metadata(ADMIN), { deadline }, done)),
      { code: status.DEADLINE_EXCEEDED },
    );
    const signal = started.calls[before]?.signal;
    assert.ok(signal);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    assert.equal((signal.reason as NodeError).kind, 'deadline-exceeded');
  });

  test('a disconnecting caller aborts the handler', async () => {
    const before = started.calls.length;
    const call = client.getDifficulty({}, metadata(ADMIN), () => {});
    while (started.calls.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
    const signal = started.calls[before]?.signal;
    assert.ok(signal);
    call.cancel();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    assert.equal((signal.reason as NodeError).kind, 'cancelled');
  });

  test('a stream yields messages and ends by itself, by an error, or when its reader disconnects, and is refused to unauthorised callers', async () => {
    const node = new NodeServiceClient(`127.0.0.1:${started.port}`, channelCredentials.createInsecure());
    const read = (authorization: string | undefined, wallet: string) =>
      node.subscribeRescan({}, metadata(authorization, { 'x-wallet': wallet }));
    assert.deepEqual(await readAll(read(READER, '')), [[0.25, 0.5], status.OK]);
    assert.deepEqual(await readAll(read(READER, 'none')), [[0.25, 0.5], status.NOT_FOUND]);
    const left = read(READER, 'endless');
    const whenTwo = (seen: number): void => {
      if (seen === 2) left.cancel();
    };
    assert.deepEqual(await readAll(left, whenTwo), [[0.25, 0.5], status.CANCELLED]);
    assert.deepEqual(await readAll(read(undefined, '')), [[], status.UNAUTHENTICATED]);
    await sleep(50);
    assert.deepEqual(started.streams, ['over', 'left', 'left']);
    node.close();
  });

  test('health: one service, all services, an unknown one', async () => {
    const health = new HealthClient(`127.0.0.1:${started.port}`, channelCredentials.createInsecure());
    assert.deepEqual(await answer((done) => health.check({ service: '' }, done)), { status: Serving.SERVING });
    started.state.serving = false;
    assert.deepEqual(await answer((done) => health.check({ service: SERVICE }, done)), { status: Serving.NOT_SERVING });
    started.state.serving = true;
    await assert.rejects(
      answer((done) => health.check({ service: 'x' }, done)),
      { code: status.NOT_FOUND },
    );
    const { statuses } = await answer((done: Done<{ statuses: object }>) => health.list({}, done));
    assert.deepEqual(Object.keys(statuses), ['', ...new Set(catalogue.operations.map(({ service }) => service))]);
    health.close();
  });

  test('buf curl finds the services and calls one through reflection', async () => {
    const curl = async (...args: string[]): Promise<string> => {
      const { stdout } = await run(join(projectRoot, 'node_modules/.bin/buf'), [
        'curl',
        '--http2-prior-knowledge',
        '--protocol',
        'grpc',
        '-H',
        `authorization: ${ADMIN}`,
        ...args,
      ]);
      return stdout;
    };
    const url = `http://127.0.0.1:${started.port}`;
    assert.deepEqual(JSON.parse(await curl('-d', '{}', `${url}/${SERVICE}/GetBlockCount`)), { height: 1234 });
    assert.match(await curl('--list-services', '--reflect-protocol', 'grpc-v1alpha', url), /dfi\.blockchain\.v1\.BlockchainService/);
  });
});

test('gRPC: stopping notifies health watchers, aborts calls that run too long, and refuses new ones', async () => {
  const { server, port, calls } = await start({ graceMs: 50 });
  const health = new HealthClient(`127.0.0.1:${port}`, channelCredentials.createInsecure());
  const client = new BlockchainServiceClient(`127.0.0.1:${port}`, channelCredentials.createInsecure());
  const seen: Serving[] = [];
  const stream = health.watch({ service: '' });
  const streamEnd = new Promise<ServiceError>((resolve) => stream.on('error', resolve));
  await new Promise<void>((resolve) =>
    stream.on('data', ({ status: each }: HealthCheckResponse) => {
      seen.push(each);
      resolve();
    }),
  );
  const node = new NodeServiceClient(`127.0.0.1:${port}`, channelCredentials.createInsecure());
  let streamed: Promise<unknown> = Promise.resolve();
  const begun = new Promise<void>((resolve) => {
    streamed = readAll(node.subscribeRescan({}, metadata(ADMIN, { 'x-wallet': 'endless' })), (count) => count === 2 && resolve());
  });
  const hanging = answer((done) => client.getDifficulty({}, metadata(ADMIN), done));
  const rejected = assert.rejects(hanging, (error: ServiceError) => error.code !== status.UNKNOWN);
  await begun;
  while (calls.length === 0) await sleep(5);
  const from = performance.now();
  await server.stop();
  assert.ok(performance.now() - from < 2000);
  await rejected;
  assert.equal((await streamEnd).code, status.UNAVAILABLE);
  assert.deepEqual(await streamed, [[0.25, 0.5], status.UNAVAILABLE]);
  assert.deepEqual(seen, [Serving.SERVING, Serving.NOT_SERVING]);
  await assert.rejects(answer((done) => client.getBlockCount({}, metadata(ADMIN), { deadline: Date.now() + 300 }, done)));
  health.close();
  client.close();
  node.close();
});

test('gRPC: a port in use cannot be listened on', async () => {
  const first = await start();
  await assert.rejects(start({ port: first.port }), { name: 'CannotListen' });
  await first.server.stop();
});

function openssl(): string | undefined {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' });
  } catch {
    console.log('skipped: no openssl to make a certificate with');
    return undefined;
  }
}

/** A self-signed certificate. */
function makeCertificate(directory: string, name: string): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  const subject = ['-subj', `/O=Example/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  execFileSync('openssl', [...request, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  return { certFile, keyFile };
}

test('gRPC: TLS with a certificate of the operator', { skip: openssl() === undefined }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-tls-'));
  const { certFile, keyFile } = makeCertificate(directory, 'localhost');
  const { server, port } = await start({ tls: { certFile, keyFile, clientCaFile: undefined } });
  const client = new BlockchainServiceClient(`localhost:${port}`, ChannelCredentials.createSsl(readFileSync(certFile)));
  const deadline = Date.now() + 5000;
  assert.deepEqual(await answer((done) => client.getBlockCount({}, metadata(ADMIN), { deadline }, done)), { height: 1234 });
  client.close();
  await server.stop();
  await assert.rejects(start({ tls: { certFile, keyFile: certFile, clientCaFile: undefined } }));
  rmSync(directory, { recursive: true });
});

test('gRPC: a client certificate logs in with the role of its subject', { skip: openssl() === undefined }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-tls-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const { certFile, keyFile } = makeCertificate(directory, 'localhost');
  const client = makeCertificate(directory, 'alice');
  const rules = new AccessRules(NO_RESTRICTIONS);
  const serve = async (subject: string): Promise<BlockchainServiceClient> => {
    const certificates = new CertificateRoles([{ subject, role: 'read' }], rules);
    const { server, port } = await start({ tls: { certFile, keyFile, clientCaFile: client.certFile } }, 0, { certificates });
    const secure = ChannelCredentials.createSsl(readFileSync(certFile), readFileSync(client.keyFile), readFileSync(client.certFile));
    const connected = new BlockchainServiceClient(`localhost:${port}`, secure);
    t.after(() => {
      connected.close();
      return server.stop();
    });
    return connected;
  };
  const options = { deadline: Date.now() + 10_000 };
  const known = await serve('O=Example,CN=alice');
  assert.deepEqual(await answer((done) => known.getBlockCount({}, metadata(undefined), options, done)), { height: 1234 });
  await assert.rejects(
    answer((done) => known.clearMempool({}, metadata(undefined), options, done)),
    { code: status.PERMISSION_DENIED },
  );
  // Credentials, if sent, take precedence over the certificate, right or wrong.
  await assert.rejects(
    answer((done) => known.getBlockCount({}, metadata('Basic eDp5'), options, done)),
    { code: status.UNAUTHENTICATED },
  );
  const unknown = await serve('CN=bob');
  await assert.rejects(
    answer((done) => unknown.getBlockCount({}, metadata(undefined), options, done)),
    { code: status.UNAUTHENTICATED },
  );
});
