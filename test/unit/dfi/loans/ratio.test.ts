import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { areVaultPricesValid, collateralRatio, preciseRatio, vaultAssets } from '../../../../src/dfi/loans/ratio.js';
import { ACTIVE_PRICE, NEXT_PRICE } from '../../../../src/dfi/oracles/fixed-prices.js';
import { addCollateral, putVault } from '../../../../src/dfi/vaults/columns.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner } from '../loan-fixture.js';

const vaultId = Buffer.alloc(32, 7);

describe('collateralRatio', () => {
  const cases = [
    { collateral: 150n, loans: 100n, expected: 150 },
    { collateral: 1_495n, loans: 1_000n, expected: 150 },
    { collateral: 1_494n, loans: 1_000n, expected: 149 },
    { collateral: 0n, loans: 1n, expected: 0 },
    { collateral: 1n, loans: 0n, expected: 4_294_967_295 },
    { collateral: 2n ** 63n, loans: 1n, expected: 4_294_967_295 },
  ];
  for (const { collateral, loans, expected } of cases) {
    test(`${collateral} / ${loans}`, () => assert.equal(collateralRatio({ totalCollaterals: collateral, totalLoans: loans }), expected));
  }
});

test('preciseRatio has eight decimals, and is -1 without a ratio', () => {
  assert.equal(preciseRatio({ totalCollaterals: 1n, totalLoans: 3n }), 3_333_333_333n);
  assert.equal(preciseRatio({ totalCollaterals: 1n, totalLoans: 0n }), -COIN);
  assert.equal(preciseRatio({ totalCollaterals: 2n ** 63n, totalLoans: 1n }), -COIN);
});

describe('value of a vault', () => {
  function vault(): LoanFixture {
    const fixture = new LoanFixture(heights(GRAND_CENTRAL));
    putVault(fixture.view, vaultId, { owner, scheme: 'LOAN150', isUnderLiquidation: false });
    addCollateral(fixture, vaultId, { tokenId: DFI, amount: 2n * COIN });
    addCollateral(fixture, vaultId, { tokenId: DUSD, amount: 3n * COIN });
    return fixture;
  }
  const held = [
    { tokenId: DFI, amount: 2n * COIN },
    { tokenId: DUSD, amount: 3n * COIN },
  ];

  test('multiplies each collateral by its factor', () => {
    const fixture = vault();
    fixture.collateralToken(DUSD, COIN / 2n);
    const assets = vaultAssets(fixture, vaultId, held, ACTIVE_PRICE);
    assert.equal(assets.totalCollaterals, 1_150_000_000n);
    assert.deepEqual(assets.collaterals, [
      { tokenId: DFI, amount: 10n * COIN },
      { tokenId: DUSD, amount: 3n * COIN },
    ]);
  });

  test('uses the next prices on request', () => {
    const fixture = vault();
    fixture.price('DFI', 5n * COIN, 6n * COIN);
    assert.equal(vaultAssets(fixture, vaultId, held, NEXT_PRICE).totalCollaterals, 15n * COIN);
  });

  test('needs live prices, unless disabled', () => {
    const fixture = vault();
    // 30 % is the smallest change that is too large.
    fixture.price('DFI', 10n * COIN, 13n * COIN - 1n);
    assert.ok(areVaultPricesValid(fixture, vaultId));
    fixture.price('DFI', 10n * COIN, 13n * COIN);
    assert.ok(!areVaultPricesValid(fixture, vaultId));
    assert.throws(() => vaultAssets(fixture, vaultId, held, ACTIVE_PRICE), { message: 'No live fixed prices for DFI/USD' });
    assert.equal(vaultAssets(fixture, vaultId, held, { useNext: false, requireLive: false }).totalCollaterals, 23n * COIN);
  });

  test('does not exist during a liquidation', () => {
    const fixture = vault();
    putVault(fixture.view, vaultId, { owner, scheme: 'LOAN150', isUnderLiquidation: true });
    assert.throws(() => vaultAssets(fixture, vaultId, held, ACTIVE_PRICE), { message: 'Vault is under liquidation' });
  });
});
