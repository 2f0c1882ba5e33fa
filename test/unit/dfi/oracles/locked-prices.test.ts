import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireFixedPrice } from '../../../../src/dfi/oracles/fixed-prices.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, LoanFixture, TSLA } from '../loan-fixture.js';

const LOCKED = { message: 'Fixed interval price currently disabled due to locked token' };

test('a price of a locked loan token is refused, also if the pair names it by its id', () => {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL));
  const names = ['TSLA', '2', '+2', '02', ' 2', 'TSLA '];
  for (const token of names) fixture.price(token, COIN);
  for (const token of names) assert.equal(requireFixedPrice(fixture.view, { token, currency: 'USD' }).next > 0n, true);
  fixture.attribute(`v0/locks/token/${TSLA}`, { kind: 'bool', value: true });
  for (const token of names) assert.throws(() => requireFixedPrice(fixture.view, { token, currency: 'USD' }), LOCKED, token);
});

test('a text with another number, or with a sign that ids do not have, names no token', () => {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL));
  fixture.attribute(`v0/locks/token/${TSLA}`, { kind: 'bool', value: true });
  for (const token of ['1', '-2', '++2', '4294967298', '2x']) {
    fixture.price(token, COIN);
    assert.equal(requireFixedPrice(fixture.view, { token, currency: 'USD' }).active, COIN, token);
  }
});
