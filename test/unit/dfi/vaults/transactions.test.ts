import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyByOwner } from '../../../../src/dfi/accounts/history-columns.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { depositToVault, withdrawFromVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { collateralOf, getVault } from '../../../../src/dfi/vaults/columns.js';
import { closeVault, createVault, updateVault } from '../../../../src/dfi/vaults/transactions.js';
import type { GivenHeights } from '../../../../src/params/upgrade-heights.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights, script } from '../desk.js';
import { COIN, DFI, DUSD, LoanDesk, owner, TSLA } from '../loan-desk.js';

const params = heights(GRAND_CENTRAL);
const [stranger] = [script(2)];

/** A vault that holds 30 DFI, worth 150 dollars. */
function withVault(given = params): { readonly desk: LoanDesk; readonly vaultId: Hash256 } {
  const desk = new LoanDesk(given);
  const vaultId = desk.openVault();
  desk.give(owner, DFI, 30n * COIN);
  assert.equal(deposit(desk, vaultId, DFI, 30n * COIN), undefined);
  return { desk, vaultId };
}

function deposit(desk: LoanDesk, vaultId: Hash256, tokenId: number, amount: bigint): string | undefined {
  return desk.failure(depositToVault, { vaultId, from: owner, amount: { tokenId, amount } });
}

function withdraw(desk: LoanDesk, vaultId: Hash256, tokenId: number, amount: bigint): string | undefined {
  return desk.failure(withdrawFromVault, { vaultId, to: owner, amount: { tokenId, amount } });
}

function borrow(desk: LoanDesk, vaultId: Hash256, tokenId: number, amount: bigint): string | undefined {
  return desk.failure(takeLoan, { vaultId, to: new Uint8Array(), amounts: [{ tokenId, amount }] });
}

describe('Vault', () => {
  test('costs its fee to the satoshi, and half comes back', () => {
    const desk = new LoanDesk(params);
    const fee = 'VaultTx: Malformed tx vouts, creation vault fee is 1.00000000 DFI';
    for (const value of [COIN - 1n, COIN + 1n]) assert.equal(desk.failure(createVault, { owner, scheme: '' }, { value }), fee);
    const vaultId = desk.openVault();
    assert.equal(desk.failure(closeVault, { vaultId, to: stranger }), undefined);
    assert.equal(desk.balance(stranger), COIN / 2n);
    assert.equal(getVault(desk.view, vaultId), undefined);
  });

  test('gets the scheme that it names, or the default one', () => {
    const desk = new LoanDesk(params);
    assert.equal(getVault(desk.view, desk.openVault('LOAN200'))?.scheme, 'LOAN200');
    assert.equal(getVault(desk.view, desk.openVault())?.scheme, 'LOAN150');
    const unknown = 'VaultTx: Cannot find existing loan scheme with id LOAN999';
    assert.equal(desk.failure(createVault, { owner, scheme: 'LOAN999' }, { value: COIN }), unknown);
  });
});

describe('CloseVault', () => {
  test('pays what the vault holds', () => {
    const { desk, vaultId } = withVault();
    assert.equal(desk.failure(closeVault, { vaultId, to: owner }), undefined);
    assert.equal(desk.balance(owner), 30n * COIN + COIN / 2n);
  });

  test('is for the owner, and for vaults without loans', () => {
    const { desk, vaultId } = withVault();
    const notOwner = 'CloseVaultTx: tx must have at least one input from token owner';
    assert.equal(desk.failure(closeVault, { vaultId, to: owner }, { from: [stranger] }), notOwner);
    assert.equal(borrow(desk, vaultId, TSLA, COIN), undefined);
    assert.match(desk.failure(closeVault, { vaultId, to: owner }) ?? '', /^CloseVaultTx: Vault <[0-9a-f]{64}> has loans$/);
  });
});

