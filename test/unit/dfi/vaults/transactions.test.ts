import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyByOwner } from '../../../../src/dfi/accounts/history-columns.js';
import { interestRates, loansOf } from '../../../../src/dfi/loans/columns.js';
import { endingSchemes, loanSchemeColumns } from '../../../../src/dfi/loans/scheme-columns.js';
import { economyTotal } from '../../../../src/dfi/loans/totals.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { depositToVault, withdrawFromVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { collateralOf, getVault, vaultCollaterals, vaultFees, vaultOwners, vaultsOf } from '../../../../src/dfi/vaults/columns.js';
import { closeVault, createVault, updateVault } from '../../../../src/dfi/vaults/transactions.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import type { Column } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { addAsset } from '../governance-context.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const params = heights(GRAND_CENTRAL);
const [stranger] = [script(2)];

/** Vault with a collateral of 30 DFI, worth 150 dollars. */
function withVault(given = params): { readonly fixture: LoanFixture; readonly vaultId: Hash256 } {
  const fixture = new LoanFixture(given);
  const vaultId = fixture.openVault();
  fixture.give(owner, DFI, 30n * COIN);
  assert.equal(deposit(fixture, vaultId, DFI, 30n * COIN), undefined);
  return { fixture, vaultId };
}

function deposit(fixture: LoanFixture, vaultId: Hash256, tokenId: number, amount: bigint): string | undefined {
  return fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId, amount } });
}

function withdraw(fixture: LoanFixture, vaultId: Hash256, tokenId: number, amount: bigint): string | undefined {
  return fixture.failure(withdrawFromVault, { vaultId, to: owner, amount: { tokenId, amount } });
}

function borrow(fixture: LoanFixture, vaultId: Hash256, tokenId: number, amount: bigint): string | undefined {
  return fixture.failure(takeLoan, { vaultId, to: new Uint8Array(), amounts: [{ tokenId, amount }] });
}

describe('Vault', () => {
  test('needs the exact fee, half of which is refunded', () => {
    const fixture = new LoanFixture(params);
    const fee = 'VaultTx: Malformed tx vouts, creation vault fee is 1.00000000 DFI';
    for (const value of [COIN - 1n, COIN + 1n]) assert.equal(fixture.failure(createVault, { owner, scheme: '' }, { value }), fee);
    const vaultId = fixture.openVault();
    assert.equal(fixture.failure(closeVault, { vaultId, to: stranger }), undefined);
    assert.equal(fixture.balance(stranger), COIN / 2n);
    assert.equal(getVault(fixture.view, vaultId), undefined);
  });

  test('gets the named scheme, or the default one', () => {
    const fixture = new LoanFixture(params);
    assert.equal(getVault(fixture.view, fixture.openVault('LOAN200'))?.scheme, 'LOAN200');
    assert.equal(getVault(fixture.view, fixture.openVault())?.scheme, 'LOAN150');
    const unknown = 'VaultTx: Cannot find existing loan scheme with id LOAN999';
    assert.equal(fixture.failure(createVault, { owner, scheme: 'LOAN999' }, { value: COIN }), unknown);
  });
});

