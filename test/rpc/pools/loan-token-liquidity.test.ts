import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putFuture } from '../../../src/dfi/futures/columns.js';
import { poolAverages } from '../../../src/dfi/pools/average-columns.js';
import { listLoanTokenLiquidity } from '../../../src/services/pools/loan-token-liquidity.js';
import { DfiFixture, heights, script } from '../../unit/dfi/fixture.js';
import { COIN, DUSD, LoanFixture, TSLA } from '../../unit/dfi/loan-fixture.js';
import { asker } from '../state-asker.js';

test('listloantokenliquidity: the share of the average that pending future swaps leave, each way', async () => {
  const fixture = new LoanFixture(heights());
  const ask = asker({ listLoanTokenLiquidity }, { chain: { state: fixture.view } as never });
  assert.equal(await ask('listloantokenliquidity'), '[]');
  fixture.view.put(poolAverages, { source: TSLA, destination: DUSD }, 200n * COIN);
  fixture.view.put(poolAverages, { source: DUSD, destination: TSLA }, 100n * COIN);
  fixture.view.put(poolAverages, { source: DUSD, destination: 99 }, COIN);
  const swap = (txn: number, tokenId: number, amount: bigint, destination: number) =>
    putFuture(fixture.view, 'dfip2203', { height: 90, owner: script(1), txn }, { source: { tokenId, amount }, destination });
  swap(1, TSLA, 3n * COIN, 0);
  swap(2, TSLA, 1n, 0);
  swap(3, DUSD, 11n * COIN, TSLA);
  swap(4, DUSD, 50n * COIN, 99);
  const row = (way: string, liquidity: string, limit: string, remaining: string) =>
    `{"${way}":{"liquidity":"${liquidity}","limit":"${limit}","remaining":"${remaining}"}}`;
  // A tenth without a governance setting; more DUSD than that is pending.
  const tenth = [
    row('DUSD-TSLA', '100.00000000', '10.00000000', '-1.00000000'),
    row('TSLA-DUSD', '200.00000000', '20.00000000', '16.99999999'),
  ];
  assert.equal(await ask('listloantokenliquidity'), `[${tenth}]`);
  fixture.attribute('v0/params/dfip2211f/average_liquidity_percentage', { kind: 'amount', value: COIN / 2n });
  const half = [
    row('DUSD-TSLA', '100.00000000', '50.00000000', '39.00000000'),
    row('TSLA-DUSD', '200.00000000', '100.00000000', '96.99999999'),
  ];
  assert.equal(await ask('listloantokenliquidity'), `[${half}]`);
});

test('listloantokenliquidity: empty without DUSD', async () => {
  const fixture = new DfiFixture(heights());
  fixture.view.put(poolAverages, { source: TSLA, destination: DUSD }, COIN);
  assert.equal(await asker({ listLoanTokenLiquidity }, { chain: { state: fixture.view } as never })('listloantokenliquidity'), '[]');
});
