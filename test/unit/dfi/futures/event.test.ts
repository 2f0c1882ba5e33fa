import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { contractOf, listFutures, totalOf } from '../../../../src/dfi/futures/columns.js';
import { futureSettlement } from '../../../../src/dfi/futures/event.js';
import { futureSwap } from '../../../../src/dfi/futures/transactions.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights } from '../desk.js';
import { COIN, DUSD, LoanDesk, owner, TSLA } from '../loan-desk.js';

const contract = contractOf('dfip2203');

/** Futures settle every ten blocks, 5 % off the price. */
function makeDesk(): LoanDesk {
  const desk = new LoanDesk(heights(GRAND_CENTRAL));
  desk.attribute('v0/params/dfip2203/active', { form: 'bool', value: true });
  desk.attribute('v0/params/dfip2203/reward_pct', { form: 'amount', value: 5_000_000n });
  desk.attribute('v0/params/dfip2203/block_period', { form: 'amount', value: 10n });
  return desk;
}

function buy(desk: LoanDesk, amount: bigint, by = owner, withdraw = false): string | undefined {
  return desk.failure(futureSwap, { owner: by, source: { tokenId: DUSD, amount }, destination: TSLA, withdraw }, { from: [by] });
}

function total(desk: LoanDesk, name: 'current' | 'burned' | 'minted') {
  return totalOf(storedAttributes(desk.view), 'dfip2203', name);
}

describe('a settlement of futures', () => {
  test('pays dollars out in the token, 5 % above its price', () => {
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

  test('ends a swap whose outcome has no room, and pays nothing for it', () => {
    const desk = makeDesk();
    desk.make(owner, DUSD, 5_000n * COIN);
    assert.equal(buy(desk, 5_000n * COIN), undefined);
    desk.price('TSLA', 4n);
    desk.runEvent(futureSettlement, 110);
    assert.deepEqual(listFutures(desk.view, 'dfip2203'), []);
    assert.deepEqual([desk.balance(owner, TSLA), getToken(desk.view, TSLA)?.minted], [0n, 0n]);
    assert.deepEqual([total(desk, 'burned'), total(desk, 'minted')], [[{ tokenId: DUSD, amount: 5_000n * COIN }], []]);
  });

  test('pays what an owner has room for, where as much of the token cannot have been made', () => {
    const desk = makeDesk();
    desk.make(owner, DUSD, 21n * COIN);
    desk.make(contract, TSLA, 0x7fff_ffff_ffff_ffffn);
    assert.equal(buy(desk, 21n * COIN), undefined);
    desk.runEvent(futureSettlement, 110);
    assert.deepEqual([desk.balance(owner, TSLA), getToken(desk.view, TSLA)?.minted], [2n * COIN, 0x7fff_ffff_ffff_ffffn]);
  });
});

test('futures of nobody are paid by nobody, and given back to nobody', () => {
  const desk = makeDesk();
  assert.equal(buy(desk, COIN, EMPTY_BYTES), undefined);
  assert.equal(desk.balance(contract, DUSD), COIN);
  assert.equal(buy(desk, COIN, EMPTY_BYTES, true), undefined);
  assert.deepEqual([desk.balance(contract, DUSD), desk.balance(EMPTY_BYTES, DUSD)], [0n, 0n]);
});