describe('Vault, its scheme and its index', () => {
  test('needs a default scheme if none is named, and one that is not about to be destroyed', () => {
    const fixture = new LoanFixture(params);
    fixture.view.put(endingSchemes, 'LOAN200', 200n);
    const ending = 'Cannot set LOAN200 as loan scheme, set to be destroyed on block 200';
    assert.equal(fixture.failure(createVault, { owner, scheme: 'LOAN200' }, { value: COIN }), `VaultTx: ${ending}`);
    const vaultId = fixture.openVault();
    assert.equal(fixture.failure(updateVault, { vaultId, owner, scheme: 'LOAN200' }), `UpdateVaultTx: ${ending}`);
    const unknown = 'UpdateVaultTx: Cannot find existing loan scheme with id LOAN999';
    assert.equal(fixture.failure(updateVault, { vaultId, owner, scheme: 'LOAN999' }), unknown);
    const defaults = loanSchemeColumns.find(({ name }) => name === 'dfi/loan-scheme-default');
    fixture.view.delete(defaults as Column<number, string>, 0);
    assert.equal(fixture.failure(createVault, { owner, scheme: '' }, { value: COIN }), 'VaultTx: There is no default loan scheme');
  });

  test('is found by its present owner, until it is closed', () => {
    const { fixture, vaultId } = withVault();
    const found = (of: Uint8Array) => [...vaultsOf(fixture.view, of)].map(([id]) => toHex(id));
    assert.deepEqual([found(owner), found(stranger)], [[toHex(vaultId)], []]);
    assert.equal(fixture.failure(updateVault, { vaultId, owner: stranger, scheme: 'LOAN150' }), undefined);
    assert.deepEqual([found(owner), found(stranger)], [[], [toHex(vaultId)]]);
    assert.equal(fixture.failure(closeVault, { vaultId, to: owner }, { from: [stranger] }), undefined);
    const rows = [...fixture.view.entries(vaultOwners)].length + [...fixture.view.entries(vaultCollaterals)].length;
    assert.deepEqual([found(stranger), rows], [[], 0]);
  });

  test('keeps its fee from DF23 on, half of which is refunded whatever the fee is later', () => {
    const closed = (df23: number) => {
      const fixture = new LoanFixture(heights({ ...GRAND_CENTRAL, df23 }));
      const vaultId = fixture.openVault();
      const kept = fixture.view.get(vaultFees, vaultId);
      if (kept !== undefined) fixture.view.put(vaultFees, vaultId, 3n * COIN);
      assert.equal(fixture.failure(closeVault, { vaultId, to: stranger }), undefined);
      return [kept, fixture.balance(stranger), [...fixture.view.entries(vaultFees)].length];
    };
    assert.deepEqual(closed(100), [COIN, (3n * COIN) / 2n, 0]);
    assert.deepEqual(closed(101), [undefined, COIN / 2n, 0]);
  });

  test('burns half of its fee in the history of burns', () => {
    assert.deepEqual(
      [2n * COIN, 3n].map((value) => createVault.feeBurn?.(value, new LoanFixture(params) as never)),
      [COIN, 1n],
    );
  });
});

describe('CloseVault', () => {
  test('pays out the collateral', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(fixture.failure(closeVault, { vaultId, to: owner }), undefined);
    assert.equal(fixture.balance(owner), 30n * COIN + COIN / 2n);
  });

  test('needs the owner, and a vault without loans', () => {
    const { fixture, vaultId } = withVault();
    const notOwner = 'CloseVaultTx: tx must have at least one input from token owner';
    assert.equal(fixture.failure(closeVault, { vaultId, to: owner }, { from: [stranger] }), notOwner);
    assert.equal(borrow(fixture, vaultId, TSLA, COIN), undefined);
    assert.match(fixture.failure(closeVault, { vaultId, to: owner }) ?? '', /^CloseVaultTx: Vault <[0-9a-f]{64}> has loans$/);
  });
});

describe('CloseVault, rewards and negative interest', () => {
  test('materialises the rewards of the recipient', () => {
    const { fixture, vaultId } = withVault();
    fixture.openEarningPool(3, stranger, 90);
    assert.equal(fixture.failure(closeVault, { vaultId, to: stranger }), undefined);
    // 500 satoshis in each of ten blocks.
    assert.equal(fixture.balance(stranger, DFI), 30n * COIN + COIN / 2n + 5_000n);
  });

  test('ends loans that negative interest covers, and counts it', () => {
    const { fixture, vaultId } = withVault({ ...params, keepsNegativeInterest: true });
    fixture.loanToken(TSLA, -500n * COIN);
    assert.equal(fixture.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId: TSLA, amount: 2n * COIN }] }), undefined);
    // -495 % in a year of 52,560 blocks.
    const close = (height: number) => fixture.failure(closeVault, { vaultId, to: owner }, { height });
    assert.match(close(100 + 10_618) ?? '', /has loans$/);
    assert.equal(close(100 + 10_619), undefined);
    assert.equal(loansOf(fixture.view, vaultId), undefined);
    assert.deepEqual(economyTotal(fixture.view, 'negativeInterest'), [{ tokenId: TSLA, amount: 2n * COIN }]);
  });
});

