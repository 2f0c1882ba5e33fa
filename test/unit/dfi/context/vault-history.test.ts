import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordSnapshot } from '../../../../src/dfi/auctions/vault-snapshots.js';
import { BlockHistory } from '../../../../src/dfi/context/history.js';
import { setLoanScheme } from '../../../../src/dfi/loans/scheme-transactions.js';
import { depositToVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { schemeChanges, schemesOf, snapshotsOf, vaultRecords } from '../../../../src/dfi/vaults/history-queries.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, DFI, LoanFixture, owner } from '../loan-fixture.js';

const params = heights(GRAND_CENTRAL);
const founder = { from: [params.scripts.foundationMembers[0] as Uint8Array] };
const everything = { highest: 1000, lowest: 0 };

/** Fixture whose block history includes vaults, or not. */
class VaultFixture extends LoanFixture {
  override readonly history: BlockHistory;
  constructor(keepsVaults: boolean) {
    super(params);
    this.history = new BlockHistory(this.height, params, true, keepsVaults);
  }
}

function withDeposit(keepsVaults: boolean): { readonly fixture: VaultFixture; readonly vaultId: Hash256 } {
  const fixture = new VaultFixture(keepsVaults);
  const scheme = { ratio: 300, rate: COIN, id: 'LOAN300', updateHeight: 0n };
  assert.equal(fixture.failure(setLoanScheme, scheme, founder), undefined);
  const vaultId = fixture.openVault('LOAN300');
  fixture.give(owner, DFI, 10n * COIN);
  assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DFI, amount: 10n * COIN } }), undefined);
  assert.equal(fixture.failure(setLoanScheme, { ...scheme, ratio: 400, updateHeight: 0xffff_ffff_ffff_ffffn }, founder), undefined);
  return { fixture, vaultId };
}

test('a deposit is recorded as a debit of the owner and a credit of the vault', () => {
  const { fixture, vaultId } = withDeposit(true);
  fixture.history.write(fixture.view);
  const records = [...vaultRecords(fixture.view, vaultId, everything)].map(([key, record]) => [key.owner.length, record.differences]);
  assert.deepEqual(records, [
    [0, [{ tokenId: DFI, amount: 10n * COIN }]],
    [owner.length, [{ tokenId: DFI, amount: -10n * COIN }]],
  ]);
});

test('a vault has the terms of its scheme at the time, and the later changes of that scheme', () => {
  const { fixture, vaultId } = withDeposit(true);
  fixture.history.write(fixture.view);
  const schemes = [...schemesOf(fixture.view, vaultId, everything)];
  assert.deepEqual(
    schemes.map(({ terms }) => terms?.scheme),
    [{ ratio: 300, rate: COIN }],
  );
  const had = new Map([[100, schemes[0]?.creationTx as Hash256]]);
  const changes = [...schemeChanges(fixture.view, had, everything)].map((each) => [...each].map(([, { scheme }]) => scheme.ratio));
  assert.deepEqual(changes, [[400, 300]]);
});

test('a snapshot has the ratio that the caller passed', () => {
  const { fixture, vaultId } = withDeposit(true);
  recordSnapshot(fixture, vaultId, 149);
  fixture.history.write(fixture.view);
  const found = [...snapshotsOf(fixture.view, vaultId, everything)].map(([height, { ratio }]) => [height, ratio]);
  assert.deepEqual(found, [[100, 149]]);
});

test('no history of vaults is kept unless enabled', () => {
  const { fixture, vaultId } = withDeposit(false);
  fixture.history.write(fixture.view);
  assert.deepEqual([...vaultRecords(fixture.view, vaultId, everything)], []);
  assert.deepEqual([...schemesOf(fixture.view, vaultId, everything)], []);
});
