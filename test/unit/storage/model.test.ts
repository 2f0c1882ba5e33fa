import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decode, encode } from '../../../src/primitives/codec.js';
import { HotStore } from '../../../src/storage/hot-store.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { RocksStore } from '../../../src/storage/rocks.js';
import { undoLog } from '../../../src/storage/undo.js';
import type { Range, StateView, Store } from '../../../src/storage/view.js';
import { columns, dump, hex, openRocks } from './helpers.js';

type Step =
  | { readonly do: 'put'; readonly column: number; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly do: 'delete'; readonly column: number; readonly key: Uint8Array }
  | { readonly do: 'get'; readonly column: number; readonly keys: readonly Uint8Array[] }
  | { readonly do: 'scan'; readonly column: number; readonly range: Range<Uint8Array>; readonly limit: number }
  | { readonly do: 'open' | 'commit' | 'discard' | 'undo' };

/** Few byte values, so that keys often coincide, at the limits of signed, ASCII and prefix arithmetic. */
const keys = fc.array(fc.constantFrom(0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff), { maxLength: 3 }).map((list) => Uint8Array.from(list));
const values = fc.uint8Array({ maxLength: 3 });
const column = fc.nat(columns.length - 1);
const range = fc.record({ from: keys, prefix: keys, reverse: fc.boolean() }, { requiredKeys: [] });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), column, key: keys, value: values }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), column, key: keys }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), column, keys: fc.array(keys, { maxLength: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('scan' as const), column, range, limit: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('open' as const, 'commit' as const, 'discard' as const, 'undo' as const) }) },
  ),
  { maxLength: 60 },
);

/** Reference model: a map per column with keys in hex, whose order is that of the bytes. */
class Model {
  constructor(readonly rows: readonly Map<string, string>[] = columns.map(() => new Map<string, string>())) {}

  copy(): Model {
    return new Model(this.rows.map((map) => new Map(map)));
  }

