import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDouble, JsonNumber, JsonObject, kindOf, parseJson, quoteJson, writeJson } from '../../../src/util/json.js';

const unchanged = [
  'null',
  'true',
  '[]',
  '{}',
  '0',
  '-0',
  '1e-8',
  '1E+400',
  '9223372036854775807',
  '0.10000000',
  '1200000000.00000001',
  '{"a":1,"b":[1,2.50,"x",{"c":null}],"a":2}',
  '"\\u0000\\u001f\\u007f\\b\\t\\n\\f\\r\\"\\\\/"',
];
for (const text of unchanged) test(`json: ${text} reads and writes the same`, () => assert.equal(writeJson(parseJson(text)), text));

const written = [
  { text: ' \t\r\n[ 1 , 2 ]\n', expected: '[1,2]' },
  { text: '"\\u0041\\/\\u00e9"', expected: '"A/é"' },
  { text: '"\\ud83d\\ude00x"', expected: '"😀x"' },
  { text: '"a\\"b\\\\"', expected: '"a\\"b\\\\"' },
];
for (const c of written) test(`json: ${JSON.stringify(c.text)}`, () => assert.equal(writeJson(parseJson(c.text)), c.expected));

const refused = [
  '',
  ' ',
  'nul',
  'nulll',
  'TRUE',
  '01',
  '-',
  '+1',
  '.1',
  '1.',
  '1e',
  '0x10',
  'NaN',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  "{'a':1}",
  '"',
  '"\\"',
  '"\\x41"',
  '"\\u12"',
  '"\\ud800"',
  '"\\udc00"',
  '"\\ud800\\u0041"',
  '"a\nb"',
  '"\\n\tb"',
  '1 2',
  '{} x',
  '//',
];
for (const text of refused) test(`json: ${JSON.stringify(text)} is refused`, () => assert.throws(() => parseJson(text), SyntaxError));

test('json: the first of two members with the same name is returned, in small and large objects', () => {
  const small = parseJson('{"a":"first","a":"second"}');
  assert.ok(small instanceof JsonObject);
  assert.equal(small.get('a'), 'first');
  assert.equal(small.has('b'), false);
  const many = Array.from({ length: 20 }, (_, i) => `"k${i}":"${i}"`).join(',');
  const large = parseJson(`{${many},"k3":"again"}`);
  assert.ok(large instanceof JsonObject);
  assert.equal(large.get('k3'), '3');
  assert.equal(large.entries.length, 21);
});

test('json: kinds', () => {
  const kinds = ['null', 'true', '"x"', '1', '[1]', '{"a":1}'].map((text) => kindOf(parseJson(text)));
  assert.deepEqual(kinds, ['null', 'bool', 'string', 'number', 'array', 'object']);
});

test('json: nesting is limited to 512', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal(writeJson(parseJson(nested(512))), nested(512));
  assert.throws(() => parseJson(nested(513)), SyntaxError);
  assert.throws(() => parseJson('['.repeat(1_000_000)), SyntaxError);
});

test('json: agrees with JSON.parse on any value', () => {
  const plain = (value: ReturnType<typeof parseJson>): unknown => {
    if (value instanceof JsonNumber) return Number(value.text);
    if (value instanceof JsonObject) return Object.fromEntries(value.entries.map(([k, v]) => [k, plain(v)]));
    return Array.isArray(value) ? value.map(plain) : value;
  };
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(JSON.stringify(plain(parseJson(text))), JSON.stringify(JSON.parse(text)));
    }),
    { seed: 7, numRuns: 300 },
  );
});

test('json: arbitrary text parses or throws a SyntaxError', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0d8-1.eE truefalsn\n') }), (text) => {
      try {
        parseJson(text);
      } catch (error) {
        assert.ok(error instanceof SyntaxError);
        return;
      }
      JSON.parse(text);
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test('json: quoteJson escapes DEL and controls only', () => assert.equal(quoteJson('a\u007f\u0001/é'), '"a\\u007f\\u0001/é"'));

const doubles: [number, string][] = [
  [4.656542373906925e-10, '4.656542373906925e-10'],
  [1e-5, '1e-05'],
  [0.0001, '0.0001'],
  [1 / 300, '0.003333333333333334'],
  [1, '1'],
  [0, '0'],
  [-0, '-0'],
  [1e15, '1000000000000000'],
  [1e16, '1e+16'],
  [1.5e300, '1.5e+300'],
  [-2.5, '-2.5'],
  [0.1, '0.1'],
  [0.1 + 0.2, '0.3'],
  [123456789.12345679, '123456789.1234568'],
  [1000000000000000.5, '1000000000000000'],
  [1000000000000001.5, '1000000000000002'],
  [1e16 - 2 + 1.5, '1e+16'],
  [5e-324, '4.940656458412465e-324'],
];
for (const [value, expected] of doubles) test(`formatDouble: ${expected}`, () => assert.equal(formatDouble(value), expected));
