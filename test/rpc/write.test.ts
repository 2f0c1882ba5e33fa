import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { cacheJson, type WriteDialect } from '../../src/rpc/write.js';
import { parseJson } from '../../src/util/json.js';
import { committedCatalogue } from './catalogue.js';
import { resultText } from './result-text.js';
import { catalogueOf } from './small-image.js';

const catalogue = catalogueOf(`
service TestService {
  rpc All(Empty) returns (AllResponse) { option (dfi.rpc.v1.operation) = {name: "all"}; }
  rpc Nothing(Empty) returns (Empty) { option (dfi.rpc.v1.operation) = {name: "nothing"}; }
  rpc Number(Empty) returns (NumberResponse) { option (dfi.rpc.v1.operation) = {name: "number"}; }
  rpc Union(Empty) returns (UnionResponse) { option (dfi.rpc.v1.operation) = {name: "union"}; }
  rpc Tree(Empty) returns (TreeResponse) { option (dfi.rpc.v1.operation) = {name: "tree"}; }
}
message Empty {}
message AllResponse {
  string text = 1;
  optional string maybe_text = 2;
  bool flag = 3;
  int64 big = 4;
  uint64 bigger = 5;
  int32 small = 6;
  double real = 7;
  int64 amount = 8 [(dfi.rpc.v1.result).format = FORMAT_AMOUNT];
  string number = 9 [(dfi.rpc.v1.result).format = FORMAT_NUMBER_TEXT];
  repeated int64 amounts = 10 [(dfi.rpc.v1.result).format = FORMAT_AMOUNT];
  map<string, int64> by_name = 11 [(dfi.rpc.v1.result).format = FORMAT_AMOUNT];
  Inner inner = 12;
  repeated Inner inners = 13 [json_name = "in-ners"];
  map<string, bool> spliced = 14 [(dfi.rpc.v1.result).flatten = true];
  Inner spliced_inner = 15 [(dfi.rpc.v1.result).flatten = true];
  string beyond = 16 [(dfi.rpc.v1.result).beyond_document = true];
  google.protobuf.Value value = 17;
  Labelled labelled = 18;
  Pair pair = 19;
}
message Inner { int32 x = 1; }
message NumberResponse { option (dfi.rpc.v1.shape).inline = true; double value = 1; }
message UnionResponse {
  option (dfi.rpc.v1.shape).inline = true;
  oneof form { string hex = 1; Inner object = 2; Numbers numbers = 3; }
}
message Numbers { option (dfi.rpc.v1.shape).inline = true; repeated int32 numbers = 1; }
message Labelled { option (dfi.rpc.v1.shape).text = "{amount}@{label}"; int64 amount = 1 [(dfi.rpc.v1.result).format = FORMAT_AMOUNT]; string label = 2; }
message Pair { option (dfi.rpc.v1.shape).tuple = true; string address = 1; int64 amount = 2 [(dfi.rpc.v1.result).format = FORMAT_AMOUNT]; optional string label = 3; }
message TreeResponse { string name = 1; repeated TreeResponse children = 2; }
`);

function write(name: string, message: unknown, dialect?: WriteDialect): string {
  const operation = catalogue.byName(name);
  assert.ok(operation);
  return resultText(operation, message, dialect);
}

const zeros = {
  text: '',
  maybeText: undefined,
  flag: false,
  big: 0n,
  bigger: 0n,
  small: 0,
  real: 0,
  amount: 0n,
  number: '0',
  amounts: [],
  byName: {},
  inner: undefined,
  inners: [],
  spliced: {},
  splicedInner: undefined,
  beyond: '',
  value: undefined,
  labelled: undefined,
  pair: undefined,
};

test('write: implicit fields are printed even if zero, optional ones only if set', () => {
  assert.equal(
    write('all', zeros),
    '{"text":"","flag":false,"big":0,"bigger":0,"small":0,"real":0,"amount":0.00000000,"number":0,"amounts":[],"by_name":{},"in-ners":[],"beyond":""}',
  );
});

test('write: every kind of field, in the order of declaration', () => {
  const message = {
    ...zeros,
    text: 'a"b',
    maybeText: '',
    flag: true,
    big: -(2n ** 63n),
    bigger: 2n ** 64n - 1n,
    small: -5,
    real: 4.656542373906925e-10,
    amount: -1n,
    number: '0.10000000',
    amounts: [10n * 10n ** 8n, 1n],
    byName: { DFI: 150000000n, '': 0n },
    inner: { x: 1 },
    inners: [{ x: 2 }, { x: 3 }],
    spliced: { y: true, z: false },
    splicedInner: { x: 4 },
    value: { a: [1.5, null, 'x'], b: parseJson('{"c":1.50}') },
    labelled: { amount: 5n, label: 'BTC' },
    pair: { address: 'ab', amount: 7n, label: undefined },
  };
  assert.equal(
    write('all', message),
    '{"text":"a\\"b","maybe_text":"","flag":true,"big":-9223372036854775808,"bigger":18446744073709551615,"small":-5,' +
      '"real":4.656542373906925e-10,"amount":-0.00000001,"number":0.10000000,"amounts":[10.00000000,0.00000001],' +
      '"by_name":{"DFI":1.50000000,"":0.00000000},"inner":{"x":1},"in-ners":[{"x":2},{"x":3}],"y":true,"z":false,"x":4,"beyond":"",' +
      '"value":{"a":[1.5,null,"x"],"b":{"c":1.50}},"labelled":"0.00000005@BTC","pair":["ab",0.00000007]}',
  );
});

test('write: the operations document omits members beyond it', () => {
  assert.equal(write('all', zeros, 'document').includes('beyond'), false);
});

