import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonObject, type JsonValue, parseJson, quoteJson, writeJson } from '../../../src/util/json.js';
import { nameAt, valueAt } from '../../../src/util/json-places.js';
import { fc } from '../../property.js';

const blank = fc.constantFrom('', '', ' ', '\n', '\t \r\n');
const string = fc.constantFrom('', 'a', '"', '\\', '\\"', ']}', '[{', 'é😀', ',:', 'a b').map(quoteJson);

/** Values as text with white space. */
const { value: values } = fc.letrec<{ value: string; item: string; member: string }>((tie) => ({
  item: fc.tuple(blank, tie('value'), blank).map((parts) => parts.join('')),
  member: fc.tuple(blank, string, blank, tie('item')).map(([before, name, after, value]) => `${before}${name}${after}:${value}`),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(string, fc.constantFrom('null', 'true', 'false', '0', '-1.5e3', '12', '[ ]', '{\n}')),
    fc.array(tie('item'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc.array(tie('member'), { maxLength: 4 }).map((members) => `{${members.join()}}`),
  ),
}));

function check(text: string, value: JsonValue, path: readonly number[]): number {
  const { start, end } = valueAt(text, path);
  assert.equal(writeJson(parseJson(text.slice(start, end))), writeJson(value), `${text} ${path}`);
  let count = 1;
  const inner = value instanceof JsonObject ? value.entries.map(([, member]) => member) : Array.isArray(value) ? value : [];
  for (const [i, item] of inner.entries()) count += check(text, item, [...path, i]);
  if (value instanceof JsonObject) {
    for (const [i, [name]] of value.entries.entries()) {
      const place = nameAt(text, [...path, i]);
      assert.equal(parseJson(text.slice(place.start, place.end)), name, text);
    }
  }
  return count;
}

test('the place of each value and name in random JSON', () => {
  let checked = 0;
  fc.assert(
    fc.property(fc.tuple(blank, values, blank), (parts) => {
      const text = parts.join('');
      checked += check(text, parseJson(text), []);
    }),
    { numRuns: 1000 },
  );
  assert.ok(checked > 2000, String(checked));
});
