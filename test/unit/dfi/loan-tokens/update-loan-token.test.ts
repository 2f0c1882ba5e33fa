import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateLoanToken } from '../../../../src/dfi/loan-tokens/transactions.js';
import { getToken, putToken, type Token, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, LoanFixture, TSLA } from '../loan-fixture.js';

const params = heights({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
const foundation = params.scripts.foundationMembers[0] as Uint8Array;

/** Updates a deprecated loan token with a long symbol. @returns its symbol afterwards */
function symbolAfter(symbol: string): string | undefined {
  const fixture = new LoanFixture(params);
  const old = getToken(fixture.view, TSLA) as Token;
  const creationTx = Buffer.alloc(32, 77);
  putToken(fixture.view, TSLA, { ...old, symbol: 'eol/GOOGL', creationTx, flags: old.flags | TokenFlag.deprecated });
  const pair = { token: 'TSLA', currency: 'USD' };
  const body = { tokenTx: creationTx, symbol, name: 'New name', pair, mintable: true, interest: COIN };
  assert.equal(fixture.failure(updateLoanToken, body, { from: [foundation] }), undefined);
  assert.equal(getToken(fixture.view, TSLA)?.name, 'New name');
  return getToken(fixture.view, TSLA)?.symbol;
}

test('UpdateLoanToken keeps an unchanged symbol uncut: that of a deprecated token is longer by its prefix', () => {
  assert.equal(symbolAfter('eol/GOOGL'), 'eol/GOOGL');
  assert.equal(symbolAfter('GOOGL'), 'eol/GOOGL');
  assert.equal(symbolAfter('eol/GOOGLE'), 'eol/GOOG');
});
