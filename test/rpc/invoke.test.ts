import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../src/rpc/handler.js';
import { type CallObserver, Invoker, transportOf } from '../../src/rpc/invoke.js';
import { NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { committedCatalogue } from './catalogue.js';

const catalogue = committedCatalogue();
const SERVICE = 'dfi.blockchain.v1.BlockchainService';
const getBlockCount = catalogue.byName('getblockcount');
assert.ok(getBlockCount);
const op = getBlockCount;

function call(signal = new AbortController().signal): CallContext {
  return { dialect: 'json-rpc', requestId: '1', user: 'u', wallet: undefined, signal };
}

function build() {
  const seen: string[] = [];
  const observer: CallObserver = {
    finished(call, method, code, seconds) {
      assert.ok(seconds >= 0);
      seen.push(`${transportOf(call)} ${method} ${code}`);
    },
  };
  return { invoker: new Invoker({ catalogue, log: silentLogger, observer }), seen };
}

test('invoke: a synchronous handler answers without a promise and is counted', () => {
  const { invoker, seen } = build();
  invoker.bind(SERVICE, { getBlockCount: (modules: { height: number }) => ({ height: modules.height }) }, { height: 7 });
  assert.deepEqual(invoker.invoke(op, {}, call()), { height: 7 });
  assert.deepEqual(seen, ['jsonrpc getblockcount OK']);
});

test('invoke: running calls are listed until they end', async () => {
  const { invoker, seen } = build();
  let finish: (value: object) => void = () => {};
  invoker.bind(SERVICE, { getBlockCount: () => new Promise<object>((resolve) => (finish = resolve)) }, {});
  const result = invoker.invoke(op, {}, { ...call(), dialect: 'document', transport: 'grpc' });
  assert.deepEqual(
    [...invoker.active].map(({ method }) => method),
    ['getblockcount'],
  );
  finish({ height: 1 });
  assert.deepEqual(await result, { height: 1 });
  assert.deepEqual([...invoker.active], []);
  assert.deepEqual(seen, ['grpc getblockcount OK']);
});

test('invoke: an operation without a handler throws not-implemented', () => {
  const { invoker, seen } = build();
  assert.throws(() => invoker.invoke(op, {}, call()), { kind: 'not-implemented', message: 'getblockcount is not implemented yet' });
  assert.deepEqual(seen, ['jsonrpc getblockcount UNIMPLEMENTED']);
});

test('invoke: all operations wait for the end of the warm-up', () => {
  const { invoker } = build();
  invoker.bind(SERVICE, { getBlockCount: () => ({ height: 0 }) }, {});
  invoker.setWarmup('Loading block index...');
  assert.throws(() => invoker.invoke(op, {}, call()), { kind: 'warmup', message: 'Loading block index...' });
  invoker.setWarmup(undefined);
  assert.deepEqual(invoker.invoke(op, {}, call()), { height: 0 });
});

test('invoke: operations of an exempted service are answered during the warm-up', () => {
  const { invoker } = build();
  invoker.bind(SERVICE, { getBlockCount: () => ({ height: 0 }) }, {});
  invoker.setWarmup('Reindexing blocks...');
  invoker.exemptFromWarmup('dfi.events.v1.EventsService');
  assert.throws(() => invoker.invoke(op, {}, call()), { kind: 'warmup' });
  invoker.exemptFromWarmup(SERVICE);
  assert.deepEqual(invoker.invoke(op, {}, call()), { height: 0 });
});

test('invoke: a call is admitted once, when it is opened, and counted when it runs', () => {
  const { invoker, seen } = build();
  invoker.bind(SERVICE, { getBlockCount: () => ({ height: 3 }) }, {});
  let admitted = 0;
  invoker.setAdmission(() => {
    admitted += 1;
    return undefined;
  });
  const run = invoker.open(op, call());
  assert.deepEqual([admitted, seen.length], [1, 0]);
  assert.deepEqual(run({}), { height: 3 });
  assert.deepEqual([admitted, seen], [1, ['jsonrpc getblockcount OK']]);
  invoker.setAdmission(() => {
    throw new NodeError('wallet-not-found', 'no wallet');
  });
  assert.throws(() => invoker.open(op, call()), { kind: 'wallet-not-found' });
  invoker.setWarmup('Loading block index...');
  assert.throws(() => invoker.open(op, call()), { kind: 'warmup' });
});

test('invoke: the handler waits for the promise of the admission', async () => {
  const { invoker, seen } = build();
  invoker.bind(SERVICE, { getBlockCount: () => ({ height: 3 }) }, {});
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  invoker.setAdmission(() => promise);
  const answer = invoker.open(op, call())({});
  await new Promise((later) => setImmediate(later));
  assert.deepEqual(seen, []);
  resolve();
  assert.deepEqual(await answer, { height: 3 });
  assert.deepEqual(seen, ['jsonrpc getblockcount OK']);
});

test('invoke: errors of handlers keep their kind, others become unexpected', async () => {
  const { invoker, seen } = build();
  let thrown: Error = new NodeError('block-not-found', 'Block not found');
  invoker.bind(
    SERVICE,
    {
      getBlockCount: () => {
        throw thrown;
      },
      getDifficulty: () => Promise.reject(thrown),
    },
    {},
  );
  assert.throws(() => invoker.invoke(op, {}, call()), { kind: 'block-not-found', message: 'Block not found' });
  thrown = new RangeError('bug');
  assert.throws(() => invoker.invoke(op, {}, call()), { kind: 'unexpected', message: 'bug' });
  const getDifficulty = catalogue.byName('getdifficulty');
  assert.ok(getDifficulty);
  await assert.rejects(invoker.invoke(getDifficulty, {}, call()) as Promise<unknown>, { kind: 'unexpected' });
  assert.deepEqual(seen, ['jsonrpc getblockcount NOT_FOUND', 'jsonrpc getblockcount INTERNAL', 'jsonrpc getdifficulty INTERNAL']);
});

test('invoke: an aborted call is answered while its handler continues', async () => {
  const { invoker, seen } = build();
  invoker.bind(SERVICE, { getBlockCount: () => new Promise(() => {}) }, {});
  const controller = new AbortController();
  const result = invoker.invoke(op, {}, call(controller.signal)) as Promise<unknown>;
  controller.abort(new NodeError('deadline-exceeded', 'too late'));
  await assert.rejects(result, { kind: 'deadline-exceeded' });
  await assert.rejects(invoker.invoke(op, {}, call(controller.signal)) as Promise<unknown>, { kind: 'deadline-exceeded' });
  assert.equal(seen[0], 'jsonrpc getblockcount DEADLINE_EXCEEDED');
});

test('invoke: a handler of an unknown method is rejected', () => {
  const { invoker } = build();
  assert.throws(() => invoker.bind(SERVICE, { getblokcount: () => ({}) }, {}), /has no operation getblokcount/);
});
