import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpCall } from '../../../src/gateway/http-call.js';
import { JsonRpc } from '../../../src/gateway/jsonrpc.js';
import { OperationTable } from '../../../src/gateway/operations.js';
import { textOf } from '../../../src/gateway/reply.js';
import type { Caller } from '../../../src/rpc/access.js';
import { AnswerCache } from '../../../src/rpc/answer-cache.js';
import { CallStats } from '../../../src/rpc/call-stats.js';
import { type CallObserver, Invoker } from '../../../src/rpc/invoke.js';
import { Role } from '../../../src/rpc/options.js';
import { silentLogger } from '../../../src/util/logger.js';
import { fc } from '../../property.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const catalogue = committedCatalogue();
const ADMIN: Caller = { user: 'admin', role: Role.ADMIN };

/** JSON-RPC of two operations that answer with their argument, or with what the test sets. */
function rpcWith({ cached }: { readonly cached: boolean }) {
  const state = { tip: 0, ran: 0 };
  const finished: string[] = [];
  const observer: CallObserver = {
    finished: (_, method) => {
      finished.push(method);
    },
  };
  const invoker = new Invoker({ catalogue, log: silentLogger, observer });
  const echo = (value: unknown): string => `${state.tip} ${String(value)}`;
  const handlers = {
    getBlockHash: (_: object, { height }: { height: number }) => {
      state.ran += 1;
      return { blockhash: echo(height) };
    },
    getDifficulty: () => ({ difficulty: state.tip }),
  };
  invoker.bind('dfi.blockchain.v1.BlockchainService', handlers as never, {});
  const cache = cached ? new AnswerCache(1_000_000, observer) : undefined;
  const generation = () => state.tip;
  const none = () => 0;
  cache?.start({
    tip: generation,
    blocks: none,
    mempool: none,
    wallets: none,
    indexes: none,
    clock: none,
    warnings: none,
    minting: none,
    network: none,
  });
  const stats = new CallStats(() => 0);
  const table = new OperationTable(catalogue, invoker, {} as never, () => {}, cache);
  const rpc = new JsonRpc(table, silentLogger, stats, cache);
  const ask = async (text: string, caller = ADMIN, wallet?: string) => {
    const { status, body } = await rpc.answerText(text, new HttpCall('jsonrpc', caller, wallet, undefined, undefined));
    return `${status} ${textOf(body)}`;
  };
  return { ask, state, cache, stats, finished };
}

const request = (id: string): string => `{"id":${id},"method":"getblockhash","params":[7]}`;

test('a repeated request is answered with its own id, and counted', async () => {
  const { ask, state, cache, stats, finished } = rpcWith({ cached: true });
  for (let id = 1; id <= 5; id++) assert.match(await ask(request(String(id))), new RegExp(`"error":null,"id":${id}}`));
  assert.deepEqual([state.ran, cache?.hits, stats.get('getblockhash')?.count, finished.length], [1, 4, 5, 5]);
  assert.ok((cache?.requests.bytes ?? 0) > 0);
  state.tip += 1;
  assert.match(await ask(request('6')), /"1 7"/);
  assert.equal(state.ran, 2);
});

