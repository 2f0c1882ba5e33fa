import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerCache, type Generations } from '../../../src/rpc/answer-cache.js';
import type { Operation } from '../../../src/rpc/catalogue.js';
import type { CallContext } from '../../../src/rpc/handler.js';
import { transportOf } from '../../../src/rpc/invoke.js';
import { NodeError } from '../../../src/util/errors.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const catalogue = committedCatalogue();
const operation = (name: string): Operation => catalogue.byName(name) as Operation;
const unnamed = { wallet: undefined };

const CALL = { dialect: 'json-rpc', user: 'u', requestId: 'r' } as const;

/** Cache with generations that the test sets, and the calls that it counted. */
function cacheOf(maxBytes = 100_000) {
  const values = { tip: 0, blocks: 0, mempool: 0, wallets: 0, indexes: 0, clock: 0, warnings: '', minting: 0, network: 0 };
  const finished: string[] = [];
  const cache = new AnswerCache(maxBytes, {
    finished: (call, method, code) => {
      finished.push(`${transportOf(call)} ${method} ${code}`);
    },
  });
  const names = Object.keys(values) as (keyof typeof values)[];
  cache.start(Object.fromEntries(names.map((name) => [name, () => values[name]])) as unknown as Generations);
  const find = (name: string, key = '[]') => {
    const outcome = cache.find(operation(name), `${name} ${key}`);
    if (outcome !== undefined) cache.count(operation(name), outcome, CALL);
    return outcome;
  };
  const keep = (name: string, answer: string, key = '[]') => cache.answer(operation(name), `${name} ${key}`, CALL, () => answer);
  return { cache, values, finished, find, keep };
}

function withResolver<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('an answer is found by its operation and key, and counts as a call', () => {
  const { cache, finished, find, keep } = cacheOf();
  assert.equal(find('getblockhash', '[1]'), undefined);
  keep('getblockhash', '"aa"', '[1]');
  assert.equal(find('getblockhash', '[1]'), '"aa"');
  assert.equal(find('getblockhash', '[2]'), undefined);
  assert.equal(find('getvault', '[1]'), undefined);
  assert.deepEqual([cache.hits, cache.misses], [1, 1]);
  assert.deepEqual(finished, ['jsonrpc getblockhash OK']);
});

const changes = [
  { source: 'tip', name: 'getblockcount' },
  { source: 'blocks', name: 'getblock' },
  { source: 'mempool', name: 'gettxout' },
  { source: 'wallets', name: 'listaccounts' },
  { source: 'indexes', name: 'getrawtransaction' },
  { source: 'clock', name: 'listmasternodes' },
  { source: 'warnings', name: 'getblockchaininfo' },
  { source: 'minting', name: 'getmininginfo' },
  { source: 'network', name: 'getconnectioncount' },
] as const;
for (const { source, name } of changes) {
  test(`answers of ${name} are dropped when this changes: ${source}`, () => {
    const { cache, values, find, keep } = cacheOf();
    keep(name, '1');
    keep('decoderawtransaction', '2');
    assert.equal(find(name), '1');
    Object.assign(values, { [source]: 'another' });
    assert.equal(find(name), undefined);
    assert.equal(find('decoderawtransaction'), '2');
    assert.ok(cache.bytes < 300, `${cache.bytes} bytes`);
  });
}

test('an answer is not kept if a source changes while it is computed', async () => {
  const { cache, values, find } = cacheOf();
  const { promise, resolve } = withResolver<string>();
  const answer = cache.answer(operation('listvaults'), 'listvaults []', CALL, () => promise);
  values.tip += 1;
  resolve('"old"');
  assert.equal(await answer, '"old"');
  assert.equal(find('listvaults'), undefined);
});

test('an outcome that the handler marks as momentary is not kept, and the next one of the same caller is', async () => {
  const { cache, find } = cacheOf();
  const call: CallContext = { ...CALL, wallet: undefined, signal: new AbortController().signal };
  const marked = (end: () => string) => () => {
    call.isMomentary = true;
    return end();
  };
  const scan = operation('scantxoutset');
  cache.answer(
    scan,
    'scantxoutset ["status"]',
    call,
    marked(() => 'null'),
  );
  assert.equal(find('scantxoutset', '["status"]'), undefined);
  const refused = marked(() => {
    throw new NodeError('invalid-parameter', 'Scan already in progress');
  });
  assert.throws(() => cache.answer(scan, 'scantxoutset ["start"]', call, refused), { message: 'Scan already in progress' });
  assert.equal(find('scantxoutset', '["start"]'), undefined);
  cache.answer(scan, 'scantxoutset ["start"]', call, () => '{}');
  assert.equal(find('scantxoutset', '["start"]'), '{}');
});

