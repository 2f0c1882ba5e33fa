import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawJson } from '../../src/rpc/bind.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { statusOf } from '../../src/rpc/errors.js';
import { NodeError } from '../../src/util/errors.js';
import { JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { recordings } from '../shared.js';
import { committedCatalogue } from './catalogue.js';
import { recordedCalls } from './recorded-calls.js';

const catalogue = committedCatalogue();

function operation(name: string): Operation {
  const found = catalogue.byName(name);
  assert.ok(found, name);
  return found;
}

function bind(name: string, text: string): Record<string, unknown> {
  const params = parseJson(text);
  const op = operation(name);
  return (params instanceof JsonObject ? op.codec.bindNamed(params) : op.codec.bindPositional(params as readonly JsonValue[])) as Record<
    string,
    unknown
  >;
}

/** The values, or `-1 text` of the error. */
function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    assert.ok(error instanceof NodeError);
    return `${statusOf[error.kind].jsonRpc} ${error.kind === 'usage' ? 'usage' : error.message}`;
  }
}

const values: { call: string; params: string; field: string; expected: unknown }[] = [
  { call: 'getblock', params: '["ab", 2]', field: 'blockhash', expected: 'ab' },
  { call: 'getblock', params: '["ab", 2]', field: 'verbosity', expected: 2 },
  { call: 'getblock', params: '["ab", true]', field: 'verbosity', expected: 1 },
  { call: 'getblock', params: '["ab", false]', field: 'verbosity', expected: 0 },
  { call: 'getblock', params: '["ab"]', field: 'verbosity', expected: 1 },
  { call: 'getblock', params: '["ab", null]', field: 'verbosity', expected: 1 },
  { call: 'getblock', params: '[null]', field: 'blockhash', expected: '-1 JSON value is not a string as expected' },
  { call: 'getblock', params: '["ab", ""]', field: 'verbosity', expected: '-1 JSON value is not a boolean as expected' },
  { call: 'getblock', params: '["ab", 1.5]', field: 'verbosity', expected: '-1 JSON integer out of range' },
  { call: 'getblock', params: '["ab", 1e0]', field: 'verbosity', expected: '-1 JSON integer out of range' },
  { call: 'getblock', params: '["ab", 2147483647]', field: 'verbosity', expected: 2147483647 },
  { call: 'getblock', params: '["ab", 2147483648]', field: 'verbosity', expected: '-1 JSON integer out of range' },
  // `defid` and the operations document use the same two names the other way round.
  { call: 'prioritisetransaction', params: '{"txid":"ab","fee_delta":7}', field: 'dummy', expected: 7n },
  { call: 'prioritisetransaction', params: '{"txid":"ab","fee_delta":7,"dummy":0}', field: 'feeDelta', expected: 0 },
  { call: 'prioritisetransaction', params: '["ab", 0, 7]', field: 'dummy', expected: 7n },
  // The names of `defid` for these arguments.
  { call: 'getvault', params: '{"id":"ab"}', field: 'vaultid', expected: 'ab' },
  { call: 'closevault', params: '{"id":"ab","returnAddress":"cd"}', field: 'vaultid', expected: 'ab' },
  { call: 'updatevault', params: '{"id":"ab","parameters":{}}', field: 'vaultid', expected: 'ab' },
  { call: 'deposittovault', params: '{"id":"ab","from":"a","amount":"1"}', field: 'vaultid', expected: 'ab' },
  { call: 'withdrawfromvault', params: '{"id":"ab","to":"a","amount":"1"}', field: 'vaultid', expected: 'ab' },
  { call: 'placeauctionbid', params: '{"id":"ab","index":0,"from":"a","amount":"1"}', field: 'vaultid', expected: 'ab' },
  { call: 'listvaulthistory', params: '{"id":"ab","options":{"depth":7}}', field: 'depth', expected: 7n },
  { call: 'votegovbatch', params: '{"proposalId":[["a","b","yes"]],"masternodeIds":9}', field: 'sleeptime', expected: 9 },
  // An object in place of all arguments has the name of the first one.
  { call: 'listgovproposals', params: '{"type":{"type":"voc","cycle":2}}', field: 'type', expected: 'voc' },
  { call: 'listgovproposals', params: '{"type":{"type":"voc","cycle":2}}', field: 'cycle', expected: 2 },
  { call: 'listgovproposalvotes', params: '{"proposalId":{"masternode":"all"}}', field: 'masternode', expected: 'all' },
  // An object argument that is left out is null.
  { call: 'icx_claimdfchtlc', params: '{"inputs":[]}', field: 'seed', expected: '-3 Expected type object, got null' },
  { call: 'getblockhash', params: '["1"]', field: 'height', expected: '-1 JSON value is not an integer as expected' },
  { call: 'getblockhash', params: '[-2147483648]', field: 'height', expected: -2147483648 },
  { call: 'getblockheader', params: '["ab", "x"]', field: 'verbose', expected: '-1 JSON value is not a boolean as expected' },
  { call: 'getblockheader', params: '["ab"]', field: 'verbose', expected: true },
  { call: 'getchaintxstats', params: '[]', field: 'nblocks', expected: undefined },
  { call: 'getblockstats', params: '[5, true]', field: 'stats', expected: '-1 JSON value is not an array as expected' },
  { call: 'getblockstats', params: '[5, [1]]', field: 'stats', expected: '-1 JSON value is not a string as expected' },
  { call: 'getgov', params: '[1.50]', field: 'name', expected: '1.50' },
  { call: 'getgov', params: '[true]', field: 'name', expected: '1' },
  { call: 'getgov', params: '[null]', field: 'name', expected: '' },
];
for (const { call, params, field, expected } of values) {
  test(`bind: ${call} ${params}: ${field}`, () => {
    const request = bind(call, params);
    assert.deepEqual(
      outcome(() => request[field]),
      expected,
    );
  });
}