describe('UpdateVault', () => {
  test('changes owner and scheme while what is held is enough for it', () => {
    const { desk, vaultId } = withVault();
    // 150 dollars for 75.
    assert.equal(borrow(desk, vaultId, TSLA, (15n * COIN) / 2n), undefined);
    assert.equal(desk.failure(updateVault, { vaultId, owner: stranger, scheme: 'LOAN200' }), undefined);
    assert.deepEqual(getVault(desk.view, vaultId), { owner: stranger, scheme: 'LOAN200', isUnderLiquidation: false });
  });

  test('fails one percent below', () => {
    const { desk, vaultId } = withVault();
    assert.equal(borrow(desk, vaultId, TSLA, (76n * COIN) / 10n), undefined);
    const text = 'UpdateVaultTx: Vault does not have enough collateralization ratio defined by loan scheme - 197 < 200';
    assert.equal(desk.failure(updateVault, { vaultId, owner, scheme: 'LOAN200' }), text);
  });
});

describe('DepositToVault', () => {
  test('takes collateral tokens alone, while they are switched on', () => {
    const { desk, vaultId } = withVault();
    desk.make(owner, TSLA, COIN);
    assert.equal(deposit(desk, vaultId, TSLA, COIN), 'DepositToVaultTx: Collateral token with id (2) does not exist!');
    desk.attribute('v0/token/1/loan_collateral_enabled', { form: 'bool', value: false });
    assert.equal(deposit(desk, vaultId, DUSD, COIN), 'DepositToVaultTx: Collateral token (1) is disabled');
  });

  test('says who has too little', () => {
    const { desk, vaultId } = withVault();
    const text = deposit(desk, vaultId, DFI, 1n) ?? '';
    assert.match(
      text,
      /^DepositToVaultTx: Insufficient funds: can't subtract balance of bcrt1\w+: amount 0\.00000000 is less than 0\.00000001\n$/,
    );
  });
});

describe('WithdrawFromVault', () => {
  test('settles the rewards of whoever gets it from Metachain on, and the history shows them with it', () => {
    const record = (metachain: number) => {
      const { desk, vaultId } = withVault(heights({ ...GRAND_CENTRAL, metachain }));
      desk.openEarningPool(3, stranger, 90);
      const amount = { tokenId: DFI, amount: COIN };
      assert.equal(desk.failure(withdrawFromVault, { vaultId, to: stranger, amount }), undefined);
      desk.history.write(desk.view);
      // The vault and the deposit were the block's transactions 1 and 2.
      return desk.view.get(historyByOwner, { owner: stranger, height: desk.height, txn: 3 })?.differences;
    };
    // 500 satoshis in each of ten blocks.
    assert.deepEqual(record(100), [{ tokenId: DFI, amount: COIN + 5_000n }]);
    assert.deepEqual(record(101), [{ tokenId: DFI, amount: COIN }]);
  });

  test('leaves what the loans need', () => {
    const { desk, vaultId } = withVault();
    assert.equal(borrow(desk, vaultId, TSLA, 5n * COIN), undefined);
    const text = 'WithdrawFromVaultTx: Vault does not have enough collateralization ratio defined by loan scheme - 149 < 150';
    // 75 dollars are enough; rounding forgives up to 25 cents.
    assert.equal(withdraw(desk, vaultId, DFI, 15n * COIN + 6_000_000n), text);
    assert.equal(withdraw(desk, vaultId, DFI, 15n * COIN), undefined);
    assert.deepEqual(collateralOf(desk.view, vaultId), [{ tokenId: DFI, amount: 15n * COIN }]);
  });

  test('empties a vault without loans, and not one with', () => {
    const { desk, vaultId } = withVault();
    assert.equal(borrow(desk, vaultId, TSLA, COIN), undefined);
    const text = 'WithdrawFromVaultTx: Cannot withdraw all collaterals as there are still active loans in this vault';
    assert.equal(withdraw(desk, vaultId, DFI, 30n * COIN), text);
    const { desk: other, vaultId: free } = withVault();
    assert.equal(withdraw(other, free, DFI, 30n * COIN), undefined);
    assert.equal(collateralOf(other.view, free), undefined);
  });

  test('says that there is too little as its release does', () => {
    const { desk, vaultId } = withVault();
    assert.match(withdraw(desk, vaultId, DFI, 31n * COIN) ?? '', /Collateral for vault <[0-9a-f]{64}> not found$/);
    const late = withVault(heights({ ...GRAND_CENTRAL, metachain: 0 }));
    const text = 'WithdrawFromVaultTx: amount 30.00000000 is less than 31.00000000';
    assert.equal(withdraw(late.desk, late.vaultId, DFI, 31n * COIN), text);
  });
});

