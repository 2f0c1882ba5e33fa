import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLivePrice } from '../../../src/ocean/index/active-prices.js';
import { tickerCount } from '../../../src/ocean/index/prices.js';
import { activePriceOf } from '../../../src/ocean/shapes/active-price.js';
import { oceanNode } from './ask.js';
import { appoint, loanToken, PriceScene, pair, remove, report, TIME, update } from './price-scene.js';

const id = (byte: number): string => byte.toString(16).padStart(2, '0').repeat(32);
const hex8 = (value: number): string => value.toString(16).padStart(8, '0');

/** Text of a member of each item, by a path of names. */
function valuesOf(data: unknown, ...names: readonly string[]): unknown[] {
  return (data as unknown[]).map((item) => names.reduce((value, name) => (value as Record<string, unknown>)?.[name], item));
}

/** Three oracles of the weights 1, 2 and 0 that report at height 110, which is no end of an interval. */
function published(): PriceScene {
  const chain = new PriceScene();
  chain.add(TIME, appoint(0xa1, 1, 'TB-USD', 'TA-USD'), appoint(0xa2, 2, 'TB-USD'), appoint(0xa3, 0, 'TB-USD'));
  chain.fill(110, TIME);
  const time = TIME + 110;
  chain.add(
    time,
    report(0xb1, 0xa1, time, { 'TB-USD': 250, 'TA-USD': 110 }),
    report(0xb2, 0xa2, time, { 'TB-USD': 220 }),
    report(0xb3, 0xa3, time, { 'TB-USD': 9900 }),
  );
  return chain;
}

test('The published values of three oracles of the weights 1, 2 and 0', async () => {
  const chain = published();
  const ask = oceanNode({}, chain.modules);
  // Times of the blocks 100 to 110 are TIME + 99 to TIME + 108, and TIME + 110.
  const medianTime = TIME + 104;
  const block = { hash: id(110), height: 110, time: TIME + 110, medianTime };
  const price = {
    id: 'TB-USD-110',
    key: 'TB-USD',
    sort: `${hex8(medianTime)}0000006e`,
    token: 'TB',
    currency: 'USD',
    aggregated: { amount: '2.30000000', weightage: 3, oracles: { active: 2, total: 3 } },
    block,
  };
  const ticker = { id: 'TB-USD', sort: '000000030000006eTB-USD', price };
  assert.deepEqual((await ask('prices/TB-USD')).body, { data: ticker });
  assert.deepEqual((await ask('prices/TB-USD/feed')).body, { data: [price] });
  const { data } = (await ask('prices')).body;
  assert.deepEqual(valuesOf(data, 'sort'), ['000000030000006eTB-USD', '000000010000006eTA-USD']);
  assert.deepEqual((data as unknown[])[0], ticker);
  assert.equal(tickerCount(chain.view), 2);
  chain.takeAllBack();
  assert.equal(tickerCount(chain.view), 0);
});

test('An unknown pair: no ticker, and empty lists', async () => {
  const ask = oceanNode({}, published().modules);
  assert.deepEqual((await ask('prices/XX-USD')).body, {});
  for (const list of ['feed', 'feed/active', 'feed/interval/900', 'oracles']) {
    assert.deepEqual((await ask(`prices/XX-USD/${list}`)).body, { data: [] }, list);
  }
});

test('Tickers by number of oracles, then height, then name; a page begins below its cursor', async () => {
  const chain = new PriceScene();
  chain.add(TIME, appoint(1, 1, 'A-USD', 'B-USD', 'C-USD', 'D-USD'), appoint(2, 1, 'D-USD'));
  chain.add(TIME + 1, report(3, 1, TIME, { 'A-USD': 100, 'D-USD': 100 }));
  chain.add(TIME + 2, report(4, 1, TIME, { 'B-USD': 100, 'C-USD': 100 }));
  const ask = oceanNode({}, chain.modules);
  const first = (await ask('prices?size=2')).body;
  assert.deepEqual(valuesOf(first.data, 'id'), ['D-USD', 'C-USD']);
  assert.deepEqual(first.page, { next: '0000000100000002C-USD' });
  const second = (await ask(`prices?size=2&next=${first.page?.next}`)).body;
  assert.deepEqual(valuesOf(second.data, 'id'), ['B-USD', 'A-USD']);
  assert.deepEqual((await ask(`prices?size=2&next=${second.page?.next}`)).body, { data: [] });
  for (const next of ['C-USD', '0000000100000002']) assert.equal((await ask(`prices?next=${next}`)).status, 400, next);
  // A new report moves the ticker, and taking it back moves it back.
  chain.add(TIME + 3, report(5, 1, TIME, { 'A-USD': 200 }));
  assert.deepEqual(valuesOf((await ask('prices')).body.data, 'id'), ['D-USD', 'A-USD', 'C-USD', 'B-USD']);
  chain.undoLast();
  assert.deepEqual(valuesOf((await ask('prices')).body.data, 'id'), ['D-USD', 'C-USD', 'B-USD', 'A-USD']);
});