const refused = [
  { call: 'getblock', params: '[]', expected: '-1 usage' },
  { call: 'getblock', params: '["ab", 1, null]', expected: '-1 usage' },
  { call: 'getblockcount', params: '[null]', expected: '-1 usage' },
  { call: 'getblock', params: '{}', expected: '-1 usage' },
  { call: 'getblock', params: '{"blockhash": "ab", "bogus": 1}', expected: '-8 Unknown named parameter bogus' },
  { call: 'getblock', params: '{"verbosity": 1, "verbose": 2, "blockhash": "ab"}', expected: '-8 Unknown named parameter verbose' },
  // If several names are unknown, `defid` names the last, unless its hash table happens to place it behind another.
  { call: 'getblock', params: '{"x": 1, "blockhash": "ab", "y": 1}', expected: '-8 Unknown named parameter y' },
  // The names of `defid` precede those of the members of an object.
  { call: 'icx_listhtlcs', params: '{"by": {}, "bogus": 1}', expected: '-8 Unknown named parameter bogus' },
  { call: 'icx_listhtlcs', params: '{}', expected: '-1 usage' },
  // Names in another case are unknown.
  { call: 'icx_getorder', params: '{"ordertx": "ab"}', expected: '-8 Unknown named parameter ordertx' },
  { call: 'isappliedcustomtx', params: '[5, 1]', expected: '-3 Expected type string, got number' },
  { call: 'isappliedcustomtx', params: '["ab", null]', expected: '-3 Expected type number, got null' },
  { call: 'createrawtransaction', params: '[[], [], true]', expected: '-3 Expected type number, got bool' },
];
for (const { call, params, expected } of refused) {
  test(`bind: ${call} ${params} is refused`, () =>
    assert.equal(
      // Some operations check types late: reading any member of the request throws then.
      outcome(() => bind(call, params).any),
      expected,
    ));
}

test('bind: a member whose name is in another case is unknown', () => {
  assert.equal(bind('icx_listhtlcs', '[{"offerTx": "ab"}]').offertx, 'ab');
  assert.equal(bind('icx_listhtlcs', '[{"offertx": "ab"}]').offertx, undefined);
  const loans = (member: string): unknown =>
    (bind('paybackloan', `[{"vaultId": "ab", "loans": [{"${member}": "DUSD", "amounts": "1"}]}]`).loans as { dtoken: unknown }[])[0]
      ?.dtoken;
  assert.deepEqual([loans('dToken'), loans('dtoken')], ['DUSD', '']);
});

test('bind: a usage error carries the help text, which begins with the usage line', () => {
  assert.throws(
    () => bind('getblock', '[]'),
    (error: NodeError) => error.message.startsWith('getblock "blockhash" ( verbosity )\n\nReturns a block'),
  );
});

test('bind: a wrong argument that the handler does not read causes no error', () => {
  const request = bind('getblock', '["ab", {}]');
  assert.equal(request.blockhash, 'ab');
  assert.equal(
    outcome(() => request.verbosity),
    '-1 JSON value is not a boolean as expected',
  );
});

