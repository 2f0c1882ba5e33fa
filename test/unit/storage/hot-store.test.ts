import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CellView } from '../../../src/storage/cells.js';
import { StoreClosed } from '../../../src/storage/errors.js';
import { HotStore } from '../../../src/storage/hot-store.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { Projection } from '../../../src/storage/projection.js';
import type { RawChange, RowChange, StateView } from '../../../src/storage/view.js';
import { bytes, columns, dump, hex, openRocks } from './helpers.js';

const [column, other] = columns as [(typeof columns)[number], (typeof columns)[number]];
const put = (key: string, value: string): RawChange => ({ column: column.name, key: bytes(key), value: bytes(value) });
const hotStore = (below: MemoryStore, maxBytes = 2 ** 20) => new HotStore(below, { columns, maxBytes });

/** Store that counts its reads and whose writes can be made to fail. */
class ObservedStore extends MemoryStore {
  reads = 0;
  fails = false;
  revived = 0;

  override cell(...args: Parameters<MemoryStore['cell']>) {
    this.reads += 1;
    return super.cell(...args);
  }

  override scan(...args: Parameters<MemoryStore['scan']>) {
    this.reads += 1;
    return super.scan(...args);
  }

  override writeRows(rows: readonly RowChange[]): void {
    if (this.fails) throw new Error('disk full');
    super.writeRows(rows);
  }

  requireRoom(bytes: number): void {
    if (this.fails) throw new Error(`no room for ${bytes}`);
  }

  async revive(): Promise<void> {
    this.revived += 1;
  }
}

test('a small column is read from the store below once, absent keys included', () => {
  const below = new ObservedStore();
  below.write([put('01', 'aa'), put('02', 'bb')]);
  const hot = hotStore(below);
  for (let i = 0; i < 3; i++) {
    assert.equal(hex(hot.get(column, bytes('01'))), 'aa');
    assert.equal(hot.get(column, bytes('03')), undefined);
    assert.equal([...hot.entries(column)].length, 2);
  }
  assert.equal(below.reads, 1);
  assert.deepEqual([hot.hits, hot.misses], [6, 0]);
});

test('a large column: single rows are kept, absent ones included, and follow the writes', () => {
  const below = new ObservedStore();
  below.write(Array.from({ length: 9_000 }, (_, i) => put(i.toString(16).padStart(4, '0'), 'aa')));
  const hot = hotStore(below);
  for (let i = 0; i < 3; i++) {
    assert.equal(hex(hot.get(column, bytes('0001'))), 'aa');
    assert.equal(hot.get(column, bytes('ffff')), undefined);
  }
  assert.equal(below.reads, 3);
  assert.deepEqual([hot.hits, hot.misses], [4, 2]);
  hot.write([put('0001', 'bb'), put('ffff', 'cc')]);
  assert.equal(hex(hot.get(column, bytes('0001'))), 'bb');
  assert.equal(hex(hot.get(column, bytes('ffff'))), 'cc');
  assert.equal(below.reads, 3);
});

test('a column of medium size is loaded after some reads, and its rows stay right through loading and growth', () => {
  const below = new ObservedStore();
  const key = (n: number) => n.toString(16).padStart(4, '0');
  below.write(Array.from({ length: 500 }, (_, i) => put(key(i), 'aa')));
  const hot = hotStore(below, 2 ** 26);
  const values = (...ids: number[]) => ids.map((n) => hex(hot.get(column, bytes(key(n)))));
  assert.deepEqual(values(1, 2), ['aa', 'aa']);
  hot.write([put(key(1), 'bb')]);
  assert.deepEqual(values(1, 2), ['bb', 'aa']);
  for (let i = 0; i < 300; i++) values(i);
  const { reads } = below;
  assert.deepEqual(values(1, 2, 499), ['bb', 'aa', 'aa']);
  assert.equal(below.reads, reads, 'the column is in memory');
  hot.write([put(key(1), 'cc'), put(key(2), 'dd')]);
  assert.deepEqual(values(1, 2), ['cc', 'dd']);
  hot.write(Array.from({ length: 9_000 }, (_, i) => put(key(i + 1_000), 'ee')));
  assert.deepEqual(values(1, 2, 1_001), ['cc', 'dd', 'ee']);
  assert.ok(below.reads > reads, 'it is too large for memory');
});