describe('TakeLoan', () => {
  test('makes tokens for whom it names, or the owner', () => {
    const { desk, vaultId } = withVault();
    assert.equal(borrow(desk, vaultId, TSLA, COIN), undefined);
    assert.equal(desk.failure(takeLoan, { vaultId, to: stranger, amounts: [{ tokenId: TSLA, amount: COIN }] }), undefined);
    assert.deepEqual([desk.balance(owner, TSLA), desk.balance(stranger, TSLA)], [COIN, COIN]);
  });

  test('goes as far as the scheme lets it', () => {
    const { desk, vaultId } = withVault();
    const text = 'TakeLoanTx: Vault does not have enough collateralization ratio defined by loan scheme - 149 < 150';
    assert.equal(borrow(desk, vaultId, TSLA, 10n * COIN + 4_000_000n), text);
    assert.equal(borrow(desk, vaultId, TSLA, 10n * COIN), undefined);
  });

  test('needs prices, and minting', () => {
    const { desk, vaultId } = withVault();
    desk.attribute('v0/token/2/loan_minting_enabled', { form: 'bool', value: false });
    const off = 'TakeLoanTx: Loan cannot be taken on token with id (2) as "mintable" is currently false';
    assert.equal(borrow(desk, vaultId, TSLA, COIN), off);
    assert.equal(borrow(desk, vaultId, DFI, COIN), 'TakeLoanTx: Loan token with id (0) does not exist!');
    desk.price('DUSD', COIN, 2n * COIN);
    assert.equal(borrow(desk, vaultId, DUSD, COIN), 'TakeLoanTx: No live fixed prices for DUSD/USD');
  });

  /** Of 150 dollars of collateral, this much is DFI; 100 dollars are borrowed, so 75 have to be. */
  function share(given: GivenHeights, coin: bigint, tokenId: number): string | undefined {
    const desk = new LoanDesk(heights(given));
    const vaultId = desk.openVault();
    desk.give(owner, DFI, coin);
    desk.make(owner, DUSD, 150n * COIN - 5n * coin);
    assert.equal(deposit(desk, vaultId, DFI, coin), undefined);
    assert.equal(deposit(desk, vaultId, DUSD, 150n * COIN - 5n * coin), undefined);
    return borrow(desk, vaultId, tokenId, tokenId === DUSD ? 100n * COIN : 10n * COIN)?.replace('TakeLoanTx: ', '');
  }
  const inCoin = 'At least 50% of the minimum required collateral must be in DFI';
  const { fortCanningEpilogue: _epilogue, grandCentral: _grandCentral, ...road } = GRAND_CENTRAL;
  const { fortCanningRoad: _road, fortCanningCrunch: _crunch, fortCanningSpring: _spring, fortCanningGreatWorld: _world, ...hill } = road;

  test('from Hill on half of what is required has to be DFI', () => {
    assert.equal(share(hill, 15n * COIN, TSLA), undefined);
    assert.equal(share(hill, 15n * COIN - 1n, TSLA), inCoin);
  });
  test('from Road on it may be DUSD', () => assert.equal(share(road, COIN, DUSD), undefined));
  test('from Epilogue on not for loans of DUSD', () => {
    assert.equal(share(GRAND_CENTRAL, COIN, TSLA), undefined);
    assert.equal(share(GRAND_CENTRAL, 15n * COIN, DUSD), undefined);
    assert.equal(share(GRAND_CENTRAL, 15n * COIN - 1n, DUSD), inCoin);
  });
  test('from Metachain on a vault of DUSD alone may borrow it where governance says so', () => {
    const desk = new LoanDesk(heights({ ...GRAND_CENTRAL, metachain: 0 }));
    const vaultId = desk.openVault();
    desk.make(owner, DUSD, 150n * COIN);
    assert.equal(deposit(desk, vaultId, DUSD, 150n * COIN), undefined);
    assert.equal(borrow(desk, vaultId, DUSD, 100n * COIN), `TakeLoanTx: ${inCoin}`);
    desk.attribute('v0/vaults/dusd-vault/enabled', { form: 'bool', value: true });
    assert.equal(borrow(desk, vaultId, DUSD, 100n * COIN), undefined);
  });
});
