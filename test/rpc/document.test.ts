import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GetBlockRequest } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { applyDocumentDefaults, bindJson, type JsonBinding } from '../../src/rpc/document.js';
import { InvalidField } from '../../src/rpc/errors.js';
import { type JsonObject, parseJson } from '../../src/util/json.js';
import { committedCatalogue } from './catalogue.js';
import { catalogueOf } from './small-image.js';

const small = catalogueOf(`
service TestService {
  rpc Take(TakeRequest) returns (Empty) { option (dfi.rpc.v1.operation) = {name: "take"}; }
}
message Empty {}
message TakeRequest {
  string name = 1 [(dfi.rpc.v1.param).required = true];
  optional int64 limit = 2 [(dfi.rpc.v1.param) = {default_json: "100", jsonrpc_default: "unset"}];
  optional bool deep = 3;
  repeated string tags = 4;
  Options options = 5;
  Id id = 6;
  optional int64 fee = 7 [(dfi.rpc.v1.param).json_type = JSON_TYPE_AMOUNT];
  optional string old = 8 [(dfi.rpc.v1.param).only = DIALECT_JSON_RPC];
  map<string, Options> more = 9;
  optional double rate = 10 [json_name = "fee-rate"];
}
message Options { optional int32 depth = 1 [(dfi.rpc.v1.param).default_json = "6"]; optional string need = 2 [(dfi.rpc.v1.param).required = true]; }
message Id { option (dfi.rpc.v1.shape).inline = true; oneof id { string hash = 1; int32 height = 2; } }
`);
const take = small.byName('take');
assert.ok(take);

function bind(text: string, binding?: JsonBinding): unknown {
  return bindJson(take as NonNullable<typeof take>, parseJson(text) as JsonObject, binding);
}

const empty = {
  name: 'a',
  limit: 100n,
  deep: undefined,
  tags: [],
  options: undefined,
  id: undefined,
  fee: undefined,
  old: undefined,
  more: {},
  rate: undefined,
};

const taken: { json: string; textual?: boolean; expected: object }[] = [
  { json: '{"name":"a"}', expected: {} },
  { json: '{"name":"a","limit":null}', expected: {} },
  { json: '{"name":"a","limit":"7","deep":false,"tags":["x"]}', expected: { limit: 7n, deep: false, tags: ['x'] } },
  { json: '{"name":"a","fee":1e-8}', expected: { fee: 1n } },
  { json: '{"name":"a","fee":"1200000000"}', expected: { fee: 120_000_000_000_000_000n } },
  { json: '{"name":"a","fee-rate":0.5}', expected: { rate: 0.5 } },
  { json: '{"name":"a","rate":2}', expected: { rate: 2 } },
  { json: '{"name":"a","options":{"need":"n"}}', expected: { options: { depth: 6, need: 'n' } } },
  { json: '{"name":"a","id":5}', expected: { id: { id: { $case: 'height', value: 5 } } } },
  { json: '{"name":"a","id":"5"}', expected: { id: { id: { $case: 'hash', value: '5' } } } },
  { json: '{"name":"a","id":{"hash":"ab"}}', expected: { id: { id: { $case: 'hash', value: 'ab' } } } },
  {
    json: '{"name":"a","limit":"5","deep":"true","tags":"x","id":"5"}',
    textual: true,
    expected: { limit: 5n, deep: true, tags: ['x'], id: { id: { $case: 'height', value: 5 } } },
  },
];
for (const { json, textual = false, expected } of taken) {
  test(`bindJson: ${json}${textual ? ' of a query' : ''}`, () => assert.deepEqual(bind(json, { textual }), { ...empty, ...expected }));
}

const refused = [
  { json: '[]', field: 'request' },
  { json: '"text"', field: 'request' },
  { json: '{"name":"a","options":7}', field: 'options' },
  { json: '{}', field: 'name' },
  { json: '{"name":1}', field: 'name' },
  { json: '{"name":"a","bogus":1}', field: 'bogus' },
  { json: '{"name":"a","old":"x"}', field: 'old' },
  { json: '{"name":"a","limit":1.5}', field: 'limit' },
  { json: '{"name":"a","limit":9223372036854775808}', field: 'limit' },
  { json: '{"name":"a","deep":"false"}', field: 'deep' },
  { json: '{"name":"a","tags":"x"}', field: 'tags' },
  { json: '{"name":"a","tags":["x",2]}', field: 'tags[1]' },
  { json: '{"name":"a","options":{}}', field: 'options.need' },
  { json: '{"name":"a","options":{"need":"n","depth":2147483648}}', field: 'options.depth' },
  { json: '{"name":"a","id":true}', field: 'id' },
  { json: '{"name":"a","fee":0.000000001}', field: 'fee' },
  { json: '{"name":"a","more":{"k":{"need":5}}}', field: 'more.k.need' },
];
for (const { json, field } of refused) {
  test(`bindJson: ${json} names ${field}`, () =>
    assert.throws(
      () => bind(json),
      (error) => error instanceof InvalidField && error.field === field,
    ));
}

test('defaults of a decoded request: filled in for fields with presence, nested ones too', () => {
  const message = { ...empty, limit: undefined, options: { depth: undefined, need: 'n' } };
  applyDocumentDefaults(take, message);
  assert.deepEqual(message, { ...empty, options: { depth: 6, need: 'n' } });
  assert.throws(() => applyDocumentDefaults(take, { ...empty, more: { k: { depth: 1, need: undefined } } }), { field: 'more.k.need' });
});

test('defaults: the dialects differ where declared', () => {
  const request = take.codec.bindPositional(['a']) as { limit: unknown };
  assert.equal(request.limit, undefined);
});

test('a bound request has the shape that generated code encodes', () => {
  const getBlock = committedCatalogue().byName('getblock');
  assert.ok(getBlock);
  const request = getBlock.codec.bindPositional(['ab', true]) as GetBlockRequest;
  assert.deepEqual(GetBlockRequest.decode(GetBlockRequest.encode(request).finish()), { blockhash: 'ab', verbosity: 1 });
});
