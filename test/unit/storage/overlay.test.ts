import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Codec, decode, encode, u32, u32be } from '../../../src/primitives/codec.js';
import { StoreDamaged } from '../../../src/storage/errors.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { undoLog } from '../../../src/storage/undo.js';
import type { Column } from '../../../src/storage/view.js';
import { bytes, readable } from './helpers.js';

/** Column that counts how often its values are encoded and decoded. */
function counted(): { readonly column: Column<number, number>; readonly calls: { writes: number; reads: number } } {
  const calls = { writes: 0, reads: 0 };
  const value: Codec<number> = {
    write(w, v) {
      calls.writes += 1;
      u32.write(w, v);
    },
    read(r) {
      calls.reads += 1;
      return u32.read(r);
    },
  };
  return { column: { name: 'test/counted', key: u32be, value }, calls };
}

test('a value that is put and read again is encoded once, at the write, and never decoded', () => {
  const { column, calls } = counted();
  const store = new MemoryStore();
  const block = new Overlay(store);
  const transaction = new Overlay(block);
  transaction.put(column, 1, 10);
  assert.equal(transaction.get(column, 1), 10);
  transaction.commit();
  assert.equal(block.get(column, 1), 10);
  assert.deepEqual([...block.entries(column)], [[1, 10]]);
  assert.deepEqual(calls, { writes: 0, reads: 0 });
  block.undo();
  store.write(block.changes());
  assert.deepEqual(calls, { writes: 1, reads: 0 });
});

test('values of a batch read are decoded once, and their bytes are reused in the undo log', () => {
  const { column, calls } = counted();
  const store = new MemoryStore();
  store.write([{ column: column.name, key: encode(u32be, 7), value: encode(u32, 70) }]);
  const overlay = new Overlay(store);
  assert.deepEqual(overlay.getMany(column, [7, 8]), [70, undefined]);
  assert.equal(overlay.get(column, 7), 70);
  overlay.delete(column, 7);
  assert.deepEqual(readable(overlay.undo()), ['test/counted 00000007=46000000']);
  assert.deepEqual(calls, { writes: 0, reads: 1 });
});

test('rows that are known to be absent, or whose value is known, are not read for the undo record', () => {
  const { column, calls } = counted();
  const store = new MemoryStore();
  store.write([{ column: column.name, key: encode(u32be, 7), value: encode(u32, 70) }]);
  store.cells = () => assert.fail('read');
  const overlay = new Overlay(store);
  overlay.putNew(column, 6, 60);
  overlay.deleteKnown(column, 7, 70);
  assert.deepEqual(readable(overlay.undo()), ['test/counted 00000006=undefined', 'test/counted 00000007=46000000']);
  assert.equal(overlay.get(column, 7), undefined);
  assert.deepEqual(calls, { writes: 1, reads: 0 });
  store.write(overlay.changes());
  assert.deepEqual([...store.entries(column)], [[6, 60]]);
});

test('a key that is put and deleted within an overlay is no change', () => {
  const { column } = counted();
  const store = new MemoryStore();
  const overlay = new Overlay(store);
  overlay.put(column, 1, 10);
  overlay.delete(column, 1);
  assert.deepEqual(overlay.undo(), []);
  assert.deepEqual(overlay.changes(), []);
});

test('a coin that a batch of blocks creates and spends is not written', () => {
  const { column } = counted();
  const batch = new Overlay(new MemoryStore());
  const first = new Overlay(batch);
  first.put(column, 1, 10);
  assert.equal(first.undo().length, 1);
  first.commit();
  const second = new Overlay(batch);
  second.delete(column, 1);
  assert.deepEqual(readable(second.undo()), ['test/counted 00000001=0a000000']);
  second.commit();
  assert.deepEqual(batch.changes(), []);
});

test('a scan tolerates changes while it runs', () => {
  const { column } = counted();
  const store = new MemoryStore();
  store.write([2, 4, 6].map((key) => ({ column: column.name, key: encode(u32be, key), value: encode(u32, key) })));
  const overlay = new Overlay(store);
  overlay.put(column, 3, 3);
  const seen: number[] = [];
  for (const [key] of overlay.entries(column)) {
    seen.push(key);
    overlay.delete(column, key);
    if (key === 2) overlay.delete(column, 4);
    if (key === 3) overlay.put(column, 1, 1);
  }
  assert.deepEqual(seen, [2, 3, 6]);
  assert.deepEqual([...overlay.entries(column)], [[1, 1]]);
});

test('a commit needs an overlay as parent, and an overlay needs a view of the storage', () => {
  assert.throws(() => new Overlay(new MemoryStore()).commit(), TypeError);
  const foreign = { get: () => undefined, getMany: () => [], has: () => false, entries: () => [], rows: () => [] };
  assert.throws(() => new Overlay(foreign), TypeError);
});

