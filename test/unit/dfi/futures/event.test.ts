import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { contractOf, listFutures, totalOf } from '../../../../src/dfi/futures/columns.js';
import { futureSettlement } from '../../../../src/dfi/futures/event.js';
import { futureSwap } from '../../../../src/dfi/futures/transactions.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const contract = contractOf('dfip2203');

/** Settlement every ten blocks, at prices 5 % off. */
function makeDesk(): LoanFixture {
  const desk = new LoanFixture(heights(GRAND_CENTRAL));
  desk.attribute('v0/params/dfip2203/active', { kind: 'bool', value: true });
  desk.attribute('v0/params/dfip2203/reward_pct', { kind: 'amount', value: 5_000_000n });
  desk.attribute('v0/params/dfip2203/block_period', { kind: 'amount', value: 10n });
  return desk;
}

function buy(desk: LoanFixture, amount: bigint, by = owner, withdraw = false): string | undefined {
  return desk.failure(futureSwap, { owner: by, source: { tokenId: DUSD, amount }, destination: TSLA, withdraw }, { from: [by] });
}

function total(desk: LoanFixture, name: 'current' | 'burned' | 'minted') {
  return totalOf(storedAttributes(desk.view), 'dfip2203', name);
}

describe('settlement of future swaps', () => {
  test('pays the token for DUSD, at 5 % above its price', () => {
    const desk = makeDesk();
    desk.make(owner, DUSD, 21n * COIN);
    assert.equal(buy(desk, 21n * COIN), undefined);
    desk.runEvent(futureSettlement, 109);
    assert.equal(desk.balance(owner, TSLA), 0n);
    desk.runEvent(futureSettlement, 110);
    assert.deepEqual([desk.balance(owner, DUSD), desk.balance(owner, TSLA)], [0n, 2n * COIN]);
    assert.equal(getToken(desk.view, TSLA)?.minted, 2n * COIN);
    assert.deepEqual(total(desk, 'minted'), [{ tokenId: TSLA, amount: 2n * COIN }]);
  });

  test('completes a swap whose result overflows, without payment', () => {
    const desk = makeDesk();
    desk.make(owner, DUSD, 5_000n * COIN);
    assert.equal(buy(desk, 5_000n * COIN), undefined);
    desk.price('TSLA', 4n);
    desk.runEvent(futureSettlement, 110);
    assert.deepEqual(listFutures(desk.view, 'dfip2203'), []);
    assert.deepEqual([desk.balance(owner, TSLA), getToken(desk.view, TSLA)?.minted], [0n, 0n]);
    assert.deepEqual([total(desk, 'burned'), total(desk, 'minted')], [[{ tokenId: DUSD, amount: 5_000n * COIN }], []]);
  });

  test('pays an owner even if the minted amount overflows', () => {
    const desk = makeDesk();
    desk.make(owner, DUSD, 21n * COIN);
    desk.make(contract, TSLA, 0x7fff_ffff_ffff_ffffn);
    assert.equal(buy(desk, 21n * COIN), undefined);
    desk.runEvent(futureSettlement, 110);
    assert.deepEqual([desk.balance(owner, TSLA), getToken(desk.view, TSLA)?.minted], [2n * COIN, 0x7fff_ffff_ffff_ffffn]);
  });
});

test('future swaps of the empty script are neither debited nor refunded', () => {
  const desk = makeDesk();
  assert.equal(buy(desk, COIN, EMPTY_BYTES), undefined);
  assert.equal(desk.balance(contract, DUSD), COIN);
  assert.equal(buy(desk, COIN, EMPTY_BYTES, true), undefined);
  assert.deepEqual([desk.balance(contract, DUSD), desk.balance(EMPTY_BYTES, DUSD)], [0n, 0n]);
});
