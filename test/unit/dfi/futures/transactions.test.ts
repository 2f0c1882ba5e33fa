import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedTotals } from '../../../../src/dfi/attributes/live-totals.js';
import { EventRecords } from '../../../../src/dfi/context/event-records.js';
import { contractOf, listFutures } from '../../../../src/dfi/futures/columns.js';
import { refundFutures } from '../../../../src/dfi/futures/refunds.js';
import { fixedPrices } from '../../../../src/dfi/oracles/fixed-prices.js';
import { poolAverages } from '../../../../src/dfi/pools/average-columns.js';
import { script } from '../fixture.js';
import { addAsset } from '../governance-context.js';
import { COIN, DFI, DUSD, owner, TSLA } from '../loan-fixture.js';
import { FutureFixture } from './futures-fixture.js';

const contract = contractOf('dfip2203');
const other = script(2);
const sale = { tokenId: TSLA, destination: 0 };
const coins = { tokenId: DFI, destination: DUSD };

/** Amounts of the pending swaps of tokens with their owners, in stored order. */
const pending = ({ view }: FutureFixture) => listFutures(view, 'dfip2203').map(([key, { source }]) => [key.owner[2], source.amount]);

function funded(upgrades = {}): FutureFixture {
  const fixture = new FutureFixture(upgrades);
  for (const who of [owner, other]) for (const tokenId of [DUSD, TSLA]) fixture.make(who, tokenId, 100n * COIN);
  return fixture;
}

describe('a future swap', () => {
  test('moves its source to the contract and counts it', () => {
    const fixture = funded();
    assert.equal(fixture.swap(30n * COIN), undefined);
    assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(contract, DUSD)], [70n * COIN, 30n * COIN]);
    assert.deepEqual(fixture.counted('current'), [{ tokenId: DUSD, amount: 30n * COIN }]);
    assert.deepEqual(pending(fixture), [[1, 30n * COIN]]);
  });

  test('is authorised by its owner', () =>
    assert.equal(funded().swap(COIN, { by: other }), 'Transaction must have at least one input from owner'));

  test('has a source of at least one satoshi', () => {
    assert.equal(funded().swap(0n), 'Source amount must be more than zero');
    assert.equal(funded().swap(1n), undefined);
  });

  test('needs futures that are active and have started', () => {
    const fixture = funded();
    fixture.attribute('v0/params/dfip2203/start_block', { kind: 'amount', value: 101n });
    assert.equal(fixture.swap(COIN), 'DFIP2203 not active until block 101');
    fixture.attribute('v0/params/dfip2203/start_block', { kind: 'amount', value: 100n });
    assert.equal(fixture.swap(COIN), undefined);
    fixture.attribute('v0/params/dfip2203/active', { kind: 'bool', value: false });
    assert.equal(fixture.swap(COIN), 'DFIP2203 not currently active');
  });

  test('is between DUSD and another loan token', () => {
    const fixture = funded();
    addAsset(fixture.view, 7, 'GOLD');
    assert.equal(fixture.swap(COIN, { tokenId: 7, destination: 0 }), 'Could not get source loan token 7');
    assert.equal(fixture.swap(COIN, { destination: 7 }), 'Could not get destination loan token 7. Set valid destination.');
    assert.equal(
      fixture.swap(COIN, { tokenId: TSLA, destination: DUSD }),
      'Destination should not be set when source amount is dToken or DFI',
    );
    assert.equal(fixture.swap(COIN, sale), undefined);
  });

  for (const [way, given] of [
    ['into', {}],
    ['out of', sale],
  ] as const) {
    test(`${way} a token is refused while futures of the token are off, or the token is locked`, () => {
      const fixture = funded();
      fixture.attribute(`v0/token/${TSLA}/dfip2203`, { kind: 'bool', value: false });
      assert.equal(fixture.swap(COIN, given), 'DFIP2203 currently disabled for token 2');
      fixture.attribute(`v0/token/${TSLA}/dfip2203`, { kind: 'bool', value: true });
      fixture.attribute(`v0/locks/token/${TSLA}`, { kind: 'bool', value: true });
      assert.equal(fixture.swap(COIN, given), 'Cannot create future swap for locked token');
    });
  }

  test('of DFI has DUSD as its destination and a price', () => {
    const fixture = funded();
    fixture.give(owner, DFI, COIN);
    const text = 'Incorrect destination defined for DFI swap, DUSD destination expected id: 1';
    assert.equal(fixture.swap(COIN, { ...coins, destination: TSLA }), text);
    assert.equal(fixture.swap(COIN, coins), undefined);
    fixture.view.delete(fixedPrices, { token: 'DFI', currency: 'USD' });
    assert.equal(fixture.swap(COIN, coins), 'DFI / DUSD fixed interval price not found');
  });

  test('pays from rewards from Fort Canning Crunch on', () => {
    for (const [fortCanningCrunch, expected] of [
      [101, 'amount 0.00000000 is less than 0.00005000'],
      [100, undefined],
    ] as const) {
      const fixture = new FutureFixture({ fortCanningCrunch });
      fixture.openEarningPool(9, owner, 90);
      assert.equal(fixture.swap(5_000n, coins), expected);
    }
  });
});