test('a column that is too large is not read in part, if the store below can tell', () => {
  const below = new ObservedStore();
  below.write(Array.from({ length: 9_000 }, (_, i) => put(i.toString(16).padStart(4, '0'), 'aa')));
  const limits: number[] = [];
  const hot = hotStore(
    Object.assign(below, {
      hasMoreThan(_column: string, rows: number) {
        limits.push(rows);
        return rows < 9_000;
      },
    }),
  );
  for (let i = 0; i < 2_000; i++) hot.get(column, bytes(i.toString(16).padStart(4, '0')));
  assert.deepEqual(limits, [128, 1_024, 8_192]);
  assert.equal(below.reads, 2_000);
});

test('hints concern rows that are in no layer above', () => {
  const hinted: string[][] = [];
  const below = Object.assign(new ObservedStore(), {
    hint(_column: string, keys: readonly string[]) {
      hinted.push([...keys]);
    },
  });
  const hot = new HotStore(below, { columns: [], largeColumns: [column], maxBytes: 2 ** 20 });
  const overlay = new Overlay(hot);
  hot.get(column, bytes('01'));
  overlay.put(column, bytes('02'), bytes('aa'));
  overlay.hintRows(column, [bytes('01'), bytes('02'), bytes('03')]);
  assert.deepEqual(hinted, [['\x03']]);
  const small = hotStore(below);
  small.get(other, bytes('01'));
  new Overlay(small).hintRows(other, [bytes('03')]);
  assert.equal(hinted.length, 1, 'a column in memory');
});

test('a column declared as large is never loaded, however few rows it has', () => {
  const below = new ObservedStore();
  below.write([put('01', 'aa')]);
  const hot = new HotStore(below, { columns: [other], largeColumns: [column], maxBytes: 2 ** 20 });
  for (let i = 0; i < 3; i++) {
    assert.equal(hex(hot.get(column, bytes('01'))), 'aa');
    assert.equal(hot.get(column, bytes('02')), undefined);
  }
  assert.equal(below.reads, 2);
  hot.write([{ ...put('01', ''), value: undefined }, put('02', 'bb')]);
  assert.equal(hot.get(column, bytes('01')), undefined);
  assert.equal(hex(hot.get(column, bytes('02'))), 'bb');
  assert.equal(below.reads, 2);
});

test('a column that grows too large is dropped, and stays readable', () => {
  const hot = hotStore(new MemoryStore(), 20_000);
  for (let i = 0; i < 200; i++) {
    hot.write([put(i.toString(16).padStart(2, '0'), 'aa')]);
    assert.equal([...hot.entries(column)].length, i + 1);
    assert.ok(hot.bytes <= 20_000, `${hot.bytes} bytes`);
  }
});

test('memory is bounded for keys that come and go', () => {
  const hot = hotStore(new MemoryStore(), 20_000);
  for (let i = 0; i < 2_000; i++) {
    const key = i.toString(16).padStart(4, '0');
    hot.write([put(key, 'aa')]);
    assert.ok(hot.get(column, bytes(key)));
    hot.write([{ ...put(key, ''), value: undefined }]);
    assert.equal(hot.get(column, bytes(key)), undefined);
  }
  assert.equal(hot.bytes, 0);
});

test('after a failed write the rows are read again from the store below', async () => {
  const below = new ObservedStore();
  below.write([put('01', 'aa')]);
  const hot = hotStore(below);
  assert.equal(hex(hot.get(column, bytes('01'))), 'aa');
  below.fails = true;
  assert.throws(() => hot.write([put('01', 'bb')]), /disk full/);
  assert.equal(hex(hot.get(column, bytes('01'))), 'aa');
  assert.throws(() => hot.requireRoom(7), /no room for 7/);
  await hot.revive();
  assert.equal(below.revived, 1);
  below.fails = false;
  hot.write([put('01', 'cc')]);
  assert.equal(hex(hot.get(column, bytes('01'))), 'cc');
});

test('a closed store is not read, neither from memory', async (t) => {
  const rocks = await openRocks(t);
  const hot = new HotStore(rocks, { columns, maxBytes: 2 ** 20 });
  hot.write([put('01', 'aa')]);
  assert.ok(hot.get(column, bytes('01')));
  const snapshot = hot.snapshot();
  await hot.close();
  assert.throws(() => hot.get(column, bytes('01')), StoreClosed);
  assert.throws(() => snapshot.get(column, bytes('01')), StoreClosed);
});