describe('UpdateVault, ratio and interest', () => {
  test('needs no collateral if the scheme remains', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(borrow(fixture, vaultId, TSLA, 5n * COIN), undefined);
    fixture.price('DFI', COIN);
    assert.equal(fixture.failure(updateVault, { vaultId, owner: stranger, scheme: 'LOAN150' }), undefined);
  });

  test('applies the rate of the new scheme at once from Great World on', () => {
    const perBlock = (fortCanningGreatWorld: number) => {
      const { fortCanningEpilogue: _epilogue, grandCentral: _grandCentral, ...world } = GRAND_CENTRAL;
      const { fixture, vaultId } = withVault(heights({ ...world, fortCanningGreatWorld }));
      assert.equal(borrow(fixture, vaultId, TSLA, COIN), undefined);
      const rate = () => fixture.view.get(interestRates, { vaultId, tokenId: TSLA })?.perBlock.amount as bigint;
      const before = rate();
      assert.equal(fixture.failure(updateVault, { vaultId, owner, scheme: 'LOAN200' }), undefined);
      return (rate() * 100n) / before;
    };
    // 5 % of the token and 2 % of the scheme instead of 5 %.
    assert.deepEqual([perBlock(100), perBlock(101)], [70n, 100n]);
  });
});

describe('DepositToVault, owner, rewards and ratio', () => {
  test('needs the owner of the account, and materialises the rewards of that', () => {
    const { fixture, vaultId } = withVault();
    const body = { vaultId, from: stranger, amount: { tokenId: DFI, amount: 5_000n } };
    const text = 'DepositToVaultTx: tx must have at least one input from token owner';
    assert.equal(fixture.failure(depositToVault, body), text);
    fixture.openEarningPool(3, stranger, 90);
    // 500 satoshis in each of ten blocks.
    assert.equal(fixture.failure(depositToVault, body, { from: [stranger] }), undefined);
    assert.equal(fixture.balance(stranger, DFI), 0n);
  });

  test('must restore the ratio if it is too low', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(borrow(fixture, vaultId, TSLA, 5n * COIN), undefined);
    fixture.price('DFI', COIN);
    fixture.give(owner, DFI, 100n * COIN);
    const text = 'DepositToVaultTx: Vault does not have enough collateralization ratio defined by loan scheme - 62 < 150';
    assert.equal(deposit(fixture, vaultId, DFI, COIN), text);
    assert.equal(deposit(fixture, vaultId, DFI, 45n * COIN + 10_000n), undefined);
  });
});

describe('UpdateVault', () => {
  test('changes owner and scheme if the collateral suffices', () => {
    const { fixture, vaultId } = withVault();
    // 150 dollars of collateral for a loan of 75.
    assert.equal(borrow(fixture, vaultId, TSLA, (15n * COIN) / 2n), undefined);
    assert.equal(fixture.failure(updateVault, { vaultId, owner: stranger, scheme: 'LOAN200' }), undefined);
    assert.deepEqual(getVault(fixture.view, vaultId), { owner: stranger, scheme: 'LOAN200', isUnderLiquidation: false });
  });

  test('fails one percent below the ratio', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(borrow(fixture, vaultId, TSLA, (76n * COIN) / 10n), undefined);
    const text = 'UpdateVaultTx: Vault does not have enough collateralization ratio defined by loan scheme - 197 < 200';
    assert.equal(fixture.failure(updateVault, { vaultId, owner, scheme: 'LOAN200' }), text);
  });
});

describe('DepositToVault', () => {
  test('accepts collateral tokens only, while they are enabled', () => {
    const { fixture, vaultId } = withVault();
    fixture.make(owner, TSLA, COIN);
    assert.equal(deposit(fixture, vaultId, TSLA, COIN), 'DepositToVaultTx: Collateral token with id (2) does not exist!');
    fixture.attribute('v0/token/1/loan_collateral_enabled', { kind: 'bool', value: false });
    assert.equal(deposit(fixture, vaultId, DUSD, COIN), 'DepositToVaultTx: Collateral token (1) is disabled');
  });

  test('reports the owner with too small a balance', () => {
    const { fixture, vaultId } = withVault();
    const text = deposit(fixture, vaultId, DFI, 1n) ?? '';
    assert.match(
      text,
      /^DepositToVaultTx: Insufficient funds: can't subtract balance of bcrt1\w+: amount 0\.00000000 is less than 0\.00000001\n$/,
    );
  });
});

