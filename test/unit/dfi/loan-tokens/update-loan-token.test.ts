import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LoanToken, legacyLoanTokens, loanSymbol } from '../../../../src/dfi/loan-tokens/columns.js';
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

describe('before the conversion to attributes', () => {
  const pair = { token: 'TSLA', currency: 'USD' };
  const late = { fortCanningCrunch: 1000, fortCanningSpring: 1000, fortCanningGreatWorld: 1000, fortCanningEpilogue: 1000 };
  const early = heights({ ...GRAND_CENTRAL, ...late, grandCentral: 1000, grandCentralEpilogue: 1000 });
  const creationTx = Buffer.alloc(32, 77);

  function update(changes: Partial<LoanToken & { symbol: string }>): { failure: string | undefined; fixture: LoanFixture } {
    const fixture = new LoanFixture(early);
    const { view } = fixture;
    putToken(view, TSLA, { ...(getToken(view, TSLA) as Token), creationTx });
    view.put(legacyLoanTokens, TSLA, { symbol: 'TSLA', name: 'x', pair, mintable: true, interest: COIN, creationTx, creationHeight: 1 });
    const body = { tokenTx: creationTx, symbol: 'TSLA', name: 'x', pair, mintable: true, interest: COIN, ...changes };
    return { failure: fixture.failure(updateLoanToken, body, { from: [foundation] }), fixture };
  }

  test('an unchanged price pair needs no oracle', () => {
    assert.equal(update({ mintable: false }).failure, undefined);
    const other = update({ pair: { token: 'TSLB', currency: 'USD' } });
    assert.equal(other.failure, 'UpdateLoanTokenTx: Price feed TSLB/USD does not belong to any oracle');
  });

  test('loans know a renamed token by the symbol of its creation', () => {
    const { failure, fixture } = update({ symbol: 'TSLB' });
    assert.equal(failure, undefined);
    assert.equal(getToken(fixture.view, TSLA)?.symbol, 'TSLB');
    assert.equal(loanSymbol(fixture.view, TSLA), 'TSLA');
    fixture.view.delete(legacyLoanTokens, TSLA);
    assert.equal(loanSymbol(fixture.view, TSLA), 'TSLB');
  });
});