test('bind: names in any order, aliases, the last of equal names, and null for missing arguments in between', () => {
  assert.equal(bind('getblock', '{"verbosity": 0, "blockhash": "ab"}').verbosity, 0);
  assert.equal(bind('getblock', '{"blockhash": "ab", "verbose": true}').verbosity, 1);
  assert.equal(bind('getblock', '{"verbosity": 0, "blockhash": "ab", "verbosity": 2}').verbosity, 2);
  assert.equal(
    outcome(() => bind('getblock', '{"blockhash": "ab", "blockhash": null}').blockhash),
    '-1 JSON value is not a string as expected',
  );
  const gap = bind('getblock', '{"verbosity": 0}');
  assert.equal(gap.verbosity, 0);
  assert.equal(
    outcome(() => gap.blockhash),
    '-1 JSON value is not a string as expected',
  );
});

test('bind: a union uses the member of its JSON type', () => {
  const form = (params: string): unknown => (bind('getblockstats', params).hashOrHeight as { block: unknown }).block;
  assert.deepEqual(form('[5]'), { $case: 'height', value: 5 });
  assert.deepEqual(form('["ab"]'), { $case: 'hash', value: 'ab' });
  assert.equal(
    outcome(() => form('[true]')),
    '-1 JSON value is not a string as expected',
  );
});

test('bind: list elements are checked when they are read', () => {
  const request = bind('createrawtransaction', '[[{"txid": "ab", "vout": "0"}, 5], [{"x": 1.0, "x": 2}], 7]') as {
    inputs: { txid: string; vout: number }[];
    outputs: { form: { $case: string; value: { outputs: { outputs: Record<string, { form: unknown }> }[] } } };
    locktime: bigint;
  };
  assert.equal(request.locktime, 7n);
  const [first, second] = request.inputs;
  assert.ok(first && second);
  assert.equal(request.inputs[0], first);
  assert.equal(first.txid, 'ab');
  assert.equal(
    outcome(() => first.vout),
    '-1 JSON value is not an integer as expected',
  );
  assert.equal(rawJson(first, 'vout'), '0');
  assert.equal(rawJson(first, 'sequence'), undefined);
  assert.equal(
    outcome(() => second.txid),
    '-1 JSON value is not an object as expected',
  );
  assert.equal(request.outputs.form.$case, 'list');
  const [output] = request.outputs.form.value.outputs;
  assert.deepEqual(output?.outputs.x?.form, { $case: 'text', value: '1.0' });
});

test('bind: the first of two signatures that fits is used; if none fits, the error is that of the first', () => {
  const listed = (params: string): unknown[] => {
    const request = bind('listaccounts', params);
    return [request.start, request.limit, request.verbose];
  };
  assert.deepEqual(listed('[{"start": "k", "limit": 10}, false]'), ['k', 10n, false]);
  assert.deepEqual(listed('["k", false, 10, true]'), ['k', 10n, true]);
  assert.equal(
    outcome(() => listed('[true]')),
    '-1 JSON value is not an object as expected',
  );
  assert.equal(
    outcome(() => listed('[null]')),
    '-1 JSON value is not an object as expected',
  );
});

test('bind: keys of a map may be any text', () => {
  const request = bind('createrawtransaction', '[[], {"__proto__": "1", "constructor": "2"}]') as {
    outputs: { form: { value: { outputs: Record<string, { form: unknown }> } } };
  };
  assert.deepEqual(Object.keys(request.outputs.form.value.outputs), ['__proto__', 'constructor']);
});

/** Operations that read all arguments, in order, before any other check. */
const readInOrder = [
  'getblock',
  'getblockhash',
  'getblockheader',
  'getblockfilter',
  'decoderawtransaction',
  'isappliedcustomtx',
  'preciousblock',
];

test('bind: recorded calls with wrong types or counts get the recorded error', { skip: recordings('calls').length === 0 }, () => {
  let compared = 0;
  for (const { method, params, error } of recordedCalls()) {
    if (!readInOrder.includes(method) || error === undefined) continue;
    const isType = error === '-1 usage' || /^-\d Expected type |^-1 JSON /.test(error);
    const got = outcome(() => {
      const op = operation(method);
      const request = op.codec.bindPositional(params as readonly JsonValue[]) as Record<string, unknown>;
      for (const { property } of op.params) void request[property];
      return 'bound';
    });
    if (isType) assert.equal(got, error, method);
    compared += isType ? 1 : 0;
  }
  console.log(`compared ${compared} recorded type errors`);
  assert.ok(compared > 300);
});

test('bind: recorded calls that succeeded are bound', { skip: recordings('calls').length === 0 }, () => {
  for (const { method, params, error } of recordedCalls()) {
    const op = catalogue.byName(method);
    if (!op || error !== undefined) continue;
    assert.equal(
      typeof (params instanceof JsonObject ? op.codec.bindNamed(params) : op.codec.bindPositional(params as readonly JsonValue[])),
      'object',
    );
  }
});