test('write: an empty label makes the whole text empty', () => {
  assert.match(write('all', { ...zeros, labelled: { amount: 5n, label: '' } }), /"labelled":""/);
});

const inline = [
  { name: 'nothing', message: {}, expected: 'null' },
  { name: 'number', message: { value: 0 }, expected: '0' },
  { name: 'number', message: { value: 1 / 300 }, expected: '0.003333333333333334' },
  { name: 'union', message: { form: undefined }, expected: 'null' },
  { name: 'union', message: { form: { $case: 'hex', value: '00' } }, expected: '"00"' },
  { name: 'union', message: { form: { $case: 'object', value: { x: 1 } } }, expected: '{"x":1}' },
  { name: 'union', message: { form: { $case: 'numbers', value: { numbers: [1, 2] } } }, expected: '[1,2]' },
  {
    name: 'tree',
    message: { name: 'a', children: [{ name: 'b', children: [] }] },
    expected: '{"name":"a","children":[{"name":"b","children":[]}]}',
  },
];
for (const { name, message, expected } of inline) test(`write: ${name} ${expected}`, () => assert.equal(write(name, message), expected));

test('write: the JSON of a message is cached only if that was declared', () => {
  const kept = cacheJson({ name: 'kept', children: [] });
  const fresh = { name: 'fresh', children: [] };
  const parent = { name: 'p', children: [kept, fresh] };
  const first = write('tree', parent);
  kept.name = 'changed';
  fresh.name = 'seen';
  assert.equal(write('tree', parent), first.replace('fresh', 'seen'));
});

test('write: every declared operation has a writer for its empty response', () => {
  for (const operation of committedCatalogue().operations) {
    if (operation.streams) continue;
    assert.doesNotThrow(() => JSON.parse(resultText(operation, {})), operation.name);
  }
});

const LONG = 20_000;
const many = <T>(value: (n: number) => T): T[] => Array.from({ length: LONG }, (_, n) => value(n));
const inner = (n: number) => ({ x: n });
const byName = Object.fromEntries(many((n) => [`n${n}`, BigInt(n)]));
const child = (n: number) => ({ name: `é${n}`, children: [] });
const manyChildren = { name: 'a"', children: many(child) };

const longAnswers = [
  { what: 'a list among other fields', name: 'all', message: { ...zeros, inners: many(inner), inner: { x: 1 } } },
  { what: 'a list as the last member', name: 'all', message: { text: 'x', amounts: many(BigInt) } },
  { what: 'a map', name: 'all', message: { ...zeros, byName } },
  { what: 'a map as a Map', name: 'all', message: { ...zeros, byName: new Map(Object.entries(byName)) } },
  { what: 'a flattened map', name: 'all', message: { ...zeros, spliced: Object.fromEntries(many((n) => [`n${n}`, n % 2 === 0])) } },
  { what: 'a list in a union', name: 'union', message: { form: { $case: 'numbers', value: { numbers: many(Number) } } } },
  { what: 'a list of short elements', name: 'tree', message: manyChildren },
  { what: 'a list with one long element', name: 'tree', message: { name: 'b', children: [child(1), manyChildren, child(2)] } },
  { what: 'a long string', name: 'all', message: { ...zeros, text: '\u{1f600}"é'.repeat(LONG) } },
  { what: 'surrogate pairs at every border of two pieces', name: 'all', message: { ...zeros, text: `x${'\u{1f600}'.repeat(LONG * 5)}` } },
  { what: 'a long string in free-form JSON', name: 'all', message: { ...zeros, value: { a: ['b'.repeat(100_000)] } } },
  {
    what: 'a cached message inside',
    name: 'tree',
    message: { name: 'b', children: [cacheJson({ name: 'c', children: [child(1)] }), manyChildren] },
  },
  { what: 'a cached message', name: 'tree', message: cacheJson({ name: 'b', children: [cacheJson({ ...manyChildren })] }) },
];
for (const { what, name, message } of longAnswers) {
  test(`write: ${what}, the same synchronously and in pieces`, async () => {
    const operation = catalogue.byName(name);
    assert.ok(operation);
    const signal = new AbortController().signal;
    const first = await operation.codec.write(message, { signal });
    const again = await operation.codec.write(message, { signal });
    assert.ok(typeof first !== 'string' && typeof again !== 'string');
    assert.equal(Buffer.concat(first).toString(), write(name, message));
    assert.deepEqual(again, first);
  });
}

test('write: a short answer is written synchronously as text', () => {
  const operation = catalogue.byName('tree');
  assert.ok(operation);
  const call = {
    get signal(): AbortSignal {
      throw new Error('no wait expected');
    },
  };
  assert.equal(
    operation.codec.write({ name: 'b', children: many(child).slice(0, 1000) }, call),
    write('tree', { name: 'b', children: many(child).slice(0, 1000) }),
  );
});

test('write: ends when the caller disconnects', async () => {
  const operation = catalogue.byName('tree');
  assert.ok(operation);
  const controller = new AbortController();
  let read = 0;
  const children = new Proxy(many(child), {
    get(list, key) {
      read += 1;
      if (read === LONG) controller.abort(new Error('left'));
      return Reflect.get(list, key);
    },
  });
  const big = { name: 'x'.repeat(100_000), children };
  let now = 0;
  const clock = mock.method(performance, 'now', () => {
    now += 10;
    return now;
  });
  try {
    const written = operation.codec.write({ name: 'b', children: Array.from({ length: 100 }, () => big) }, controller);
    await assert.rejects(async () => written, /left/);
    assert.ok(read < 2 * LONG, `${read} of ${100 * LONG} elements`);
  } finally {
    clock.mock.restore();
  }
});