describe('the limit on future swaps', () => {
  function limited(df23: number): FutureFixture {
    const fixture = funded({ df23 });
    fixture.attribute('v0/params/dfip2211f/active', { kind: 'bool', value: true });
    fixture.view.put(poolAverages, { source: DUSD, destination: TSLA }, 100n * COIN);
    fixture.view.put(poolAverages, { source: TSLA, destination: DUSD }, 50n * COIN);
    return fixture;
  }
  const exceeded = (left: string) => `Swap amount exceeds 10% of average pool liquidity limit. Available amount to swap: ${left}`;

  test('is a tenth of the average, less pending swaps the same way', () => {
    const fixture = limited(100);
    assert.equal(fixture.swap(4n * COIN), undefined);
    assert.equal(fixture.swap(6n * COIN + 1n, { owner: other }), exceeded('6.00000000@DUSD'));
    assert.equal(fixture.swap(6n * COIN, { owner: other }), undefined);
    assert.equal(fixture.swap(5n * COIN + 1n, sale), exceeded('5.00000000@TSLA'));
    assert.equal(fixture.swap(5n * COIN, sale), undefined);
    assert.equal(fixture.swap(1n, sale), exceeded('0.00000000@TSLA'));
  });

  test('does not apply to withdrawals or DFI, nor before its upgrade', () => {
    const fixture = limited(100);
    assert.equal(fixture.swap(10n * COIN), undefined);
    assert.equal(fixture.swap(2n * COIN, { withdraw: true }), undefined);
    fixture.give(owner, DFI, 100n * COIN);
    fixture.view.put(poolAverages, { source: DFI, destination: DUSD }, COIN);
    assert.equal(fixture.swap(100n * COIN, coins), undefined);
    assert.equal(limited(101).swap(100n * COIN), undefined);
  });
});

describe('the withdrawal of future swaps', () => {
  test('merges the swaps of the owner the same way, less its amount', () => {
    const fixture = funded();
    for (const amount of [3n * COIN, 4n * COIN]) assert.equal(fixture.swap(amount), undefined);
    assert.equal(fixture.swap(COIN, { owner: other }), undefined);
    assert.equal(fixture.swap(2n * COIN, sale), undefined);
    assert.equal(fixture.swap(5n * COIN, { destination: DUSD }), undefined);
    assert.equal(fixture.swap(7n * COIN + 1n, { withdraw: true }), 'amount 7.00000000 is less than 7.00000001');
    assert.equal(fixture.swap(COIN, { withdraw: true }), undefined);
    assert.deepEqual(pending(fixture), [
      [1, 6n * COIN],
      [1, 5n * COIN],
      [1, 2n * COIN],
      [2, COIN],
    ]);
    assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(contract, DUSD)], [89n * COIN, 12n * COIN]);
    assert.deepEqual(fixture.counted('current'), [
      { tokenId: DUSD, amount: 12n * COIN },
      { tokenId: TSLA, amount: 2n * COIN },
    ]);
  });

  test('of all leaves none', () => {
    const fixture = funded();
    assert.equal(fixture.swap(3n * COIN), undefined);
    assert.equal(fixture.swap(3n * COIN, { withdraw: true }), undefined);
    assert.deepEqual([pending(fixture), fixture.counted('current'), fixture.balance(owner, DUSD)], [[], [], 100n * COIN]);
  });

  test('of DFI leaves the rest pending', () => {
    const fixture = funded();
    fixture.give(owner, DFI, 9n * COIN);
    for (const amount of [3n * COIN, 4n * COIN]) assert.equal(fixture.swap(amount, coins), undefined);
    assert.equal(fixture.swap(5n * COIN, { ...coins, withdraw: true }), undefined);
    const left = listFutures(fixture.view, 'dfip2206f').map(([, { source }]) => source);
    assert.deepEqual([left, fixture.balance(owner, DFI)], [[{ tokenId: DFI, amount: 2n * COIN }], 7n * COIN]);
    assert.deepEqual(fixture.counted('current', 'dfip2206f'), [{ tokenId: DFI, amount: 2n * COIN }]);
  });
});

test('cancelled swaps are refunded and no longer counted', () => {
  const fixture = funded();
  fixture.give(owner, DFI, 9n * COIN);
  assert.equal(fixture.swap(3n * COIN), undefined);
  assert.equal(fixture.swap(4n * COIN, coins), undefined);
  for (const kind of ['dfip2203', 'dfip2206f'] as const) {
    refundFutures(fixture.view, storedTotals(fixture.view), kind, new EventRecords());
    assert.deepEqual([listFutures(fixture.view, kind), fixture.counted('current', kind)], [[], []]);
  }
  assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(owner, DFI)], [100n * COIN, 9n * COIN]);
});
