import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { interestRates, loanOf } from '../../../../src/dfi/loans/columns.js';
import { paybackLoan } from '../../../../src/dfi/loans/payback-transactions.js';
import { endingSchemes } from '../../../../src/dfi/loans/scheme-columns.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { depositToVault, withdrawFromVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { collateralOf, getVault, putVault } from '../../../../src/dfi/vaults/columns.js';
import { closeVault, updateVault } from '../../../../src/dfi/vaults/transactions.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { dfi, GRAND_CENTRAL, heights, type Sent, script } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const stranger = script(2);
const NOT_OWNER = 'tx must have at least one input from token owner';
const IN_COIN = 'At least 50% of the minimum required collateral must be in DFI';

/** A vault of the owner, and the messages on it; their results are error texts without the name of the message. */
class TestVault {
  readonly state: LoanFixture;
  readonly id: Hash256;

  /** @param collateral satoshis of DFI and of DUSD */
  constructor(collateral: readonly [bigint, bigint], upgrades: HeightOverrides = GRAND_CENTRAL) {
    this.state = new LoanFixture(heights(upgrades));
    this.id = this.state.openVault();
    const [coin, dollars] = collateral;
    this.state.give(owner, DFI, coin);
    this.state.make(owner, DUSD, dollars);
    for (const [tokenId, amount] of [
      [DFI, coin],
      [DUSD, dollars],
    ] as const) {
      if (amount === 0n) continue;
      const deposit = { vaultId: this.id, from: owner, amount: { tokenId, amount } };
      assert.equal(this.state.failure(depositToVault, deposit), undefined);
    }
  }

  borrow(tokenId: number, amount: bigint, sent: Sent = {}): string | undefined {
    const body = { vaultId: this.id, to: owner, amounts: [{ tokenId, amount }] };
    return this.state.failure(takeLoan, body, sent)?.replace('TakeLoanTx: ', '');
  }

  withdraw(tokenId: number, amount: bigint, sent: Sent = {}): string | undefined {
    const body = { vaultId: this.id, to: owner, amount: { tokenId, amount } };
    return this.state.failure(withdrawFromVault, body, sent)?.replace('WithdrawFromVaultTx: ', '');
  }

  update(scheme: string, sent: Sent = {}): string | undefined {
    return this.state.failure(updateVault, { vaultId: this.id, owner, scheme }, sent)?.replace('UpdateVaultTx: ', '');
  }

  close(sent: Sent = {}): string | undefined {
    return this.state.failure(closeVault, { vaultId: this.id, to: owner }, sent)?.replace('CloseVaultTx: ', '');
  }
}

describe('WithdrawFromVault', () => {
  test('needs the owner of the vault', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    assert.equal(vault.withdraw(DFI, COIN, { from: [stranger] }), NOT_OWNER);
    assert.equal(vault.withdraw(DFI, COIN), undefined);
  });

  test('needs valid prices', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    vault.state.price('DFI', 5n * COIN, 10n * COIN);
    assert.equal(vault.withdraw(DFI, COIN), "Cannot withdraw from vault while any of the asset's price is invalid");
  });

  test('leaves half of the minimum in DFI', () => {
    // A loan of 100 dollars needs collateral of 150, 75 of which are the 15 DFI.
    const vault = new TestVault([15n * COIN, 100n * COIN]);
    assert.equal(vault.borrow(DUSD, 100n * COIN), undefined);
    assert.equal(vault.withdraw(DFI, 1n), IN_COIN);
    assert.equal(vault.withdraw(DUSD, 25n * COIN), undefined);
  });

  test('subtracts the negative interest from the loan, which then starts again', () => {
    const vault = new TestVault([300n * COIN, 0n]);
    vault.state.loanToken(TSLA, -500n * COIN);
    assert.equal(vault.borrow(TSLA, 2n * COIN), undefined);
    // 495 % of two coins in a year of 52,560 blocks, for 1,000 blocks: 18,835,616.4 satoshis.
    assert.equal(vault.withdraw(DFI, COIN, { height: 1_100 }), undefined);
    const key = { vaultId: vault.id, tokenId: TSLA };
    assert.equal(loanOf(vault.state.view, key), 2n * COIN - 18_835_616n);
    const rate = vault.state.view.get(interestRates, key);
    assert.deepEqual([rate?.height, rate?.toHeight.amount], [1_100, 0n]);
    assert.equal(vault.withdraw(DFI, COIN, { height: 1_100 }), undefined);
    assert.equal(loanOf(vault.state.view, key), 2n * COIN - 18_835_616n);
  });
});

describe('UpdateVault', () => {
  test('needs the owner of the vault, a scheme that stays, and valid prices', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    const { view } = vault.state;
    assert.equal(vault.update('LOAN200', { from: [stranger] }), NOT_OWNER);
    assert.equal(vault.update('LOAN999'), 'Cannot find existing loan scheme with id LOAN999');
    view.put(endingSchemes, 'LOAN200', 200n);
    assert.equal(vault.update('LOAN200'), 'Cannot set LOAN200 as loan scheme, set to be destroyed on block 200');
    view.delete(endingSchemes, 'LOAN200');
    vault.state.price('DFI', 5n * COIN, 10n * COIN);
    assert.equal(vault.update('LOAN200'), "Cannot update vault while any of the asset's price is invalid");
    assert.equal(getVault(view, vault.id)?.scheme, 'LOAN150');
  });
});