describe('WithdrawFromVault', () => {
  test("materialises the recipient's rewards from Metachain on, and the history includes them", () => {
    const record = (metachain: number) => {
      const { fixture, vaultId } = withVault(heights({ ...GRAND_CENTRAL, metachain }));
      fixture.openEarningPool(3, stranger, 90);
      const amount = { tokenId: DFI, amount: COIN };
      assert.equal(fixture.failure(withdrawFromVault, { vaultId, to: stranger, amount }), undefined);
      fixture.history.write(fixture.view);
      // Creation of the vault and deposit were transactions 1 and 2 of the block.
      return fixture.view.get(historyByOwner, { owner: stranger, height: fixture.height, txn: 3 })?.differences;
    };
    // 500 satoshis in each of ten blocks.
    assert.deepEqual(record(100), [{ tokenId: DFI, amount: COIN + 5_000n }]);
    assert.deepEqual(record(101), [{ tokenId: DFI, amount: COIN }]);
  });

  test('leaves enough collateral for the loans', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(borrow(fixture, vaultId, TSLA, 5n * COIN), undefined);
    const text = 'WithdrawFromVaultTx: Vault does not have enough collateralization ratio defined by loan scheme - 149 < 150';
    // 75 dollars are enough; rounding tolerates up to 25 cents.
    assert.equal(withdraw(fixture, vaultId, DFI, 15n * COIN + 6_000_000n), text);
    assert.equal(withdraw(fixture, vaultId, DFI, 15n * COIN), undefined);
    assert.deepEqual(collateralOf(fixture.view, vaultId), [{ tokenId: DFI, amount: 15n * COIN }]);
  });

  test('empties a vault without loans, and no other', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(borrow(fixture, vaultId, TSLA, COIN), undefined);
    const text = 'WithdrawFromVaultTx: Cannot withdraw all collaterals as there are still active loans in this vault';
    assert.equal(withdraw(fixture, vaultId, DFI, 30n * COIN), text);
    const { fixture: other, vaultId: free } = withVault();
    assert.equal(withdraw(other, free, DFI, 30n * COIN), undefined);
    assert.equal(collateralOf(other.view, free), undefined);
  });

  test('reports too small a collateral with the text of the release', () => {
    const { fixture, vaultId } = withVault();
    assert.match(withdraw(fixture, vaultId, DFI, 31n * COIN) ?? '', /Collateral for vault <[0-9a-f]{64}> not found$/);
    const late = withVault(heights({ ...GRAND_CENTRAL, metachain: 0 }));
    const text = 'WithdrawFromVaultTx: amount 30.00000000 is less than 31.00000000';
    assert.equal(withdraw(late.fixture, late.vaultId, DFI, 31n * COIN), text);
  });
});