  scan(index: number, { from, prefix, reverse }: Range<Uint8Array>, limit: number): string[] {
    const sorted = [...(this.rows[index] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const start = from && (hex(from) as string);
    const inside = sorted.filter(
      ([key]) => key.startsWith(prefix ? (hex(prefix) as string) : '') && (start === undefined || (reverse ? key <= start : key >= start)),
    );
    return (reverse ? inside.reverse() : inside).slice(0, limit).map(([key, value]) => `${key}=${value}`);
  }
}

function take(view: StateView, index: number, range: Range<Uint8Array>, limit: number): string[] {
  const rows: string[] = [];
  const column = columns[index] as (typeof columns)[number];
  if (limit === 0) return rows;
  for (const [key, value] of view.entries(column, range)) {
    rows.push(`${hex(key)}=${hex(value)}`);
    if (rows.length === limit) break;
  }
  return rows;
}

/** Bounds of a store of hot rows: small columns fit, a few rows fit, and next to nothing fits. */
const HOT_BOUNDS = [2 ** 20, 3_000, 700];

/** A store of hot rows for every column but one. */
function hotStore(below: MemoryStore | RocksStore, maxBytes: number): HotStore {
  return new HotStore(below, { columns: columns.slice(0, -1), maxBytes });
}

/** Runs the steps on overlays above the store and on models. @returns a dump of the store after the last commit */
function run(store: Store, list: readonly Step[]): string[] {
  const overlays = [new Overlay(store)];
  const models = [new Model(), new Model()];
  for (const step of list) {
    const overlay = overlays.at(-1) as Overlay;
    const model = models.at(-1) as Model;
    if (step.do === 'put') {
      const isNew = step.value.length !== 1 && !model.rows[step.column]?.has(hex(step.key) as string);
      overlay[isNew ? 'putNew' : 'put'](columns[step.column] as (typeof columns)[number], step.key, step.value);
      model.rows[step.column]?.set(hex(step.key) as string, hex(step.value) as string);
    } else if (step.do === 'delete') {
      const value = step.key.length === 1 ? undefined : model.rows[step.column]?.get(hex(step.key) as string);
      const deleted = columns[step.column] as (typeof columns)[number];
      if (value === undefined) overlay.delete(deleted, step.key);
      else overlay.deleteKnown(deleted, step.key, Buffer.from(value, 'hex'));
      model.rows[step.column]?.delete(hex(step.key) as string);
    } else if (step.do === 'get') {
      const wanted = columns[step.column] as (typeof columns)[number];
      const expected = step.keys.map((key) => model.rows[step.column]?.get(hex(key) as string));
      assert.deepEqual(
        step.keys.map((key) => hex(overlay.get(wanted, key))),
        expected,
      );
      assert.deepEqual(overlay.getMany(wanted, step.keys).map(hex), expected);
      assert.deepEqual(
        step.keys.map((key) => overlay.has(wanted, key)),
        expected.map((value) => value !== undefined),
      );
    } else if (step.do === 'scan') {
      assert.deepEqual(take(overlay, step.column, step.range, step.limit), model.scan(step.column, step.range, step.limit));
    } else if (step.do === 'open') {
      overlays.push(new Overlay(overlay));
      models.push(model.copy());
    } else if (step.do === 'discard') {
      overlay.discard();
      models[models.length - 1] = (models.at(-2) as Model).copy();
    } else if (step.do === 'undo') {
      assert.deepEqual(overlay.encodedUndo(), encode(undoLog, overlay.undo()));
    } else if (overlays.length > 1) {
      overlay.commit();
      overlays.pop();
      models.splice(-2, 1);
    } else {
      const before = dump(store);
      const undo = decode(undoLog, encode(undoLog, overlay.undo()));
      store.write(overlay.changes());
      const after = dump(store);
      overlay.discard();
      const back = new Overlay(store);
      back.restore(undo);
      assert.deepEqual(dump(back), before);
      const forth = back.undo();
      store.write(back.changes());
      assert.deepEqual(dump(store), before);
      const again = new Overlay(store);
      again.restore(forth);
      store.write(again.changes());
      assert.deepEqual(dump(store), after);
      models[0] = model.copy();
    }
  }
  const bottom = models[0] as Model;
  const expected = columns.flatMap(({ name }, i) => bottom.scan(i, {}, Infinity).map((row) => `${name} ${row}`));
  assert.deepEqual(dump(store), expected);
  return expected;
}

test('any sequence of steps: overlays above the memory store answer like plain maps', () => {
  fc.assert(
    fc.property(steps, (list) => {
      run(new MemoryStore(), list);
    }),
    { numRuns: 400, seed: 1 },
  );
});

for (const bound of HOT_BOUNDS) {
  test(`any sequence of steps: overlays above a store of hot rows of ${bound} bytes answer like plain maps`, () => {
    fc.assert(
      fc.property(steps, (list) => {
        const below = new MemoryStore();
        const hot = hotStore(below, bound);
        run(hot, list);
        assert.deepEqual(dump(hot), dump(below));
        assert.ok(hot.bytes <= bound + 1, `${hot.bytes} bytes`);
      }),
      { numRuns: 300, seed: bound },
    );
  });
}

test('any sequence of steps: overlays above RocksDB answer like plain maps', async (t) => {
  const store = await openRocks(t);
  fc.assert(
    fc.property(steps, (list) => {
      const left = run(store, list);
      const clear = columns.flatMap((column) =>
        [...store.entries(column)].map(([key]) => ({ column: column.name, key, value: undefined })),
      );
      assert.equal(clear.length, left.length);
      store.write(clear);
    }),
    { numRuns: 150, seed: 2 },
  );
});

test('a snapshot of any store keeps its contents, for every kind of read', async (t) => {
  const rocks = await openRocks(t);
  const hot = hotStore(await openRocks(t), 3_000);
  const content = fc.array(fc.record({ column, key: keys, value: fc.option(values, { nil: undefined }) }), { maxLength: 40 });
  const rows = (list: readonly { column: number; key: Uint8Array; value: Uint8Array | undefined }[]) =>
    list.map(({ column: index, key, value }) => ({ column: columns[index]?.name as string, key, value }));
  fc.assert(
    fc.property(content, content, fc.array(fc.record({ column, range, limit: fc.nat(20) }), { maxLength: 8 }), (first, second, scans) => {
      const memory = new MemoryStore();
      for (const store of [memory, rocks, hot, ...HOT_BOUNDS.map((bound) => hotStore(new MemoryStore(), bound))]) {
        store.write(columns.flatMap((from) => [...store.entries(from)].map(([key]) => ({ column: from.name, key, value: undefined }))));
        store.write(rows(first));
        const before = dump(store);
        const snapshot = store.snapshot();
        const early = snapshot.entries(columns[0] as (typeof columns)[number])[Symbol.iterator]();
        const begun = [...take(snapshot, 0, {}, 1)];
        const started = early.next();
        store.write(rows(second));
        assert.deepEqual(dump(snapshot), before);
        const rest = [...(started.done ? [] : [started.value]), ...{ [Symbol.iterator]: () => early }].map(
          ([key, value]) => `test/a ${hex(key)}=${hex(value)}`,
        );
        assert.deepEqual(
          rest,
          before.filter((row) => row.startsWith('test/a ')),
        );
        assert.equal(begun.length, Math.min(rest.length, 1));
        const model = new Model();
        for (const row of before) {
          const [name, key, value] = (/^(\S+) (.*)=(.*)$/.exec(row) ?? []).slice(1) as [string, string, string];
          model.rows[columns.findIndex((other) => other.name === name)]?.set(key, value);
        }
        for (const scan of scans) {
          assert.deepEqual(take(snapshot, scan.column, scan.range, scan.limit), model.scan(scan.column, scan.range, scan.limit));
        }
        for (const { column: index, key } of [...first, ...second]) {
          const wanted = columns[index] as (typeof columns)[number];
          assert.equal(hex(snapshot.get(wanted, key)), model.rows[index]?.get(hex(key) as string));
        }
        snapshot.close();
      }
      assert.deepEqual(dump(memory), dump(rocks));
    }),
    { numRuns: 100, seed: 3 },
  );
});
