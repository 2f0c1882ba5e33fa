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
function makeFixture(): LoanFixture {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL));
  fixture.attribute('v0/params/dfip2203/active', { kind: 'bool', value: true });
  fixture.attribute('v0/params/dfip2203/reward_pct', { kind: 'amount', value: 5_000_000n });
  fixture.attribute('v0/params/dfip2203/block_period', { kind: 'amount', value: 10n });
  return fixture;
}

function buy(fixture: LoanFixture, amount: bigint, by = owner, withdraw = false): string | undefined {
  return fixture.failure(futureSwap, { owner: by, source: { tokenId: DUSD, amount }, destination: TSLA, withdraw }, { from: [by] });
}

function total(fixture: LoanFixture, name: 'current' | 'burned' | 'minted') {
  return totalOf(storedAttributes(fixture.view), 'dfip2203', name);
}

describe('settlement of future swaps', () => {
  test('pays the token for DUSD, at 5 % above its price', () => {
    const fixture = makeFixture();
    fixture.make(owner, DUSD, 21n * COIN);
    assert.equal(buy(fixture, 21n * COIN), undefined);
    fixture.runEvent(futureSettlement, 109);
    assert.equal(fixture.balance(owner, TSLA), 0n);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual([fixture.balance(owner, DUSD), fixture.balance(owner, TSLA)], [0n, 2n * COIN]);
    assert.equal(getToken(fixture.view, TSLA)?.minted, 2n * COIN);
    assert.deepEqual(total(fixture, 'minted'), [{ tokenId: TSLA, amount: 2n * COIN }]);
  });

  test('completes a swap whose result overflows, without payment', () => {
    const fixture = makeFixture();
    fixture.make(owner, DUSD, 5_000n * COIN);
    assert.equal(buy(fixture, 5_000n * COIN), undefined);
    fixture.price('TSLA', 4n);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual(listFutures(fixture.view, 'dfip2203'), []);
    assert.deepEqual([fixture.balance(owner, TSLA), getToken(fixture.view, TSLA)?.minted], [0n, 0n]);
    assert.deepEqual([total(fixture, 'burned'), total(fixture, 'minted')], [[{ tokenId: DUSD, amount: 5_000n * COIN }], []]);
  });

  test('pays an owner even if the minted amount overflows', () => {
    const fixture = makeFixture();
    fixture.make(owner, DUSD, 21n * COIN);
    fixture.make(contract, TSLA, 0x7fff_ffff_ffff_ffffn);
    assert.equal(buy(fixture, 21n * COIN), undefined);
    fixture.runEvent(futureSettlement, 110);
    assert.deepEqual([fixture.balance(owner, TSLA), getToken(fixture.view, TSLA)?.minted], [2n * COIN, 0x7fff_ffff_ffff_ffffn]);
  });
});

test('future swaps of the empty script are neither debited nor refunded', () => {
  const fixture = makeFixture();
  assert.equal(buy(fixture, COIN, EMPTY_BYTES), undefined);
  assert.equal(fixture.balance(contract, DUSD), COIN);
  assert.equal(buy(fixture, COIN, EMPTY_BYTES, true), undefined);
  assert.deepEqual([fixture.balance(contract, DUSD), fixture.balance(EMPTY_BYTES, DUSD)], [0n, 0n]);
});