test('an error that the arguments or the state decide is kept, and dropped with the state', async () => {
  const { cache, values, finished, find } = cacheOf();
  const failing = [
    () => {
      throw new NodeError('not-found', 'Vault not found');
    },
    () => Promise.reject(new NodeError('not-found', 'Vault not found')),
  ];
  for (const run of failing) {
    const call = async () => cache.answer(operation('getvault'), 'getvault []', CALL, run);
    await assert.rejects(call, { message: 'Vault not found' });
    const kept = find('getvault');
    assert.ok(kept instanceof NodeError);
    assert.equal(kept.message, 'Vault not found');
    assert.deepEqual(finished.splice(0), ['jsonrpc getvault NOT_FOUND']);
    values.tip += 1;
    assert.equal(find('getvault'), undefined);
  }
});

test('an error about something that the state lacks is kept', () => {
  const { cache, find } = cacheOf();
  const run = () => {
    throw new NodeError('record-not-found', 'Vault not found');
  };
  assert.throws(() => cache.answer(operation('getvault'), 'getvault []', CALL, run), { kind: 'record-not-found' });
  assert.equal((find('getvault') as NodeError).message, 'Vault not found');
});

const passing = ['cancelled', 'deadline-exceeded', 'unexpected', 'internal', 'database', 'warmup', 'overloaded'] as const;
for (const kind of passing) {
  test(`an error is not kept that may be gone at the next call: ${kind}`, () => {
    const { cache, find } = cacheOf();
    const run = () => {
      throw new NodeError(kind, 'for now');
    };
    assert.throws(() => cache.answer(operation('getvault'), 'getvault []', CALL, run), { kind });
    assert.equal(find('getvault'), undefined);
  });
}

test('no operation without a declaration is held, and no call that names a wallet', () => {
  const { cache } = cacheOf();
  assert.equal(cache.holds(operation('getblockcount'), unnamed), true);
  assert.equal(cache.holds(operation('getblockcount'), { wallet: '' }), false);
  assert.equal(cache.holds(operation('uptime'), unnamed), false);
  assert.equal(new AnswerCache(1000, { finished() {} }).holds(operation('getblockcount'), unnamed), false, 'before the start');
});

const descriptors = [
  { keeps: true, of: 'a public key', text: 'pkh(0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)#a1b2c3d4' },
  {
    keeps: true,
    of: 'a public extended key',
    text: 'pkh(tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5C/1/*)',
  },
  { keeps: true, of: 'an address', text: 'addr(bcrt1qs2qr0j7ta5pvdkv53egm38zymgarhq0ugr7x8j)' },
  { keeps: false, of: 'a private key', text: 'pkh(cRiRQ9cHmy5evDqNDdEV8f6zfbK6epi9Fpz4CRZsmLEmkwy54dWz)' },
  { keeps: false, of: 'a private key that lacks two characters', text: 'pkh(cRiRQ9cHmy5evDqNDdEV8f6zfbK6epi9Fpz4CRZsmLEmkwy54d)' },
  {
    keeps: false,
    of: 'a private extended key beside a public one',
    text: 'multi(1,tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5C,tprv8ZgxMBicQKsPcuY2TJqQAQ8qRZk4ZLzhNMsCKxk8RMTJrzg9gR2BnHoKvGZmVZ4eUzA1oPjwY3DqM3Sqt7J3aN8ZhJqk8m7uJxJ7wN1r3Zo)',
  },
];
for (const { keeps, of, text } of descriptors) {
  test(`an answer about ${of} is ${keeps ? '' : 'not '}kept`, () => {
    const { find, keep } = cacheOf();
    keep('getdescriptorinfo', '1', text);
    assert.equal(find('getdescriptorinfo', text), keeps ? '1' : undefined);
    keep('validateaddress', '2', text);
    assert.equal(find('validateaddress', text), '2', 'others take no private keys');
  });
}

test('the least recently used answers are dropped above the limit, and an answer above an eighth of it is not kept', () => {
  const { cache, find, keep } = cacheOf(100_000);
  for (let i = 0; i < 1_000; i++) {
    keep('getblockhash', `"${'x'.repeat(100)}"`, `[${i}]`);
    find('getblockhash', '[0]');
    assert.ok(cache.bytes <= 100_000, `${cache.bytes} bytes`);
  }
  assert.ok(find('getblockhash', '[0]'));
  assert.equal(find('getblockhash', '[1]'), undefined);
  assert.ok(find('getblockhash', '[999]'));
  keep('getblockhash', `"${'x'.repeat(12_500)}"`, '[5000]');
  assert.equal(find('getblockhash', '[5000]'), undefined);
});

test('long answers are kept as bytes in one piece', () => {
  const { find, keep } = cacheOf(10_000_000);
  const text = `"${'é'.repeat(20_000)}"`;
  keep('getblock', text);
  const kept = find('getblock');
  assert.ok(Array.isArray(kept) && kept.length === 1);
  assert.equal(Buffer.concat(kept).toString(), text);
});