test('a scan of a snapshot continues unchanged when its column is written or grows too large', () => {
  const below = new MemoryStore();
  const hot = hotStore(below, 20_000);
  hot.write(Array.from({ length: 20 }, (_, i) => put(i.toString(16).padStart(2, '0'), 'aa')));
  const expected = dump(hot);
  for (const reverse of [false, true]) {
    for (let at = 0; at < 20; at += 3) {
      const snapshot = hot.snapshot();
      const seen: string[] = [];
      for (const [key, value] of snapshot.entries(column, { reverse })) {
        if (seen.length === at) hot.write(Array.from({ length: 80 }, (_, i) => put(i.toString(16).padStart(2, '0'), 'bb')));
        seen.push(`${column.name} ${hex(key)}=${hex(value)}`);
      }
      assert.deepEqual(reverse ? seen.reverse() : seen, expected);
      snapshot.close();
      hot.write(
        Array.from({ length: 80 }, (_, i) => ({ ...put(i.toString(16).padStart(2, '0'), 'aa'), ...(i >= 20 && { value: undefined }) })),
      );
      assert.deepEqual(dump(hot), expected);
    }
  }
});

/** Stamp of a column with the contents that it stands for. */
function noted(view: StateView): [string, string] {
  assert.ok(view instanceof CellView);
  return [String(view.stamp(column.name)), [...view.entries(column)].map(([key, value]) => `${hex(key)}=${hex(value)}`).join()];
}

/** Derives a list from one to three columns, each read in another way; the last one only if the first is not empty. */
function derivedOf(size: number): (view: StateView) => readonly string[] {
  return (view) => {
    const first = [...view.entries(column)].map(([key, value]) => `${hex(key)}=${hex(value)}`);
    const second = size > 1 ? [String(view.has(other, bytes('01')))] : [];
    const third =
      size > 2 && first.length > 0 ? view.getMany(columns[2] as typeof column, [bytes('02')]).map((found) => `${hex(found)}`) : [];
    return [...first, ...second, ...third];
  };
}

test('property: equal stamps mean equal contents, and projections are what would be derived, through writes, overlays, commits, discards and snapshots', () => {
  const step = fc.record({
    do: fc.constantFrom('put', 'delete', 'other', 'open', 'commit', 'discard', 'snapshot', 'read'),
    key: fc.constantFrom('01', '02', '03'),
    value: fc.constantFrom('aa', 'bb'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, above) => {
      const contents = new Map<string, string>();
      const store = above ? hotStore(new MemoryStore()) : new MemoryStore();
      let views = [new Overlay(store)];
      const snapshots: StateView[] = [];
      const projection = new Projection<readonly string[]>(2);
      const check = (view: StateView) => {
        const [stamp, content] = noted(view);
        assert.equal(contents.get(stamp) ?? content, content);
        contents.set(stamp, content);
        for (const size of [1, 2, 3]) assert.deepEqual(projection.of(view, `${size}`, derivedOf(size)), derivedOf(size)(view));
      };
      for (const { do: action, key, value } of steps) {
        const top = views.at(-1) as Overlay;
        if (action === 'put') top.put(column, bytes(key), bytes(value));
        else if (action === 'delete') top.delete(column, bytes(key));
        else if (action === 'other') {
          const before = top.stamp(column.name);
          top.put(other, bytes(key), bytes(value));
          top.put(columns[2] as typeof column, bytes(key), bytes(value));
          assert.equal(top.stamp(column.name), before);
        } else if (action === 'open') views.push(new Overlay(top));
        else if (action === 'discard') top.discard();
        else if (action === 'read') {
          const before = top.stamp(column.name);
          top.getMany(column, [bytes(key)]);
          assert.equal(top.stamp(column.name), before);
        } else if (action === 'snapshot') snapshots.push(store.snapshot());
        else if (views.length > 1) {
          top.commit();
          views.pop();
        } else {
          store.write(top.changes());
          views = [new Overlay(store)];
        }
        for (const view of [store, ...views, ...snapshots]) check(view);
      }
    }),
    { numRuns: 300, seed: 5 },
  );
});

test('a projection of a row that its caller has read is derived again after that row has changed', () => {
  const store = hotStore(new MemoryStore());
  const projection = new Projection<string>(1);
  const shown = (): string => {
    const row = store.get(column, bytes('aa')) ?? bytes('');
    return projection.of(store, 'aa', (view) => `${hex(row)} ${view.get(other, bytes('aa')) !== undefined}`, [column]);
  };
  const seen = [shown()];
  for (const change of [put('aa', '01'), put('bb', '02'), put('aa', '03')]) {
    store.write([change]);
    seen.push(shown());
  }
  assert.deepEqual(seen, [' false', '01 false', '01 false', '03 false']);
});
