import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import type { Pool } from '../../../src/mempool/pool.js';
import { inBlockOrder, type SelectionContext, type SelectionOptions, selectTransactions } from '../../../src/minting/selection.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { AT, MadeUpPool, OPTIONS } from './pool-of.js';

function select(pool: Pool, options: Partial<SelectionOptions> = {}, at: Partial<SelectionContext> = {}) {
  return selectTransactions(pool, { ...OPTIONS, ...options }, { ...AT, ...at });
}

test('an empty pool yields an empty block of the reserved weight', () => {
  assert.deepEqual(select(new MadeUpPool().pool), { entries: [], fees: 0n, weight: 4_000 });
});

test('a child of high fee rate includes its parent', () => {
  const { pool, ...made } = build();
  const middle = made.add({ fee: 3_000n });
  const parent = made.add({ fee: 100n });
  const child = made.add({ fee: 9_000n, parents: [parent] });
  const { entries, fees } = select(pool);
  assert.deepEqual(entries, [parent, child, middle]);
  assert.equal(fees, 12_100n);
});

test('a parent of higher fee rate than its child is selected alone, the child later', () => {
  const { pool, ...made } = build();
  const parent = made.add({ fee: 9_000n });
  const child = made.add({ fee: 1_000n, parents: [parent] });
  const middle = made.add({ fee: 3_000n });
  assert.deepEqual(select(pool).entries, [parent, middle, child]);
});

test('fee deltas decide the order, but only paid fees count as fees of the block', () => {
  const { pool, ...made } = build();
  const poor = made.add({ fee: 1_000n });
  const rich = made.add({ fee: 2_000n });
  pool.prioritise(poor.tx.txid, 5_000n);
  const { entries, fees } = select(pool);
  assert.deepEqual(entries, [poor, rich]);
  assert.equal(fees, 3_000n);
});

test('by time, the first to enter is selected first regardless of fees', () => {
  const { pool, ...made } = build();
  const late = made.add({ fee: 9_000n, time: 30 });
  const early = made.add({ fee: 1_000n, time: 10 });
  const between = made.add({ fee: 5_000n, time: 20 });
  assert.deepEqual(select(pool, { order: 'time' }).entries, [early, between, late]);
});

test('of equal fee rates the lower txid is selected first, from Metachain on the first to enter', () => {
  const { pool, ...made } = build();
  const late = made.add({ time: 20 });
  const all = Array.from({ length: 6 }, () => made.add({ time: 10 }));
  const byTxid = [late, ...all].sort((a, b) => (a.key < b.key ? -1 : 1));
  assert.deepEqual(select(pool).entries, byTxid);
  assert.deepEqual(select(pool, {}, { tiesByTime: true }).entries, [...all, late]);
});

test('a package below the minimum fee rate ends selection by fee, but not by time', () => {
  const { pool, ...made } = build();
  const cheap = made.add({ fee: 10n, time: 10 });
  const good = made.add({ fee: 9_000n, time: 20 });
  const minFeeRate = 1_000n;
  assert.deepEqual(select(pool, { minFeeRate }).entries, [good]);
  assert.deepEqual(select(pool, { minFeeRate, order: 'time' }).entries, [good]);
  assert.deepEqual(select(pool, { minFeeRate: 0n }).entries, [good, cheap]);
});

test('the minimum fee is exact to the satoshi', () => {
  const { pool, ...made } = build();
  const entry = made.add({ fee: 250n, vsize: 250 });
  assert.deepEqual(select(pool, { minFeeRate: 1_000n }).entries, [entry]);
  assert.deepEqual(select(pool, { minFeeRate: 1_004n }).entries, []);
});

test('a package that does not fit is skipped for smaller ones', () => {
  const { pool, ...made } = build();
  const large = made.add({ fee: 900_000n, padding: 5_000 });
  const small = made.add({ fee: 1_000n });
  const exact = 4_000 + 4 * (large.vsize + small.vsize);
  assert.deepEqual(select(pool, { maxWeight: exact }).entries, [large], 'the limit itself is too much');
  assert.deepEqual(select(pool, { maxWeight: exact + 1 }).entries, [large, small]);
  const { entries, weight } = select(pool, { maxWeight: 10_000 });
  assert.deepEqual(entries, [small]);
  assert.equal(weight, 4_000 + small.weight);
});

test('signature operations are limited as those of a block, less 400', () => {
  const { pool, ...made } = build();
  const most = made.add({ fee: 9_000n, sigOpsCost: 1_279_599 });
  const more = made.add({ fee: 8_000n, sigOpsCost: 1 });
  assert.deepEqual(select(pool).entries, [most]);
  pool.removeWithDescendants([most], 'expiry');
  const all = made.add({ fee: 9_000n, sigOpsCost: 1_279_600 });
  assert.deepEqual(select(pool).entries, [more], `${all.sigOpsCost} is too much by one`);
});

test('a transaction that is not final is left out, with its descendants', () => {
  const { pool, ...made } = build();
  const overByHeight = made.add({ lockTime: 99 });
  const overByTime = made.add({ lockTime: 1_599_999_999 });
  const early = made.add({ lockTime: 100, fee: 5_000n });
  made.add({ lockTime: 1_600_000_000 });
  made.add({ parents: [early], fee: 50_000n });
  assert.deepEqual(new Set(select(pool).entries), new Set([overByHeight, overByTime]));
});

test('before segwit, transactions with witnesses are left out', () => {
  const { pool, ...made } = build();
  const plain = made.add();
  made.add({ witness: [Uint8Array.of(1)] });
  assert.deepEqual(select(pool, {}, { witness: false }).entries, [plain]);
  assert.equal(select(pool).entries.length, 2);
});