test('A report counts for less than an hour of block time, and the mean is rounded half up', async () => {
  const chain = new PriceScene();
  chain.add(TIME, appoint(1, 1, 'A-USD'), appoint(2, 2, 'A-USD'));
  chain.add(TIME + 1, report(3, 1, TIME, { 'A-USD': 100 }), report(4, 2, TIME, { 'A-USD': 101 }));
  // (1 + 2 * 1.01) / 3 is 1.00666666…67.
  chain.add(TIME + 3599, report(5, 2, TIME + 3599, { 'A-USD': 101 }));
  chain.add(TIME + 3600, report(6, 2, TIME + 3600, { 'A-USD': 101 }));
  const ask = oceanNode({}, chain.modules);
  const { data } = (await ask('prices/A-USD/feed')).body;
  assert.deepEqual(valuesOf(data, 'aggregated'), [
    { amount: '1.01000000', weightage: 2, oracles: { active: 1, total: 2 } },
    { amount: '1.00666667', weightage: 3, oracles: { active: 2, total: 2 } },
    { amount: '1.00666667', weightage: 3, oracles: { active: 2, total: 2 } },
  ]);
  const [newest, older] = data as { sort: string }[];
  assert.deepEqual(valuesOf((await ask(`prices/A-USD/feed?size=1&next=${newest?.sort}`)).body.data, 'sort'), [older?.sort]);
  for (const next of ['1', hex8(3), `${newest?.sort}0`]) assert.equal((await ask(`prices/A-USD/feed?next=${next}`)).status, 400, next);
  chain.takeAllBack();
});

test('A report still counts after an update of its oracle, with the new weight', async () => {
  const chain = new PriceScene();
  chain.add(TIME, appoint(1, 1, 'A-USD'), appoint(2, 1, 'A-USD'));
  chain.add(TIME + 1, report(3, 2, TIME, { 'A-USD': 200 }));
  chain.add(TIME + 2, update(4, 2, 3, 'A-USD'), report(5, 1, TIME, { 'A-USD': 100 }));
  const { data } = (await oceanNode({}, chain.modules)('prices/A-USD')).body;
  const { price } = data as { price: { aggregated: unknown } };
  assert.deepEqual(price.aggregated, { amount: '1.75000000', weightage: 4, oracles: { active: 2, total: 2 } });
  chain.takeAllBack();
});

test('Without an oracle that has a weight nothing is added, and a ticker outlives its oracles', async () => {
  const chain = new PriceScene();
  chain.add(TIME, appoint(1, 0, 'A-USD'), appoint(2, 1, 'B-USD'));
  chain.add(TIME + 1, report(3, 1, TIME, { 'A-USD': 100 }), report(4, 2, TIME, { 'B-USD': 200 }), remove(5, 2));
  const ask = oceanNode({}, chain.modules);
  assert.deepEqual((await ask('prices/A-USD')).body, {});
  assert.deepEqual(valuesOf((await ask('prices/A-USD/oracles')).body.data, 'feed', 'amount'), ['1']);
  assert.deepEqual(valuesOf((await ask('prices')).body.data, 'price', 'aggregated', 'amount'), ['2.00000000']);
  assert.deepEqual((await ask('prices/B-USD/oracles')).body, { data: [] });
});

