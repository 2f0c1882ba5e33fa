import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeLoan } from '../../../src/dfi/loans/transactions.js';
import { depositToVault } from '../../../src/dfi/vaults/collateral-transactions.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { CallContext } from '../../../src/rpc/handler.js';
import { getInterest, getStoredInterest } from '../../../src/services/loans/interest.js';
import { listLoanSchemes } from '../../../src/services/loans/schemes.js';
import { estimateCollateral, estimateLoan } from '../../../src/services/vaults/estimates.js';
import { getVault } from '../../../src/services/vaults/vaults.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { COIN, DFI, LoanFixture, owner, TSLA } from '../../unit/dfi/loan-fixture.js';
import { giveSnapshot } from '../state-asker.js';

const call = { dialect: 'document', signal: new AbortController().signal } as unknown as CallContext;

/** Vault with 30 DFI, worth 150 USD, and a loan of 5 TSLA, worth 50 USD; the tip is the block of the loan. */
function indebted() {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL));
  const vaultId = fixture.openVault();
  fixture.give(owner, DFI, 30n * COIN);
  assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DFI, amount: 30n * COIN } }), undefined);
  assert.equal(fixture.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId: TSLA, amount: 5n * COIN }] }), undefined);
  const chain = { state: fixture.view, params: fixture.params, tip: { height: fixture.height } };
  giveSnapshot(chain);
  return {
    modules: { chain } as unknown as Parameters<typeof getVault>[0] & Parameters<typeof getInterest>[0],
    vaultid: formatHash(vaultId),
  };
}

test('getvault values a vault for the next block', async () => {
  const { modules, vaultid } = indebted();
  const { vault } = await getVault(modules, { vaultid, verbose: true }, call);
  assert.equal(vault?.form?.$case, 'vault');
  const shown = vault.form.value;
  // Interest per block: 951.29 satoshis of TSLA, rounded up, at 10 USD each.
  assert.equal(shown.state, 'active');
  assert.deepEqual(
    shown.loanamounts.map(({ amount, token }) => [amount, token]),
    [[500_000_952n, 'TSLA']],
  );
  const values = [shown.collateralvalue, shown.loanvalue, shown.interestvalue].map((value) => value?.form?.value);
  assert.deepEqual(values, [150n * COIN, 5_000_009_520n, 9_520n]);
  assert.deepEqual([shown.collateralratio, shown.nextcollateralratio], [300, 300]);
  assert.deepEqual(shown.interestsperblock?.texts, ['0.000009512937595129375951@TSLA']);
});

test('getvault refuses unknown vaults', () => {
  const { modules } = indebted();
  const vaultid = '07'.repeat(32);
  assert.throws(() => getVault(modules, { vaultid, verbose: undefined }, call), { message: `Vault <${vaultid}> not found` });
});

test('interest is shown as stored, and as owed', async () => {
  const { modules, vaultid } = indebted();
  const stored = await getStoredInterest(modules, { vaultid, token: 'TSLA' }, call);
  assert.deepEqual(stored, {
    interesttoheight: '0.000000000000000000000000',
    interestperblock: '0.000009512937595129375951',
    height: 100n,
  });
  const { interest } = await getInterest(modules, { id: 'LOAN150', token: undefined }, call);
  assert.deepEqual(
    interest.map(({ token, totalinterest, interestperblock }) => [token, totalinterest, interestperblock]),
    [['TSLA', 952n, 952n]],
  );
});

test('estimates use prices, factors and ratios', async () => {
  const { modules, vaultid } = indebted();
  const loan = await estimateLoan(modules, { vaultid, tokens: { TSLA: COIN }, targetratio: 300n }, call);
  assert.deepEqual(
    loan.amounts.map(({ amount }) => amount),
    [5n * COIN],
  );
  const loanamounts = { form: { $case: 'text', value: '5@TSLA' } } as const;
  const collateral = await estimateCollateral(modules, { loanamounts, targetratio: 300, tokens: {} }, call);
  assert.deepEqual(
    collateral.amounts.map(({ amount }) => amount),
    [30n * COIN],
  );
  const half = { vaultid, tokens: { TSLA: COIN / 2n }, targetratio: undefined };
  assert.throws(() => estimateLoan(modules, half, call), {
    message: 'total split between loan tokens = 0.50000000 vs expected 1.00000000',
  });
});

test('loan schemes are listed by ratio', async () => {
  const { modules } = indebted();
  const { schemes } = await listLoanSchemes(modules, {}, call);
  assert.deepEqual(
    schemes.map(({ id, default: isDefault }) => [id, isDefault]),
    [
      ['LOAN150', true],
      ['LOAN200', false],
    ],
  );
});