test('a known request is refused to a caller without the right to it, and not looked up for a named wallet', async () => {
  const { ask, state } = rpcWith({ cached: true });
  for (let i = 0; i < 3; i++) await ask(request('1'));
  const nobody: Caller = { user: 'nobody', role: Role.ADMIN, methods: new Set(['getdifficulty']) };
  assert.match(await ask(request('1'), nobody), /^\d+ \{"result":null,"error":\{.*"id":1\}/);
  assert.equal(state.ran, 1);
  await ask(request('1'), ADMIN, 'name');
  assert.equal(state.ran, 2);
  const batch = `[${request('1')},${request('2')}]`;
  for (let i = 0; i < 3; i++) await ask(batch);
  assert.match(await ask(batch, nobody), /^\d+ \{"result":null,"error":\{.*"id":null\}/);
});

test('a batch is counted as one call without a name, as by defid, whether its answers are known or not', async () => {
  const { ask, cache, stats } = rpcWith({ cached: true });
  const batch = `[${request('1')},${request('2')},{"id":3,"method":"nosuch"}]`;
  const known = `[${request('1')},${request('2')}]`;
  const lengths: number[] = [];
  for (const text of [batch, known, known, known, '[]']) lengths.push((await ask(text)).length - '200 '.length);
  assert.ok((cache?.hits ?? 0) > 4);
  assert.equal(stats.get('getblockhash'), undefined);
  assert.equal(stats.get('')?.count, 5);
  assert.deepEqual(
    stats.get('')?.history.map(({ payload }) => payload),
    lengths,
  );
});

test('requests are forgotten above the limit', async () => {
  const { ask, cache } = rpcWith({ cached: true });
  for (let i = 0; i < 500; i++) {
    const text = `{"id":1,"method":"getblockhash","params":[${i}],"note":"${'x'.repeat(1_000)}"}`;
    for (let again = 0; again < 2; again++) await ask(text);
  }
  const { requests } = cache as AnswerCache;
  assert.ok(requests.bytes <= requests.maxBytes && requests.bytes > requests.maxBytes / 2, `${requests.bytes} bytes`);
});

const space = fc.constantFrom('', ' ', '  ', '\n', '\t', '\u00a0');
const id = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    '01',
    '-1',
    '1.0',
    '1e3',
    'null',
    'true',
    '""',
    '"a b"',
    '"\\u0041"',
    '"é"',
    '"a\\"b"',
    '[1]',
    '{"id":1}',
    '9'.repeat(20),
  ),
  fc.nat(5).map(String),
);
const member = fc.oneof(
  { weight: 6, arbitrary: id.map((value) => ['"id"', value] as const) },
  { weight: 2, arbitrary: fc.constantFrom(['"jsonrpc"', '"2.0"'] as const, ['"jsonrpc"', '"1.0"'] as const, ['"jsonrpc"', '2'] as const) },
  { weight: 2, arbitrary: id.map((value) => ['"a\\"id"', value] as const) },
  { weight: 1, arbitrary: id.map((value) => ['"\\u0069d"', value] as const) },
  { weight: 1, arbitrary: id.map((value) => ['"x"', `{"y":1,"id":${value}}`] as const) },
);
const params = fc.constantFrom('[1]', '[2]', '{"height":1}', '{"id":1,"height":1}', '[]', '["1"]', '{"height":1,"id":5}');
const single = fc
  .tuple(fc.array(member, { maxLength: 3 }), params, fc.constantFrom('getblockhash', 'getdifficulty', 'uptime', 'none'), space, fc.nat(4))
  .map(([members, given, method, gap, at]) => {
    const all: (readonly [string, string])[] = [...members];
    all.splice(at, 0, ['"method"', `"${method}"`], ['"params"', given]);
    return `{${all.map(([name, value]) => `${gap}${name}:${gap}${value}`).join(',')}}`;
  });
const text = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(single, space).map(([object, end]) => object + end) },
  { weight: 1, arbitrary: fc.array(single, { maxLength: 3 }).map((all) => `[${all.join(',')}]`) },
  { weight: 1, arbitrary: fc.tuple(single, fc.nat(60)).map(([object, cut]) => object.slice(0, -cut)) },
);

test('replies are the same with and without the cache, whatever the form of the request', async () => {
  const cached = rpcWith({ cached: true });
  const computed = rpcWith({ cached: false });
  await fc.assert(
    fc.asyncProperty(text, async (body) => {
      for (let again = 0; again < 3; again++) assert.equal(await cached.ask(body), await computed.ask(body));
    }),
    { numRuns: 3_000 },
  );
  assert.ok((cached.cache?.hits ?? 0) > 500, `${cached.cache?.hits} hits`);
});
