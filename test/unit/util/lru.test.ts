import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Lru } from '../../../src/util/lru.js';

test('Lru: evicts the least recently used entry above its limit', () => {
  const lru = new Lru<string, number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  assert.deepEqual([...lru.values()], [1, 2]);
  assert.equal(lru.get('a'), 1);
  lru.set('c', 3);
  assert.equal(lru.has('b'), false);
  assert.deepEqual([...lru.values()], [1, 3]);
});

test('Lru: has does not count as use', () => {
  const lru = new Lru<string, number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  assert.equal(lru.has('a'), true);
  lru.set('c', 3);
  assert.equal(lru.has('a'), false);
});

type Step = readonly ['get' | 'set' | 'delete' | 'clear', number];

/** Entries of a `Map` in order of use after the steps. */
function model(steps: readonly Step[], bound: number): [number, number][] {
  const entries = new Map<number, number>();
  steps.forEach(([kind, key], at) => {
    const before = entries.get(key);
    if (kind === 'clear') entries.clear();
    if (kind === 'delete' || kind === 'set' || before !== undefined) entries.delete(key);
    if (kind === 'set') entries.set(key, at);
    else if (kind === 'get' && before !== undefined) entries.set(key, before);
    if (entries.size > bound) entries.delete([...entries.keys()][0] as number);
  });
  return [...entries];
}

test('property: Lru has the entries of a map in order of use', () => {
  const step = fc.tuple(fc.constantFrom<Step[0][]>('get', 'get', 'set', 'set', 'set', 'delete', 'clear'), fc.nat(6));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, bound) => {
      const lru = new Lru<number, number>(bound);
      steps.forEach(([kind, key], at) => {
        if (kind === 'set') lru.set(key, at);
        else if (kind === 'clear') lru.clear();
        else lru[kind](key);
      });
      const expected = model(steps, bound);
      assert.deepEqual(
        [...lru.values()],
        expected.map(([, value]) => value),
      );
      assert.equal(lru.size, expected.length);
      for (const [key, value] of expected) assert.equal(lru.get(key), value);
    }),
  );
});
