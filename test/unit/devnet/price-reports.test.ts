import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriceReports } from '../../../src/devnet/price-reports.js';
import { silentLogger } from '../../../src/util/logger.js';

/** An oracle with one price, whose reports are confirmed at once unless `mempool` says otherwise. */
function oracleOf(stepSec: number) {
  const state = { time: 800, price: '100.00000000', reportedAt: 800, mempool: [] as string[], sent: 0 };
  const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    if (method === 'getrawmempool') return state.mempool;
    if (method === 'listoracles') return ['id'];
    if (method === 'getoracledata') {
      return { tokenPrices: [{ token: 'TSLA', currency: 'USD', amount: Number(state.price), timestamp: state.reportedAt }] };
    }
    const [, time, prices] = params as [string, number, { tokenAmount: string }[]];
    [state.reportedAt, state.price] = [time, prices[0]?.tokenAmount.split('@')[0] ?? ''];
    state.sent += 1;
    return `report ${state.sent}`;
  };
  return { state, reports: new PriceReports(stepSec, { call, now: () => state.time, log: silentLogger }) };
}

test('prices follow a wave over time and come back, also from a price of the caller', async () => {
  const { state, reports } = oracleOf(10);
  const report = async (time: number) => {
    state.time = time;
    await reports.start();
    reports.stop();
    return state.price;
  };
  assert.deepEqual(
    [await report(800), await report(810), await report(825), await report(860), await report(880)],
    ['100.00000000', '101.00000000', '102.00000000', '98.00000000', '100.00000000'],
  );
  state.price = '200.00000000';
  assert.equal(await report(890), '202.00000000');
});

test('without steps the prices are reported as they are', async () => {
  const { state, reports } = oracleOf(0);
  state.time = 5000;
  await reports.start();
  assert.deepEqual([state.price, state.reportedAt], ['100.00000000', 5000]);
});

test('no report while the last one waits for a block', async () => {
  const { state, reports } = oracleOf(0);
  await reports.start();
  state.mempool = ['report 1'];
  await reports.start();
  assert.equal(state.sent, 1);
  state.mempool = [];
  await reports.start();
  assert.equal(state.sent, 2);
});
