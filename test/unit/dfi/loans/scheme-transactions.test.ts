import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultScheme, getLoanScheme } from '../../../../src/dfi/loans/scheme-columns.js';
import {
  destroyLoanScheme,
  type SetLoanScheme,
  setDefaultLoanScheme,
  setLoanScheme,
} from '../../../../src/dfi/loans/scheme-transactions.js';
import { loanSchemeChanges } from '../../../../src/dfi/loans/schemes-event.js';
import { getVault } from '../../../../src/dfi/vaults/columns.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, LoanFixture } from '../loan-fixture.js';

const params = heights(GRAND_CENTRAL);
const founder = { from: [params.scripts.foundationMembers[0] as Uint8Array] };
const loan: SetLoanScheme = { ratio: 300, rate: COIN, id: 'LOAN300', updateHeight: 0n };

function set(fixture: LoanFixture, changed: Partial<SetLoanScheme>): string | undefined {
  return fixture.failure(setLoanScheme, { ...loan, ...changed }, founder)?.replace('LoanSchemeTx: ', '');
}

describe('LoanScheme', () => {
  const cases: readonly { readonly changed: Partial<SetLoanScheme>; readonly expected: string | undefined }[] = [
    { changed: {}, expected: undefined },
    { changed: { ratio: 100, rate: 1_000_000n, id: '12345678' }, expected: undefined },
    { changed: { ratio: 99 }, expected: 'minimum collateral ratio cannot be less than 100' },
    { changed: { rate: 999_999n }, expected: 'interest rate cannot be less than 0.01' },
    { changed: { id: '' }, expected: 'id cannot be empty or more than 8 chars long' },
    { changed: { id: '123456789' }, expected: 'id cannot be empty or more than 8 chars long' },
    { changed: { ratio: 150, rate: 5n * COIN }, expected: 'Loan scheme LOAN150 with same interestrate and mincolratio already exists' },
    { changed: { id: 'LOAN150' }, expected: 'Loan scheme already exist with id LOAN150' },
    { changed: { updateHeight: 200n }, expected: 'Cannot find existing loan scheme with id LOAN300' },
    { changed: { id: '\xc3\xa9', updateHeight: 200n }, expected: 'Cannot find existing loan scheme with id \u00e9' },
    { changed: { id: 'LOAN150', updateHeight: 99n }, expected: 'Update height below current block height, set future height' },
  ];
  for (const { changed, expected } of cases) {
    test(
      JSON.stringify(changed, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
      () => {
        assert.equal(set(new LoanFixture(params), changed), expected);
      },
    );
  }

  test('needs the foundation', () => {
    assert.equal(new LoanFixture(params).failure(setLoanScheme, loan), 'LoanSchemeTx: tx not from foundation member!');
  });

  test('needs the foundation to become the default or be destroyed too', () => {
    const fixture = new LoanFixture(params);
    const text = 'tx not from foundation member!';
    assert.equal(fixture.failure(setDefaultLoanScheme, { id: 'LOAN200' }), `DefaultLoanSchemeTx: ${text}`);
    assert.equal(fixture.failure(destroyLoanScheme, { id: 'LOAN200', destroyHeight: 0n }), `DestroyLoanSchemeTx: ${text}`);
    const unknown = 'Cannot find existing loan scheme with id LOAN999';
    assert.equal(fixture.failure(setDefaultLoanScheme, { id: 'LOAN999' }, founder), `DefaultLoanSchemeTx: ${unknown}`);
    assert.equal(fixture.failure(destroyLoanScheme, { id: 'LOAN999', destroyHeight: 0n }, founder), `DestroyLoanSchemeTx: ${unknown}`);
    const late = 'DestroyLoanSchemeTx: Destruction height below current block height, set future height';
    assert.equal(fixture.failure(destroyLoanScheme, { id: 'LOAN200', destroyHeight: 99n }, founder), late);
    assert.equal(fixture.failure(destroyLoanScheme, { id: 'LOAN200', destroyHeight: 101n }, founder), undefined);
  });

  test('changes at its height and not before', () => {
    const fixture = new LoanFixture(params);
    assert.equal(set(fixture, { id: 'LOAN150', updateHeight: 110n }), undefined);
    assert.equal(set(fixture, {}), 'Loan scheme LOAN150 with same interestrate and mincolratio pending on block 110');
    fixture.runEvent(loanSchemeChanges, 109);
    assert.equal(getLoanScheme(fixture.view, 'LOAN150')?.ratio, 150);
    fixture.runEvent(loanSchemeChanges, 110);
    assert.deepEqual(getLoanScheme(fixture.view, 'LOAN150'), { ratio: 300, rate: COIN });
  });
});

describe('DestroyLoanScheme', () => {
  test('rejects the default scheme', () => {
    const text = 'DestroyLoanSchemeTx: Cannot destroy default loan scheme, set new default first';
    assert.equal(new LoanFixture(params).failure(destroyLoanScheme, { id: 'LOAN150', destroyHeight: 0n }, founder), text);
  });

  test('assigns the default scheme to its vaults, immediately or at its height', () => {
    const fixture = new LoanFixture(params);
    const vaultId = fixture.openVault('LOAN200');
    assert.equal(fixture.failure(destroyLoanScheme, { id: 'LOAN200', destroyHeight: 110n }, founder), undefined);
    const pending = 'DefaultLoanSchemeTx: Cannot set LOAN200 as default, set to destroyed on block 110';
    assert.equal(fixture.failure(setDefaultLoanScheme, { id: 'LOAN200' }, founder), pending);
    fixture.runEvent(loanSchemeChanges, 109);
    assert.equal(getVault(fixture.view, vaultId)?.scheme, 'LOAN200');
    fixture.runEvent(loanSchemeChanges, 110);
    assert.equal(getVault(fixture.view, vaultId)?.scheme, 'LOAN150');
    assert.equal(getLoanScheme(fixture.view, 'LOAN200'), undefined);
  });

  test('deletes pending changes too', () => {
    const fixture = new LoanFixture(params);
    assert.equal(set(fixture, { id: 'LOAN200', updateHeight: 110n }), undefined);
    assert.equal(fixture.failure(destroyLoanScheme, { id: 'LOAN200', destroyHeight: 0n }, founder), undefined);
    fixture.runEvent(loanSchemeChanges, 110);
    assert.equal(getLoanScheme(fixture.view, 'LOAN200'), undefined);
  });
});

test('the default scheme can be changed, but not to itself', () => {
  const fixture = new LoanFixture(params);
  assert.equal(fixture.failure(setDefaultLoanScheme, { id: 'LOAN200' }, founder), undefined);
  assert.equal(defaultScheme(fixture.view), 'LOAN200');
  const again = 'DefaultLoanSchemeTx: Loan scheme with id LOAN200 is already set as default';
  assert.equal(fixture.failure(setDefaultLoanScheme, { id: 'LOAN200' }, founder), again);
});