describe('CloseVault', () => {
  test('deletes the interest that repaid loans left', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    const { state } = vault;
    assert.equal(vault.borrow(TSLA, COIN), undefined);
    const paid = { vaultId: vault.id, from: owner, amounts: [{ tokenId: TSLA, amount: COIN }] };
    state.make(owner, TSLA, COIN);
    assert.equal(state.failure(paybackLoan, { ...paid, amounts: [{ tokenId: TSLA, amount: 2n * COIN }] }), undefined);
    const key = { vaultId: vault.id, tokenId: TSLA };
    assert.notEqual(state.view.get(interestRates, key), undefined);
    assert.equal(vault.close(), undefined);
    assert.equal(state.view.get(interestRates, key), undefined);
    assert.equal(collateralOf(state.view, vault.id), undefined);
  });

  test('is possible as soon as negative interest covers the loan', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    vault.state.loanToken(TSLA, -500n * COIN);
    assert.equal(vault.borrow(TSLA, COIN), undefined);
    // 495 % of one coin in a year of 52,560 blocks reach it in 10,618.2 blocks.
    assert.match(vault.close({ height: 10_718 }) ?? '', /^Vault <[0-9a-f]{64}> has loans$/);
    assert.equal(vault.close({ height: 10_719 }), undefined);
  });
});

describe('messages on vaults and loans', () => {
  test('are refused under liquidation, and for a vault that does not exist', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    const { state, id } = vault;
    const amount = { tokenId: DFI, amount: 1n };
    const deposit = (vaultId = id) => state.failure(depositToVault, { vaultId, from: owner, amount });
    const texts = () => [deposit(), vault.withdraw(DFI, 1n), vault.update('LOAN150'), vault.close(), vault.borrow(TSLA, 1n)];
    const missing = new Uint8Array(32).fill(1);
    assert.equal(deposit(missing), `DepositToVaultTx: Vault <${'01'.repeat(32)}> not found`);
    putVault(state.view, id, { owner, scheme: 'LOAN150', isUnderLiquidation: true });
    assert.deepEqual(texts(), [
      'DepositToVaultTx: Cannot deposit to vault under liquidation',
      'Cannot withdraw from vault under liquidation',
      'Cannot update vault under liquidation',
      'Cannot close vault under liquidation',
      'Cannot take loan on vault under liquidation',
    ]);
  });

  test('loans need the owner of the vault, collateral, valid prices and an amount', () => {
    const vault = new TestVault([30n * COIN, 0n]);
    assert.equal(vault.borrow(TSLA, COIN, { from: [stranger] }), 'tx must have at least one input from vault owner');
    assert.equal(vault.borrow(TSLA, -1n), 'Valid loan amount required (input: -1@2)');
    assert.equal(vault.borrow(TSLA, 1n), undefined);
    assert.equal(new TestVault([0n, 0n]).borrow(TSLA, COIN)?.replace(/[0-9a-f]{64}/, '<id>'), 'Vault with id <id> has no collaterals');
    vault.state.price('DFI', 5n * COIN, 7n * COIN);
    assert.equal(vault.borrow(TSLA, 1n), "Cannot take loan while any of the asset's price in the vault is not live");
  });

  test('before Fort Canning Hill half of all collateral must be in DFI, from then on half of the minimum', () => {
    const borrow = (dollars: bigint, fortCanningHill: number) => {
      const { fortCanningRoad: _r, fortCanningCrunch: _c, fortCanningSpring: _s, fortCanningGreatWorld: _g, ...rest } = GRAND_CENTRAL;
      const { fortCanningEpilogue: _e, grandCentral: _n, ...early } = rest;
      // 30 DFI are worth 150 dollars.
      const upgrades = { ...early, fortCanningPark: fortCanningHill, fortCanningHill };
      return new TestVault([30n * COIN, dollars], upgrades).borrow(TSLA, COIN);
    };
    assert.equal(borrow(150n * COIN + 1n, 10_000), undefined);
    assert.equal(borrow(150n * COIN + 2n, 10_000), IN_COIN);
    assert.equal(borrow(150n * COIN + 2n, 99), undefined);
  });
});

describe('the outputs of messages on vaults and loans', () => {
  const shapes = [
    { upgrades: GRAND_CENTRAL, sent: { value: 1n }, text: 'malformed tx vouts, first vout must be OP_RETURN vout with value 0' },
    { upgrades: GRAND_CENTRAL, sent: { outputs: [dfi(1n, owner), dfi(1n, owner)] }, text: undefined },
  ];
  for (const { upgrades, sent, text } of shapes) {
    test(text ?? 'may be any number if the first has no value', () => {
      const calls: readonly ((vault: TestVault) => string | undefined)[] = [
        (vault) => vault.borrow(TSLA, COIN, sent),
        (vault) => vault.withdraw(DFI, COIN, sent),
        (vault) => vault.update('LOAN200', sent),
        (vault) => vault.close(sent),
        (vault) => {
          assert.equal(vault.borrow(TSLA, COIN), undefined);
          const body = { vaultId: vault.id, from: owner, amounts: [{ tokenId: TSLA, amount: COIN }] };
          return vault.state.failure(paybackLoan, body, sent)?.replace('PaybackLoanTx: ', '');
        },
      ];
      for (const call of calls) assert.equal(call(new TestVault([30n * COIN, 0n], upgrades)), text);
    });
  }
});