test('Intervals begin with a price after the end of the one before; only the shown ends are round', async () => {
  const chain = new PriceScene();
  const oracle = (txid: number, time: number, price: number) => report(txid, 1, time, { 'A-USD': price });
  // 1 700 000 000 is 800 seconds after a quarter of an hour. With eleven blocks of one time the median time is that time.
  const blocks = (time: number, ...txs: Parameters<PriceScene['add']>[1][]): number => {
    for (let i = 0; i < 10; i++) chain.add(time);
    return chain.add(time, ...txs);
  };
  const first = blocks(TIME, appoint(1, 1, 'A-USD'), oracle(2, TIME, 100));
  blocks(TIME + 500, oracle(3, TIME + 500, 200), oracle(4, TIME + 500, 201));
  blocks(TIME + 900, oracle(5, TIME + 900, 100), appoint(6, 3, 'A-USD'), oracle(7, TIME + 900, 100));
  const second = blocks(TIME + 901, oracle(8, TIME + 901, 400));
  const ask = oceanNode({}, chain.modules);
  const { data } = (await ask('prices/A-USD/feed/interval/900')).body;
  assert.deepEqual(data, [
    {
      id: `A-USD-900-${second}`,
      key: 'A-USD-900',
      sort: hex8(TIME + 901) + hex8(second),
      token: 'A',
      currency: 'USD',
      aggregated: {
        amount: '4.00000000',
        weightage: 1,
        count: 1,
        oracles: { active: 1, total: 2 },
        time: { interval: 900, start: TIME + 100, end: TIME + 1000 },
      },
      block: { hash: id(second), height: second, time: TIME + 901, medianTime: TIME + 901 },
    },
    {
      id: `A-USD-900-${first}`,
      key: 'A-USD-900',
      sort: hex8(TIME) + hex8(first),
      token: 'A',
      currency: 'USD',
      // 1; 1.5; 1.67; 1.5025; 1.402
      aggregated: {
        amount: '1.40200000',
        weightage: 1,
        count: 5,
        oracles: { active: 1, total: 1.2 },
        time: { interval: 900, start: TIME - 800, end: TIME + 100 },
      },
      block: { hash: id(first), height: first, time: TIME, medianTime: TIME },
    },
  ]);
  const hour = (await ask('prices/A-USD/feed/interval/3600')).body.data;
  assert.deepEqual(valuesOf(hour, 'aggregated', 'count'), [6]);
  assert.deepEqual(valuesOf(hour, 'aggregated', 'amount'), ['1.83500000']);
  assert.deepEqual(valuesOf((await ask('prices/A-USD/feed/interval/86400')).body.data, 'aggregated', 'count'), [6]);
  assert.deepEqual((await ask('prices/A-USD/feed/interval/1800')).body, { data: [] });
  assert.equal((await ask('prices/A-USD/feed/interval/day')).status, 400);
  const page = (await ask('prices/A-USD/feed/interval/900?size=1')).body.page;
  const rest = (await ask(`prices/A-USD/feed/interval/900?size=1&next=${page?.next}`)).body.data;
  assert.deepEqual(valuesOf(rest, 'block', 'height'), [first]);
  chain.takeAllBack();
});

test('The mean amount of an interval is rounded after each price', async () => {
  const chain = new PriceScene();
  const reports = [101, 103, 102, 103, 103, 104, 100, 103].map((price, i) => report(10 + i, 1, TIME, { 'A-USD': price }));
  chain.add(TIME, appoint(1, 1, 'A-USD'), ...reports);
  const ask = oceanNode({}, chain.modules);
  // The exact mean is 1.02375.
  assert.deepEqual(valuesOf((await ask('prices/A-USD/feed/interval/900')).body.data, 'aggregated', 'amount'), ['1.02375001']);
  assert.deepEqual(valuesOf((await ask('prices/A-USD/feed')).body.data, 'aggregated', 'amount'), ['1.03000000']);
});

/** Two oracles of TSLA-USD, heights by sixes: at each the active price moves. */
function moving(): PriceScene {
  const chain = new PriceScene();
  chain.add(TIME, appoint(1, 1, 'TSLA-USD'), appoint(2, 3, 'TSLA-USD'));
  return chain;
}

const both = (time: number, price: number) => [1, 2].map((oracle) => report(10 + oracle, oracle, time, { 'TSLA-USD': price }));
const P = (amount: string) => ({ amount, weightage: 4, oracles: { active: 2, total: 2 } });

test('Active price: the next price becomes active at the end of each interval', async () => {
  const chain = moving();
  chain.add(TIME + 1, ...both(TIME, 200));
  chain.fill(7, TIME + 2);
  const ask = oceanNode({}, chain.modules);
  const list = async () => (await ask('prices/TSLA-USD/feed/active')).body.data as Record<string, unknown>[];
  const block = { hash: id(6), height: 6, time: TIME + 6, medianTime: TIME + 3 };
  assert.deepEqual(await list(), [{ id: 'TSLA-USD-6', key: 'TSLA-USD', sort: '00000006', next: P('2.00000000'), isLive: false, block }]);
  chain.add(TIME + 7, ...both(TIME, 250));
  chain.fill(13, TIME + 8);
  chain.add(TIME + 13, ...both(TIME, 325));
  chain.fill(19, TIME + 14);
  const shown = (await list()).map(({ sort, active, next, isLive }) => ({ sort, active, next, isLive }));
  assert.deepEqual(shown, [
    // From 2.50 to 3.25 it is exactly 30 %.
    { sort: '00000012', active: P('2.50000000'), next: P('3.25000000'), isLive: false },
    { sort: '0000000c', active: P('2.00000000'), next: P('2.50000000'), isLive: true },
    { sort: '00000006', active: undefined, next: P('2.00000000'), isLive: false },
  ]);
  const page = (await ask('prices/TSLA-USD/feed/active?size=2')).body.page;
  assert.deepEqual(page, { next: '0000000c' });
  assert.deepEqual(valuesOf((await ask('prices/TSLA-USD/feed/active?size=2&next=0000000c')).body.data, 'sort'), ['00000006']);
  assert.equal((await ask('prices/TSLA-USD/feed/active?next=12')).status, 400);
  assert.deepEqual(activePriceOf(chain.modules, pair('TSLA-USD')), (await list())[0]);
  assert.equal(activePriceOf(chain.modules, pair('XX-USD')), undefined);
  chain.takeAllBack();
});

