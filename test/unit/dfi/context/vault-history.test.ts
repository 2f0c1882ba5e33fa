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

function withDeposit(keepsVaults: boolean): { readonly desk: VaultFixture; readonly vaultId: Hash256 } {
  const desk = new VaultFixture(keepsVaults);
  const scheme = { ratio: 300, rate: COIN, id: 'LOAN300', updateHeight: 0n };
  assert.equal(desk.failure(setLoanScheme, scheme, founder), undefined);
  const vaultId = desk.openVault('LOAN300');
  desk.give(owner, DFI, 10n * COIN);
  assert.equal(desk.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DFI, amount: 10n * COIN } }), undefined);
  assert.equal(desk.failure(setLoanScheme, { ...scheme, ratio: 400, updateHeight: 0xffff_ffff_ffff_ffffn }, founder), undefined);
  return { desk, vaultId };
}

test('a deposit is recorded as a debit of the owner and a credit of the vault', () => {
  const { desk, vaultId } = withDeposit(true);
  desk.history.write(desk.view);
  const records = [...vaultRecords(desk.view, vaultId, everything)].map(([key, record]) => [key.owner.length, record.differences]);
  assert.deepEqual(records, [
    [0, [{ tokenId: DFI, amount: 10n * COIN }]],
    [owner.length, [{ tokenId: DFI, amount: -10n * COIN }]],
  ]);
});

test('a vault has the terms of its scheme at the time, and the later changes of that scheme', () => {
  const { desk, vaultId } = withDeposit(true);
  desk.history.write(desk.view);
  const schemes = [...schemesOf(desk.view, vaultId, everything)];
  assert.deepEqual(
    schemes.map(({ terms }) => terms?.scheme),
    [{ ratio: 300, rate: COIN }],
  );
  const had = new Map([[100, schemes[0]?.creationTx as Hash256]]);
  const changes = [...schemeChanges(desk.view, had, everything)].map(([, { scheme }]) => scheme.ratio);
  assert.deepEqual(changes, [400, 300]);
});

test('a snapshot has the ratio that the caller passed', () => {
  const { desk, vaultId } = withDeposit(true);
  recordSnapshot(desk, vaultId, 149);
  desk.history.write(desk.view);
  const found = [...snapshotsOf(desk.view, vaultId, everything)].map(([height, { ratio }]) => [height, ratio]);
  assert.deepEqual(found, [[100, 149]]);
});

test('no history of vaults is kept unless enabled', () => {
  const { desk, vaultId } = withDeposit(false);
  desk.history.write(desk.view);
  assert.deepEqual([...vaultRecords(desk.view, vaultId, everything)], []);
  assert.deepEqual([...schemesOf(desk.view, vaultId, everything)], []);
});