describe('TakeLoan', () => {
  test('mints tokens for the named recipient, or the owner', () => {
    const { fixture, vaultId } = withVault();
    assert.equal(borrow(fixture, vaultId, TSLA, COIN), undefined);
    assert.equal(fixture.failure(takeLoan, { vaultId, to: stranger, amounts: [{ tokenId: TSLA, amount: COIN }] }), undefined);
    assert.deepEqual([fixture.balance(owner, TSLA), fixture.balance(stranger, TSLA)], [COIN, COIN]);
  });

  test('is limited by the ratio of the scheme', () => {
    const { fixture, vaultId } = withVault();
    const text = 'TakeLoanTx: Vault does not have enough collateralization ratio defined by loan scheme - 149 < 150';
    assert.equal(borrow(fixture, vaultId, TSLA, 10n * COIN + 4_000_000n), text);
    assert.equal(borrow(fixture, vaultId, TSLA, 10n * COIN), undefined);
  });

  test('is limited to 64 bits of value at the next prices too', () => {
    const { fixture, vaultId } = withVault();
    const [more, amount] = [4, 6_000_000_000_000_000_000n];
    addAsset(fixture.view, more, 'MORE', TokenFlag.loanToken);
    fixture.attribute(`v0/token/${more}/fixed_interval_price_id`, { kind: 'pair', value: { token: 'MORE', currency: 'USD' } });
    fixture.loanToken(more, COIN);
    const amounts = [DUSD, TSLA, more].map((tokenId) => ({ tokenId, amount }));
    const failure = (next: bigint) => {
      for (const symbol of ['DUSD', 'TSLA', 'MORE']) fixture.price(symbol, COIN, next);
      return fixture.failure(takeLoan, { vaultId, to: owner, amounts });
    };
    // Three times 6.14 * 10^18 fit below 2^64, which is 18.44 * 10^18, three times 6.15 * 10^18 do not.
    assert.match(failure(102_400_000n) ?? '', /^TakeLoanTx: Vault does not have enough collateralization ratio/);
    assert.equal(failure(102_500_000n), 'TakeLoanTx: Exceed maximum loans');
  });

  test('needs live prices, and enabled minting', () => {
    const { fixture, vaultId } = withVault();
    fixture.attribute('v0/token/2/loan_minting_enabled', { kind: 'bool', value: false });
    const off = 'TakeLoanTx: Loan cannot be taken on token with id (2) as "mintable" is currently false';
    assert.equal(borrow(fixture, vaultId, TSLA, COIN), off);
    assert.equal(borrow(fixture, vaultId, DFI, COIN), 'TakeLoanTx: Loan token with id (0) does not exist!');
    fixture.price('DUSD', COIN, 2n * COIN);
    assert.equal(borrow(fixture, vaultId, DUSD, COIN), 'TakeLoanTx: No live fixed prices for DUSD/USD');
  });

  /** Takes a loan of 100 dollars with 150 dollars of collateral, `coin` of which is DFI; 75 dollars must be. */
  function share(
    given: HeightOverrides,
    coin: bigint,
    tokenId: number,
    { coinFactor = COIN, enablesDollarVaults = false } = {},
  ): string | undefined {
    const fixture = new LoanFixture(heights(given));
    fixture.collateralToken(DFI, coinFactor);
    fixture.attribute('v0/vaults/dusd-vault/enabled', { kind: 'bool', value: enablesDollarVaults });
    const vaultId = fixture.openVault();
    fixture.give(owner, DFI, coin);
    fixture.make(owner, DUSD, 150n * COIN - 5n * coin);
    if (coin > 0n) assert.equal(deposit(fixture, vaultId, DFI, coin), undefined);
    assert.equal(deposit(fixture, vaultId, DUSD, 150n * COIN - 5n * coin), undefined);
    return borrow(fixture, vaultId, tokenId, tokenId === DUSD ? 100n * COIN : 10n * COIN)?.replace('TakeLoanTx: ', '');
  }
  const inCoin = 'At least 50% of the minimum required collateral must be in DFI';
  const { fortCanningEpilogue: _epilogue, grandCentral: _grandCentral, ...road } = GRAND_CENTRAL;
  const { fortCanningRoad: _road, fortCanningCrunch: _crunch, fortCanningSpring: _spring, fortCanningGreatWorld: _world, ...hill } = road;

  test('from Hill on half of the minimum collateral has to be DFI', () => {
    assert.equal(share(hill, 15n * COIN, TSLA), undefined);
    assert.equal(share(hill, 15n * COIN - 1n, TSLA), inCoin);
  });
  test('from Road on it may be DUSD', () => assert.equal(share(road, COIN, DUSD), undefined));
  test('from Epilogue on DUSD do not count for loans of DUSD', () => {
    assert.equal(share(GRAND_CENTRAL, COIN, TSLA), undefined);
    assert.equal(share(GRAND_CENTRAL, 15n * COIN, DUSD), undefined);
    assert.equal(share(GRAND_CENTRAL, 15n * COIN - 1n, DUSD), inCoin);
  });
  test('from Metachain on a vault with DUSD only may borrow DUSD if an attribute permits it', () => {
    const fixture = new LoanFixture(heights({ ...GRAND_CENTRAL, metachain: 0 }));
    const vaultId = fixture.openVault();
    fixture.make(owner, DUSD, 150n * COIN);
    assert.equal(deposit(fixture, vaultId, DUSD, 150n * COIN), undefined);
    assert.equal(borrow(fixture, vaultId, DUSD, 100n * COIN), `TakeLoanTx: ${inCoin}`);
    fixture.attribute('v0/vaults/dusd-vault/enabled', { kind: 'bool', value: true });
    assert.equal(borrow(fixture, vaultId, DUSD, 100n * COIN), undefined);
  });
  test('from Metachain on not with other collateral, and not before', () => {
    const enabled = { enablesDollarVaults: true };
    const late = { ...GRAND_CENTRAL, metachain: 0 };
    assert.equal(share(late, 0n, DUSD, enabled), undefined);
    assert.equal(share(late, 1n, DUSD, enabled), inCoin);
    assert.equal(share(GRAND_CENTRAL, 0n, DUSD, enabled), inCoin);
  });
  test('from Grand Central on the DFI count by their collateral factor', () => {
    const factor = { coinFactor: 150_000_000n };
    const before = { ...GRAND_CENTRAL, grandCentral: 1_000 };
    assert.equal(share(GRAND_CENTRAL, 10n * COIN, DUSD, factor), undefined);
    assert.equal(share(GRAND_CENTRAL, 10n * COIN - 1n, DUSD, factor), inCoin);
    assert.equal(share(before, 15n * COIN, DUSD, factor), undefined);
    assert.equal(share(before, 15n * COIN - 1n, DUSD, factor), inCoin);
  });
});
