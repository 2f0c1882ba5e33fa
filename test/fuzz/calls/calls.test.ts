import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committedCatalogue } from '../../rpc/catalogue.js';
import { Random } from '../mutate.js';
import { acceptedReason, isLeftOut } from './accepted.js';
import { CallMaker } from './random-call.js';
import { BodyMaker } from './request-body.js';
import { SAMPLES } from './samples.js';

const CALLS = 2_000;
const catalogue = committedCatalogue(true);
const values = {
  hashes: ['ab'.repeat(32)],
  addresses: ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU'],
  symbols: ['DFI'],
  transactions: ['00'],
  evmHashes: ['0x00'],
  evmAddresses: ['0x00'],
};
const USAGE = '500 {"result":null,"error":{"code":-1,"message":"of \\"defid\\"\\n\\nArguments"},"id":1}';
const NO_OBJECT = '500 {"result":null,"error":{"code":-1,"message":"JSON value is not an object as expected"},"id":1}';

test('samples are calls of declared operations', () => {
  assert.deepEqual(
    Object.keys(SAMPLES).filter((method) => catalogue.byName(method) === undefined),
    [],
  );
});

test('a seed makes the same calls in each run, of all operations', () => {
  const [first, second] = [new CallMaker(new Random(7), SAMPLES, values), new CallMaker(new Random(7), SAMPLES, values)];
  const methods = new Set<string>();
  for (let made = 0; made < CALLS; made++) {
    const call = first.next();
    assert.deepEqual(second.next(), call);
    methods.add(call.method);
  }
  assert.equal(methods.size, Object.keys(SAMPLES).length);
});

test('bodies have calls by position and by name, batches, repeated members and wrong JSON', () => {
  const makerOf = (seed: number) => {
    const calls = new CallMaker(new Random(seed), SAMPLES, values, ['getblock']);
    return new BodyMaker(
      new Random(seed),
      () => calls.next(),
      () => ['blockhash', 'verbosity'],
    );
  };
  const [first, second] = [makerOf(7), makerOf(7)];
  const texts: string[] = [];
  for (let made = 0; made < CALLS; made++) {
    const { bytes } = first.body();
    assert.deepEqual(second.body().bytes, bytes);
    texts.push(Buffer.from(bytes).toString('latin1'));
  }
  for (const kind of [
    /^\{.*"params":\[/,
    /"params":\{"blockhash":/,
    /^\[\{.*\},\{/,
    /"method".*"method"/,
    /\[{400}/,
    /\xc0\x80/,
    /\\ud83d"/,
  ])
    assert.ok(
      texts.some((text) => kind.test(text)),
      `none has ${kind}`,
    );
  assert.ok(texts.some((text) => !isJson(text)));
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('only the given operations are called', () => {
  const maker = new CallMaker(new Random(7), SAMPLES, values, ['getblock']);
  for (let made = 0; made < 100; made++) assert.equal(maker.next().method, 'getblock');
  assert.throws(() => new CallMaker(new Random(7), SAMPLES, values, ['none']), /no samples of none/);
});

test('differences are accepted for a reason only', () => {
  const ours = '200 {"result":{},"error":null,"id":1}';
  const reasonOf = (method: string, params: readonly unknown[], theirs: string, own = ours) =>
    acceptedReason({ method, params, ours: own, theirs }, catalogue);
  assert.match(String(reasonOf('getblock', [], USAGE, USAGE.replace('defid', 'dfid'))), /help texts/);
  assert.equal(reasonOf('getblock', [], USAGE), undefined);
  assert.match(String(reasonOf('listtokens', ['x'], NO_OBJECT)), /order of arguments/);
  assert.equal(reasonOf('listtokens', [{}], NO_OBJECT), undefined);
  const noWallet = '404 {"error":{"message":"Method not found (wallet method is disabled because no wallet is loaded)"}}';
  assert.match(String(reasonOf('listmasternodes', [], noWallet)), /no wallet/);
  assert.equal(reasonOf('listaccounts', [], noWallet), undefined);
  const bodyReason = (body: Uint8Array, theirs: string, own: string) =>
    acceptedReason({ method: 'getblock', params: [], body, ours: own, theirs }, catalogue);
  const parseError = '500 {"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}';
  assert.match(String(bodyReason(Uint8Array.of(0xc0, 0x80), ours, parseError)), /no UTF-8/);
  assert.equal(bodyReason(Uint8Array.of(0x61), ours, parseError), undefined);
  assert.match(String(bodyReason(Buffer.from('['.repeat(513)), ours, parseError)), /512 levels/);
  assert.match(String(reasonOf('getmempoolinfo', [], '200 {"usage":96}', '200 {"usage":0}')), /memory/);
  assert.equal(reasonOf('getmempoolinfo', [], '200 {"usage":96,"size":1}', '200 {"usage":0,"size":0}'), undefined);
});

test('calls that end defid are not made', () => {
  assert.equal(isLeftOut({ method: 'listgovproposals', params: ['voc', 'voting', -1] }), true);
  assert.equal(isLeftOut({ method: 'listgovproposals', params: [{ cycle: -1 }] }), true);
  for (const params of [[], [null], ['voc', 'voting', 1], [{ cycle: 0 }]])
    assert.equal(isLeftOut({ method: 'listgovproposals', params }), false);
  for (const path of [['x'], [{}], [null], [''], '["x"]', '[{}]'])
    assert.equal(isLeftOut({ method: 'testpoolswap', params: [{}, path] }), true);
  for (const path of ['auto', 'x', ['1'], [1, true], '[1]', '["1"]', {}, null, 5, []])
    assert.equal(isLeftOut({ method: 'testpoolswap', params: [{}, path] }), false);
});