test('packages are tried as a whole; one that fails leaves no effects, and its descendants are tried separately', () => {
  const { pool, ...made } = build();
  const good = made.add({ fee: 9_000n });
  const bad = made.add({ fee: 8_000n });
  const child = made.add({ fee: 500n, parents: [bad] });
  const tried: string[][] = [];
  const accepts = (transactions: readonly Transaction[]) => {
    tried.push(transactions.map(({ txid }) => toHex(txid)));
    return transactions.every((tx) => tx !== bad.tx);
  };
  const { entries, fees } = select(pool, {}, { trial: { accepts } });
  assert.deepEqual(entries, [good]);
  assert.equal(fees, 9_000n);
  assert.deepEqual(tried, [[good.key], [bad.key], [bad.key, child.key]]);
});

test('a failed package is retried once an ancestor is included', () => {
  const { pool, ...made } = build();
  const parent = made.add({ fee: 1_000n, padding: 600 });
  // With its parent the first child is too large; without it fits.
  const large = made.add({ fee: 90_000n, parents: [parent], padding: 1_000 });
  const small = made.add({ fee: 20_000n, parents: [parent] });
  const maxWeight = 4_000 + 4 * (parent.vsize + large.vsize + small.vsize);
  assert.deepEqual(select(pool, { maxWeight }).entries, [parent, large], 'the second no longer fits');
  const tight = 4_000 + 4 * (parent.vsize + large.vsize);
  assert.deepEqual(select(pool, { maxWeight: tight }).entries, [parent, small]);
});

test('within a package entries are sorted by time, then by number of ancestors', () => {
  const { pool, ...made } = build();
  const first = made.add({ time: 10, fee: 1n });
  const second = made.add({ time: 5, fee: 1n });
  const left = made.add({ time: 20, fee: 1n, parents: [first] });
  const bottom = made.add({ time: 20, fee: 90_000n, parents: [left, second] });
  assert.deepEqual(select(pool).entries, [second, first, left, bottom]);
});

test('a re-accepted parent newer than its child still comes first', () => {
  const { pool, ...made } = build();
  const parent = made.add({ time: 50 });
  const child = made.add({ time: 10, parents: [parent] });
  const grandchild = made.add({ time: 20, parents: [child] });
  assert.deepEqual(inBlockOrder([grandchild, child, parent]), [parent, child, grandchild]);
  assert.deepEqual(select(pool).entries, [parent, child, grandchild]);
});

/** Plain form of the rule: at every step all packages are recounted, and the best one that fits is selected. */
function slowly(pool: Pool, { order, maxWeight, minFeeRate }: SelectionOptions): MempoolEntry[] {
  const chosen: MempoolEntry[] = [];
  const failed = new Set<string>();
  let weight = 4_000;
  for (;;) {
    const packages = [...pool.entries()]
      .filter((entry) => !chosen.includes(entry))
      .map((entry) => {
        const entries = [entry, ...entry.allAncestors()].filter((each) => !chosen.includes(each));
        const size = entries.reduce((sum, each) => sum + each.vsize, 0);
        const fees = entries.reduce((sum, each) => sum + each.modifiedFee, 0n);
        const alone = Number(entry.modifiedFee) / entry.vsize;
        return { entry, entries, size, fees, rate: Math.min(alone, Number(fees) / size) };
      })
      .filter(({ entry, entries }) => !failed.has(entry.key + entries.length))
      .sort((a, b) =>
        order === 'time'
          ? a.entry.time - b.entry.time || a.entry.sequence - b.entry.sequence
          : b.rate - a.rate || (a.entry.key < b.entry.key ? -1 : 1),
      );
    const [best] = packages;
    if (!best) return chosen;
    const cheap = best.fees * 1_000n < minFeeRate * BigInt(best.size);
    if (cheap && order === 'fee') return chosen;
    if (cheap || weight + 4 * best.size >= maxWeight) {
      failed.add(best.entry.key + best.entries.length);
      continue;
    }
    weight += best.entries.reduce((sum, each) => sum + each.weight, 0);
    chosen.push(...inBlockOrder(best.entries));
  }
}

const wishes = fc.array(
  fc.record({
    fee: fc.bigInt(0n, 5_000n),
    time: fc.integer({ min: 0, max: 5 }),
    parents: fc.array(fc.nat(30), { maxLength: 3 }),
    padding: fc.nat(200),
  }),
  { maxLength: 25 },
);

for (const order of ['fee', 'time'] as const) {
  test(`by ${order}: selection from any pool equals that with a recount at every step, parents first`, () => {
    fc.assert(
      fc.property(wishes, fc.integer({ min: 5_000, max: 30_000 }), (list, maxWeight) => {
        const { pool, ...made } = build();
        const entries: MempoolEntry[] = [];
        for (const { parents, ...wish } of list) {
          const known = new Set(parents.flatMap((i) => entries[i] ?? []));
          entries.push(made.add({ ...wish, parents: [...known].filter((each) => each.children.size < 8) }));
        }
        const options = { order, maxWeight, minFeeRate: 2_000n };
        const { entries: chosen, weight } = selectTransactions(pool, options, AT);
        assert.deepEqual(
          chosen.map(({ sequence }) => sequence),
          slowly(pool, options).map(({ sequence }) => sequence),
        );
        assert.equal(
          weight,
          chosen.reduce((sum, each) => sum + each.weight, 4_000),
        );
        assert.ok(weight < maxWeight || chosen.length === 0);
        const place = new Map(chosen.map((entry, i) => [entry, i]));
        for (const [entry, i] of place) for (const parent of entry.parents) assert.ok((place.get(parent) ?? Infinity) < i);
      }),
      { numRuns: 200 },
    );
  });
}

function build() {
  const made = new MadeUpPool();
  return { pool: made.pool, add: made.add.bind(made) };
}