test('No next price from a single oracle, or from a block an hour ago; the active one stays', async () => {
  const chain = moving();
  chain.add(TIME + 1, ...both(TIME, 200));
  chain.fill(7, TIME + 2);
  chain.add(TIME + 3600, report(20, 1, TIME + 3600, { 'TSLA-USD': 210 }));
  chain.fill(13, TIME + 3601);
  const ask = oceanNode({}, chain.modules);
  const newest = async () => ((await ask('prices/TSLA-USD/feed/active')).body.data as Record<string, unknown>[])[0];
  const alone = await newest();
  assert.equal(alone?.sort, '0000000c');
  assert.ok(alone && !('next' in alone) && alone.isLive === false);
  assert.deepEqual(alone.active, P('2.00000000'));
  chain.add(TIME + 3610, ...both(TIME + 3600, 220));
  chain.fill(18, TIME + 3611);
  chain.add(TIME + 3610 + 3600);
  const late = await newest();
  assert.ok(late && late.sort === '00000012' && !('next' in late));
  assert.deepEqual(late.active, P('2.00000000'));
  // One second less, and it would be the next price.
  chain.undoLast();
  chain.add(TIME + 3610 + 3599);
  assert.deepEqual((await newest())?.next, P('2.20000000'));
});

test('Oracles without a weight give no next price', () => {
  const chain = moving();
  chain.add(TIME + 1, ...both(TIME, 200));
  chain.add(TIME + 2, update(30, 1, 0, 'TSLA-USD'), ...both(TIME, 200));
  chain.fill(7, TIME + 3);
  const newest = activePriceOf(chain.modules, pair('TSLA-USD'));
  assert.deepEqual([newest?.next, newest?.active], [undefined, undefined]);
});

test('A new loan token moves the price of its pair at once, and again at the end of an interval', () => {
  const chain = moving();
  chain.add(TIME + 1, loanToken(20, 'TSLA-USD'));
  assert.equal(activePriceOf(chain.modules, pair('TSLA-USD')), undefined, 'no price yet');
  // The report after the loan token comes too late.
  chain.add(TIME + 2, ...both(TIME, 200), loanToken(21, 'TSLA-USD'), report(22, 1, TIME, { 'TSLA-USD': 300 }));
  const created = activePriceOf(chain.modules, pair('TSLA-USD'));
  assert.deepEqual([created?.sort, created?.active, created?.next], ['00000002', undefined, P('2.00000000')]);
  chain.fill(6, TIME + 3);
  chain.add(TIME + 6, loanToken(23, 'TSLA-USD'));
  const moved = activePriceOf(chain.modules, pair('TSLA-USD'));
  assert.deepEqual([moved?.sort, moved?.active, moved?.next, moved?.isLive], ['00000006', P('2.25000000'), P('2.25000000'), true]);
  chain.takeAllBack();
});

test('Texts of pairs are shown as UTF-8 and found again', async () => {
  const chain = new PriceScene();
  const odd = { token: Buffer.from('Ä€', 'utf8').toString('latin1'), currency: 'U-D' };
  const name = `${odd.token}-${odd.currency}`;
  chain.add(TIME, appoint(1, 1, name));
  assert.deepEqual(chain.rows().length, 2);
  const ask = oceanNode({}, chain.modules);
  const [oracle] = (await ask('oracles')).body.data as { priceFeeds: unknown }[];
  assert.deepEqual(oracle?.priceFeeds, [{ token: 'Ä€', currency: 'U' }]);
  assert.deepEqual(valuesOf((await ask(`prices/${encodeURIComponent('Ä€')}-U/oracles`)).body.data, 'key'), ['Ä€-U']);
});

test('A price is live while the next one differs by less than 30 %, and none is without both', () => {
  const price = (amount: bigint | undefined) => (amount === undefined ? undefined : { amount, weightage: 1, active: 2, total: 2 });
  const cases: [active: bigint | undefined, next: bigint | undefined, isLive: boolean][] = [
    [1_000n, 1_299n, true],
    [1_000n, 1_300n, false],
    [1_000n, 701n, true],
    [1_000n, 700n, false],
    [1n, 1n, true],
    [0n, 0n, false],
    [0n, 1n, false],
    [1n, 0n, false],
    [undefined, 1n, false],
    [1n, undefined, false],
  ];
  for (const [active, next, isLive] of cases) {
    assert.equal(isLivePrice({ active: price(active), next: price(next) }), isLive, `${active} ${next}`);
  }
});