test('a record that cannot be decoded by its column means a damaged store', () => {
  const { column } = counted();
  const store = new MemoryStore();
  store.write([{ column: column.name, key: bytes('00000001'), value: bytes('0102') }]);
  assert.throws(() => store.get(column, 1), StoreDamaged);
  assert.throws(() => [...new Overlay(store).entries(column)], StoreDamaged);
});

test('undo log: layout', () => {
  const log = [
    { column: 'a', key: bytes('01'), value: bytes('ff') },
    { column: 'b', key: bytes('02'), value: undefined },
    { column: 'a', key: bytes(''), value: bytes('') },
  ];
  // 2 columns; "a": 2 rows (key 01 -> ff, empty key -> empty value); "b": 1 row (02 -> absent)
  assert.equal(Buffer.from(encode(undoLog, log)).toString('hex'), '02' + '016102' + '01010101ff' + '000100' + '016201' + '010200');
  assert.deepEqual(
    decode(undoLog, encode(undoLog, log)).map(({ column }) => column),
    ['a', 'a', 'b'],
  );
});

test('rows are prefetched with one batch unless the store has them in memory', () => {
  const { column } = counted();
  const batches: (readonly string[])[] = [];
  class SlowStore extends MemoryStore {
    inMemory = false;
    override isInMemory(): boolean {
      return this.inMemory;
    }
    override cells(name: string, keys: readonly string[]) {
      batches.push(keys);
      return super.cells(name, keys);
    }
    override cell(): undefined {
      throw new Error('a single read');
    }
  }
  const store = new SlowStore();
  store.write([{ column: column.name, key: encode(u32be, 7), value: encode(u32, 70) }]);
  const overlay = new Overlay(store);
  overlay.prefetch(column, []);
  overlay.prefetch(column, [7, 8]);
  assert.deepEqual([overlay.get(column, 7), overlay.get(column, 8)], [70, undefined]);
  assert.equal(batches.length, 1);
  store.inMemory = true;
  overlay.prefetch(column, [9]);
  assert.equal(batches.length, 1);
});

test('a frozen view of an overlay does not change with it', () => {
  const { column } = counted();
  const changes: Record<string, (overlay: Overlay) => void> = {
    put: (overlay) => overlay.put(column, 1, 11),
    'put a new row': (overlay) => overlay.putNew(column, 4, 40),
    delete: (overlay) => overlay.delete(column, 2),
    'delete a known row': (overlay) => overlay.deleteKnown(column, 3, 30),
    commit: (overlay) => {
      const above = new Overlay(overlay);
      above.put(column, 1, 11);
      above.commit();
    },
    discard: (overlay) => overlay.discard(),
  };
  for (const [name, change] of Object.entries(changes)) {
    const store = new MemoryStore();
    store.write([{ column: column.name, key: encode(u32be, 3), value: encode(u32, 30) }]);
    const overlay = new Overlay(store);
    overlay.put(column, 1, 10);
    overlay.put(column, 2, 20);
    const frozen = overlay.frozenOn(store.snapshot());
    const { version } = overlay;
    const expected = [
      [1, 10],
      [2, 20],
      [3, 30],
    ];
    assert.deepEqual([...frozen.entries(column)], expected);
    change(overlay);
    assert.notEqual(overlay.version, version, name);
    assert.notDeepEqual([...overlay.entries(column)], expected, name);
    assert.deepEqual([...frozen.entries(column)], expected, name);
    frozen.close();
  }
});

test('changed keys: those of one column, deleted ones too, but none that were only read', () => {
  const { column } = counted();
  const other = { ...column, name: 'test/other' };
  const store = new MemoryStore();
  store.write([3, 4, 5].map((key) => ({ column: column.name, key: encode(u32be, key), value: encode(u32, key) })));
  const block = new Overlay(store);
  assert.deepEqual(block.changedKeys(column), []);
  assert.equal(block.get(column, 4), 4);
  assert.deepEqual(block.changedKeys(column), []);
  block.put(column, 9, 9);
  block.delete(column, 5);
  block.put(column, 3, 7);
  block.put(other, 1, 1);
  assert.deepEqual([block.changedKeys(column).sort(), block.changedKeys(other)], [[3, 5, 9], [1]]);
  const transaction = new Overlay(block);
  assert.deepEqual(transaction.changedKeys(column), []);
  transaction.put(column, 4, 8);
  assert.deepEqual([transaction.changedKeys(column), block.changedKeys(column).sort()], [[4], [3, 5, 9]]);
  transaction.commit();
  assert.deepEqual(block.changedKeys(column).sort(), [3, 4, 5, 9]);
});
