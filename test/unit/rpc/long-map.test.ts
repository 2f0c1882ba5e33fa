import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldMask } from '../../../src/rpc/field-mask.js';
import { LongMap, mapEntries } from '../../../src/rpc/long-map.js';
import { findList } from '../../../src/rpc/page-list.js';
import { committedCatalogue } from '../../rpc/catalogue.js';
import { jsonRpcCall } from '../../rpc/json-rpc-call.js';
import { resultText } from '../../rpc/result-text.js';

const SHORT = 500;
const LONG = SHORT + 1;

function filled(size: number): LongMap<{ readonly poolid: string; readonly owner: string }> {
  const map = new LongMap<{ readonly poolid: string; readonly owner: string }>();
  // Neither in the order of the names nor in that of their ends.
  for (let n = 0; n < size; n++) map.set(`2@owner${(n * 7) % size}`, { poolid: '2', owner: String(n) });
  return map;
}

const operation = committedCatalogue().byName('listpoolshares');
assert.ok(operation);

test('a long map has the order of insertion, and one entry for each name', () => {
  const map = new LongMap<number>();
  const object: Record<string, number> = {};
  for (const [i, name] of ['b', 'a', 'xa', 'b', '', 'a'].entries()) {
    map.set(name, i);
    object[name] = i;
  }
  assert.deepEqual(map.entries, Object.entries(object));
  assert.equal(map.get('xa'), 2);
  assert.equal(map.get('x'), undefined);
});

test('a short map is an object in a message, a long one is not', () => {
  assert.deepEqual(filled(SHORT).inMessage(), Object.fromEntries(filled(SHORT).entries));
  assert.ok(!(filled(SHORT).inMessage() instanceof LongMap));
  const long = filled(LONG);
  assert.equal(long.inMessage() as unknown, long);
});

test('entries of a map are the same in all its forms', () => {
  const { entries } = filled(LONG);
  for (const form of [filled(LONG), new Map(entries), Object.fromEntries(entries)]) assert.deepEqual(mapEntries(form), entries);
});

test('an answer with a long map has the text of one with an object', () => {
  const long = filled(LONG);
  assert.equal(resultText(operation, { shares: long.inMessage() }), resultText(operation, { shares: Object.fromEntries(long.entries) }));
});

test('a page and a mask have the entries of a long map', async () => {
  const long = filled(LONG);
  const list = findList({ shares: long.inMessage() }, ['shares']);
  assert.deepEqual(
    list?.entries.map(({ name, value }) => [name, value]),
    long.entries,
  );
  const masked = (await new FieldMask(operation, 'poolid').apply({ shares: long.inMessage() }, false, jsonRpcCall)) as {
    readonly shares: unknown;
  };
  assert.ok(masked.shares instanceof LongMap);
  assert.deepEqual(
    masked.shares.entries.map(([name, value]) => [name, (value as { readonly poolid: string }).poolid]),
    long.entries.map(([name]) => [name, '2']),
  );
});
