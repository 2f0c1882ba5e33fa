import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indented, parseExact } from '../../../src/explorer/json.js';

test('parseExact: numbers are their text, strings are not touched', () => {
  const text = '{"a":1200000000.12345678,"b":[-0.00000001,1e-8,12],"c":"1.50 and \\"2\\" and \\\\","d":null,"e":true}';
  assert.deepEqual(parseExact(text), {
    a: '1200000000.12345678',
    b: ['-0.00000001', '1e-8', '12'],
    c: '1.50 and "2" and \\',
    d: null,
    e: true,
  });
});

test('parseExact: what is no JSON is refused', () => {
  for (const text of ['', '{', '{"a":}', 'JSONRPC server handles only POST requests']) assert.throws(() => parseExact(text), SyntaxError);
});

test('parseExact, indented: strings of many MB', () => {
  const hex = 'f0'.repeat(10_000_000);
  const text = `{"hex":"${hex}","size":1}`;
  assert.deepEqual(parseExact(text), { hex, size: '1' });
  assert.ok(indented(text).length > text.length);
});

test('indented: values keep their text', () => {
  const text = '{"a":1.50000000,"b":[],"c":{},"d":["x, {y}: \\"z\\"",2],"e":{"f":null}}';
  const expected = `{
  "a": 1.50000000,
  "b": [],
  "c": {},
  "d": [
    "x, {y}: \\"z\\"",
    2
  ],
  "e": {
    "f": null
  }
}`;
  assert.equal(indented(text), expected);
  assert.equal(indented('"text"'), '"text"');
  assert.equal(indented('null'), 'null');
});
