import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contractOf, listFutures } from '../../../../src/dfi/futures/columns.js';
import { dusdSettlement, futureSettlement } from '../../../../src/dfi/futures/event.js';
import { poolSamples } from '../../../../src/dfi/pools/average-columns.js';
import { putHoldings, putNewPool } from '../../../../src/dfi/pools/columns.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { script } from '../fixture.js';
import { COIN, DFI, DUSD, owner, TSLA } from '../loan-fixture.js';
import { FutureFixture } from './futures-fixture.js';

const contract = contractOf('dfip2203');
const other = script(2);

describe('settlement of future swaps', () => {
  test('pays the token for DUSD, at 5 % above its price', () => {
    const fixture = new FutureFixture();
    fixture.make(owner, DUSD, 21n * COIN);
    assert.equal(fixture.swap(21n * COIN), undefined);
    fixture.runEvent(futureSettlement, 109);
    assert.equal(fixture.balance(owner, TSLA), 0n);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(owner, TSLA)], [0n, 2n * COIN]);
    assert.equal(getToken(fixture.view, TSLA)?.minted, 2n * COIN);
    assert.deepEqual(fixture.counted('minted'), [{ tokenId: TSLA, amount: 2n * COIN }]);
  });

  test('completes a swap whose result overflows, without payment', () => {
    const fixture = new FutureFixture();
    fixture.make(owner, DUSD, 5_000n * COIN);
    assert.equal(fixture.swap(5_000n * COIN), undefined);
    fixture.price('TSLA', 4n);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual(listFutures(fixture.view, 'dfip2203'), []);
    assert.deepEqual([fixture.balance(owner, TSLA), getToken(fixture.view, TSLA)?.minted], [0n, 0n]);
    assert.deepEqual([fixture.counted('burned'), fixture.counted('minted')], [[{ tokenId: DUSD, amount: 5_000n * COIN }], []]);
  });

  test('pays an owner even if the minted amount overflows', () => {
    const fixture = new FutureFixture();
    fixture.make(owner, DUSD, 21n * COIN);
    fixture.make(contract, TSLA, 0x7fff_ffff_ffff_ffffn);
    assert.equal(fixture.swap(21n * COIN), undefined);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual([fixture.balance(owner, TSLA), getToken(fixture.view, TSLA)?.minted], [2n * COIN, 0x7fff_ffff_ffff_ffffn]);
  });

  test('pays DUSD for the token, at 5 % below its price', () => {
    const fixture = new FutureFixture();
    fixture.make(owner, TSLA, 2n * COIN);
    assert.equal(fixture.swap(2n * COIN, { tokenId: TSLA, destination: 0 }), undefined);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(owner, TSLA)], [19n * COIN, 0n]);
    assert.equal(getToken(fixture.view, DUSD)?.minted, 19n * COIN);
    assert.deepEqual(fixture.counted('burned'), [{ tokenId: TSLA, amount: 2n * COIN }]);
  });

  test('refunds a swap without a live price, and pays the others', () => {
    const fixture = new FutureFixture();
    fixture.make(owner, TSLA, 2n * COIN);
    fixture.make(other, DUSD, 10n * COIN);
    assert.equal(fixture.swap(2n * COIN, { tokenId: TSLA, destination: 0 }), undefined);
    assert.equal(fixture.swap(10n * COIN, { owner: other, destination: DUSD }), undefined);
    fixture.price('TSLA', 10n * COIN, 14n * COIN);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(owner, TSLA)], [0n, 2n * COIN]);
    // 10 DUSD at 1.05 dollars.
    assert.deepEqual([fixture.balance(other, DUSD), fixture.balance(contract, DUSD)], [952_380_952n, 10n * COIN]);
    assert.deepEqual([fixture.balance(contract, TSLA), fixture.counted('current')], [0n, [{ tokenId: DUSD, amount: 10n * COIN }]]);
    assert.deepEqual(listFutures(fixture.view, 'dfip2203'), []);
  });

  test('samples pools of tokens with future swaps, also between settlements', () => {
    for (const allowed of [true, false]) {
      const fixture = new FutureFixture({ df23: 0 });
      fixture.attribute('v0/params/dfip2211f/active', { kind: 'bool', value: true });
      fixture.attribute('v0/params/dfip2211f/liquidity_calc_sampling_period', { kind: 'amount', value: 3n });
      fixture.attribute(`v0/token/${TSLA}/dfip2203`, { kind: 'bool', value: allowed });
      const creation = { creationTx: NULL_HASH, creationHeight: 1 };
      const terms = { tokenA: TSLA, tokenB: DUSD, commission: 0n, owner, status: true, rewards: [], ...creation };
      putNewPool(fixture.view, 9, terms);
      const holdings = { reserveA: 7n, reserveB: 8n, totalLiquidity: 9n, commissionA: 0n, commissionB: 0n };
      putHoldings(fixture.view, 9, 100, { ...terms, ...holdings });
      for (const height of [107, 108]) fixture.runEvent(futureSettlement, height);
      const samples = [...fixture.view.entries(poolSamples)].map(([{ height, source }, amount]) => [height, source, amount]);
      assert.deepEqual(
        samples,
        allowed
          ? [
              [108, DUSD, 8n],
              [108, TSLA, 7n],
            ]
          : [],
      );
    }
  });
});

describe('settlement of future swaps of DFI', () => {
  test('pays DUSD at 5 % below the price', () => {
    const fixture = new FutureFixture();
    fixture.give(owner, DFI, 3n * COIN);
    assert.equal(fixture.swap(2n * COIN, { tokenId: DFI, destination: DUSD }), undefined);
    fixture.runEvent(dusdSettlement, 110);
    // 2 DFI at 4.75 dollars.
    assert.deepEqual([fixture.balance(owner, DFI), fixture.balance(owner, DUSD)], [COIN, 950_000_000n]);
    assert.equal(getToken(fixture.view, DUSD)?.minted, 950_000_000n);
    assert.deepEqual(listFutures(fixture.view, 'dfip2206f'), []);
    assert.deepEqual(
      [fixture.counted('burned', 'dfip2206f'), fixture.counted('minted', 'dfip2206f')],
      [[{ tokenId: DFI, amount: 2n * COIN }], [{ tokenId: DUSD, amount: 950_000_000n }]],
    );
  });

  test('refunds all without a live price', () => {
    const fixture = new FutureFixture();
    fixture.give(owner, DFI, 3n * COIN);
    assert.equal(fixture.swap(2n * COIN, { tokenId: DFI, destination: DUSD }), undefined);
    fixture.price('DFI', 5n * COIN, 7n * COIN);
    fixture.runEvent(dusdSettlement, 110);
    assert.deepEqual([fixture.balance(owner, DFI), fixture.balance(owner, DUSD)], [3n * COIN, 0n]);
    assert.deepEqual([listFutures(fixture.view, 'dfip2206f'), fixture.counted('current', 'dfip2206f')], [[], []]);
  });
});

test('future swaps of the empty script are neither debited nor refunded', () => {
  const fixture = new FutureFixture();
  assert.equal(fixture.swap(COIN, { owner: EMPTY_BYTES }), undefined);
  assert.equal(fixture.balance(contract, DUSD), COIN);
  assert.equal(fixture.swap(COIN, { owner: EMPTY_BYTES, withdraw: true }), undefined);
  assert.deepEqual([fixture.balance(contract, DUSD), fixture.balance(EMPTY_BYTES, DUSD)], [0n, 0n]);
});
