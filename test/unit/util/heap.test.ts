import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heap, type HeapItem } from '../../../src/util/heap.js';
import { fc } from '../../property.js';

interface Item extends HeapItem {
  rank: number;
}

const item = (rank: number): Item => ({ rank, heapIndex: -1 });
const heapOf = (items: readonly Item[]): Heap<Item> => {
  const heap = new Heap<Item>((a, b) => a.rank < b.rank);
  for (const each of items) heap.push(each);
  return heap;
};

test('heap: pops in order of rank', () => {
  const heap = heapOf([5, 1, 4, 2, 3].map(item));
  const ranks: number[] = [];
  for (let top = heap.peek(); top; top = heap.peek()) {
    ranks.push(top.rank);
    heap.delete(top);
  }
  assert.deepEqual(ranks, [1, 2, 3, 4, 5]);
});

test('property: after any changes the top of the heap is the lowest item', () => {
  const change = fc.record({ kind: fc.constantFrom('push', 'rank', 'delete'), pick: fc.nat(100), rank: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const items: Item[] = [];
      const heap = heapOf([]);
      for (const { kind, pick, rank } of changes) {
        const chosen = items[pick % Math.max(items.length, 1)];
        if (kind === 'push' || !chosen) {
          items.push(item(rank));
          heap.push(items.at(-1) as Item);
        } else if (kind === 'rank') {
          chosen.rank = rank;
          heap.update(chosen);
        } else {
          heap.delete(chosen);
          items.splice(items.indexOf(chosen), 1);
        }
        assert.equal(heap.size, items.length);
        assert.equal(heap.peek()?.rank, items.length === 0 ? undefined : Math.min(...items.map((each) => each.rank)));
      }
    }),
  );
});
