import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loanOf } from '../../../../src/dfi/loans/columns.js';
import { negativeInterest } from '../../../../src/dfi/loans/negative-interest-event.js';
import { paybackLoan, paybackLoanV2, paybackWithCollateral } from '../../../../src/dfi/loans/payback-transactions.js';
import { economyTotal } from '../../../../src/dfi/loans/totals.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { depositToVault, withdrawFromVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { putVault, vaultCollaterals } from '../../../../src/dfi/vaults/columns.js';
import { closeVault, createVault } from '../../../../src/dfi/vaults/transactions.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { encode } from '../../../../src/primitives/codec.js';
import { formatHash, type Hash256 } from '../../../../src/primitives/hash.js';
import { concatBytes, EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { dataScript, GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const params = heights(GRAND_CENTRAL);
const { burn } = params.scripts;

/** Vault with 100 DFI as collateral, worth 500 dollars, and this loan; interest of DUSD is burnt as DUSD. */
function inDebt(
  tokenId: number,
  amount: bigint,
  { own = params, interest = 5n * COIN } = {},
): { readonly fixture: LoanFixture; readonly vaultId: Hash256 } {
  const fixture = new LoanFixture(own);
  fixture.loanToken(tokenId, interest);
  fixture.attribute('v0/params/dfip2206a/dusd_interest_burn', { kind: 'bool', value: true });
  const vaultId = fixture.openVault();
  fixture.give(owner, DFI, 100n * COIN);
  assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DFI, amount: 100n * COIN } }), undefined);
  assert.equal(fixture.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId, amount }] }), undefined);
  return { fixture, vaultId };
}

function pay(fixture: LoanFixture, vaultId: Hash256, tokenId: number, amount: bigint, height = fixture.height): string | undefined {
  return fixture.failure(paybackLoan, { vaultId, from: owner, amounts: [{ tokenId, amount }] }, { height });
}

describe('paybacks are refused', () => {
  const stranger = script(2);
  const notOwner = 'tx must have at least one input from token owner';

  test('without an input of the payer, or for other tokens than loan tokens', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN);
    const body = { vaultId, from: owner, amounts: [{ tokenId: DUSD, amount: COIN }] };
    assert.equal(fixture.failure(paybackLoan, body, { from: [stranger] }), `PaybackLoanTx: ${notOwner}`);
    assert.equal(fixture.failure(paybackWithCollateral, { vaultId }, { from: [stranger] }), `PaybackWithCollateralTx: ${notOwner}`);
    assert.equal(pay(fixture, vaultId, 5, COIN), 'PaybackLoanTx: Loan token with id (5) does not exist!');
    assert.equal(loanOf(fixture.view, { vaultId, tokenId: DUSD }), 100n * COIN);
  });

  test('for a vault that does not exist, has no collateral or is under liquidation', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN);
    const failure = (id = vaultId) => pay(fixture, id, DUSD, COIN);
    const missing = new Uint8Array(32).fill(1);
    assert.equal(failure(missing), `PaybackLoanTx: Cannot find existing vault with id ${formatHash(missing)}`);
    const held = fixture.view.get(vaultCollaterals, vaultId) ?? [];
    fixture.view.delete(vaultCollaterals, vaultId);
    assert.equal(failure(), `PaybackLoanTx: Vault with id ${formatHash(vaultId)} has no collaterals`);
    fixture.view.put(vaultCollaterals, vaultId, held);
    putVault(fixture.view, vaultId, { owner, scheme: 'LOAN150', isUnderLiquidation: true });
    assert.equal(failure(), 'PaybackLoanTx: Cannot payback loan on vault under liquidation');
    const text = "PaybackWithCollateralTx: Cannot payback vault with collateral while vault's under liquidation";
    assert.equal(fixture.failure(paybackWithCollateral, { vaultId }), text);
  });
});

describe('PaybackLoan', () => {
  test('subtracts the principal of DUSD from the loans of DUSD, and no other', () => {
    const dollars = inDebt(DUSD, 100n * COIN);
    assert.deepEqual(economyTotal(dollars.fixture.view, 'loans'), [{ tokenId: DUSD, amount: 100n * COIN }]);
    assert.equal(pay(dollars.fixture, dollars.vaultId, DUSD, 40n * COIN, 101), undefined);
    assert.deepEqual(economyTotal(dollars.fixture.view, 'loans'), [{ tokenId: DUSD, amount: 60n * COIN + 19_026n }]);
    const shares = inDebt(TSLA, 10n * COIN);
    assert.equal(pay(shares.fixture, shares.vaultId, TSLA, 4n * COIN), undefined);
    assert.equal(loanOf(shares.fixture.view, { vaultId: shares.vaultId, tokenId: TSLA }), 6n * COIN);
    assert.deepEqual(economyTotal(shares.fixture.view, 'loans'), []);
  });

  test('subtracts the principal from the supply and burns the interest', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN);
    // 10 % a year are 19026 satoshis per block, rounded up.
    assert.equal(pay(fixture, vaultId, DUSD, 40n * COIN, 101), undefined);
    assert.equal(loanOf(fixture.view, { vaultId, tokenId: DUSD }), 60n * COIN + 19_026n);
    assert.equal(fixture.balance(burn, DUSD), 19_026n);
    assert.equal(fixture.balance(owner, DUSD), 60n * COIN);
    assert.equal(getToken(fixture.view, DUSD)?.minted, 60n * COIN + 19_026n);
  });

  test('needs interest of what is left from Museum until Great World', () => {
    const failure = (given: HeightOverrides, worth: bigint, interest = 5n * COIN) => {
      const { fixture, vaultId } = inDebt(TSLA, 100n, { own: heights(given), interest });
      return pay(fixture, vaultId, TSLA, worth);
    };
    const text = 'PaybackLoanTx: Cannot payback this amount of loan for TSLA, either payback full amount or less than this amount!';
    const early = { amk: 0, bayfront: 0, bayfrontMarina: 0, bayfrontGardens: 0, clarkeQuay: 0, dakota: 0, dakotaCrescent: 0 };
    const plain = { ...early, eunos: 0, eunosPaya: 0, fortCanning: 0 };
    // A loan of 100 satoshis has an interest of one satoshi per block, which is also the part of any payment. It was zero before Museum.
    assert.equal(failure({ ...plain, fortCanningMuseum: 100 }, 50n), text);
    assert.equal(failure({ ...plain, fortCanningMuseum: 100 }, 100n), undefined);
    assert.equal(failure({ ...plain, fortCanningMuseum: 101 }, 50n), undefined);
    // The interest of the token and that of the scheme cancel.
    const { fortCanningEpilogue: _epilogue, grandCentral: _grandCentral, ...world } = GRAND_CENTRAL;
    assert.equal(failure({ ...world, fortCanningGreatWorld: 101 }, 50n, -5n * COIN), text);
    assert.equal(failure({ ...world, fortCanningGreatWorld: 100 }, 50n, -5n * COIN), undefined);
  });

  test('charges no more than the debt', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN);
    fixture.make(owner, DUSD, 10n * COIN);
    assert.equal(pay(fixture, vaultId, DUSD, 110n * COIN, 101), undefined);
    assert.equal(fixture.balance(owner, DUSD), 10n * COIN - 19_026n);
    assert.equal(pay(fixture, vaultId, DUSD, COIN, 101)?.slice(0, 49), 'PaybackLoanTx: There are no loans on this vault (');
  });

  test('with other tokens needs an attribute', () => {
    const { fixture, vaultId } = inDebt(TSLA, 10n * COIN);
    fixture.give(owner, DFI, 10n * COIN);
    const loans = [{ loanToken: TSLA, paid: [{ tokenId: DFI, amount: COIN }] }];
    const text = 'PaybackLoanTx: Payback of loan via DFI token is not currently active';
    assert.equal(fixture.failure(paybackLoanV2, { vaultId, from: owner, loans }), text);
    fixture.attribute('v0/token/2/payback_dfi', { kind: 'bool', value: true });
    assert.equal(fixture.failure(paybackLoanV2, { vaultId, from: owner, loans }), undefined);
    // One DFI less one percent is worth 4.95 dollars.
    assert.equal(loanOf(fixture.view, { vaultId, tokenId: TSLA }), 950_500_000n);
    assert.equal(fixture.balance(burn), COIN);
  });

  test('with DFI charges the debt, rounded up', () => {
    const { fixture, vaultId } = inDebt(DUSD, COIN);
    fixture.give(owner, DFI, 10n * COIN);
    fixture.attribute('v0/token/1/payback_dfi', { kind: 'bool', value: true });
    assert.equal(pay(fixture, vaultId, DFI, 10n * COIN), undefined);
    // 1 / 4.95, rounded up.
    assert.equal(fixture.balance(burn), 20_202_021n);
    assert.equal(loanOf(fixture.view, { vaultId, tokenId: DUSD }), 0n);
  });

  test('with DFI of the empty script burns it without a debit', () => {
    const { fixture, vaultId } = inDebt(DUSD, COIN);
    fixture.attribute('v0/token/1/payback_dfi', { kind: 'bool', value: true });
    const body = { vaultId, from: EMPTY_BYTES, amounts: [{ tokenId: DFI, amount: 10n * COIN }] };
    assert.equal(fixture.failure(paybackLoan, body, { from: [EMPTY_BYTES] }), undefined);
    assert.equal(fixture.balance(burn), 20_202_021n);
  });

  test('needs positive amounts', () => {
    const { fixture, vaultId } = inDebt(TSLA, COIN);
    const loans = [{ loanToken: TSLA, paid: [{ tokenId: TSLA, amount: -1n }] }];
    const text = 'PaybackLoanTx: Valid payback amount required (input: -1@2)';
    assert.equal(fixture.failure(paybackLoanV2, { vaultId, from: owner, loans }), text);
    assert.equal(pay(fixture, vaultId, TSLA, -1n), text.replace('-1', '0'), 'the first version counts it as 0');
  });
});

test('some vault messages were disabled around Fort Canning Hill', () => {
  const hill = 150;
  const fixture = new LoanFixture(heights({ ...GRAND_CENTRAL, fortCanningHill: hill }));
  const body = { vaultId: new Uint8Array(32), from: owner, amount: { tokenId: DFI, amount: COIN } };
  const textAt = (height: number) => fixture.failure(depositToVault, body, { height });
  const absent = `DepositToVaultTx: Vault <${'00'.repeat(32)}> not found`;
  assert.equal(textAt(hill - 2), absent);
  assert.equal(textAt(hill - 1), 'DepositToVaultTx: Disabled custom transaction');
  assert.equal(textAt(hill), 'DepositToVaultTx: Disabled custom transaction');
  assert.equal(textAt(hill + 1), absent);
  assert.ok(depositToVault.codec);
  const longer = concatBytes(encode(depositToVault.codec, body), Uint8Array.of(0));
  const outcome = fixture.apply(fixture.transaction(dataScript('S', longer)), hill);
  const text = 'DepositToVaultTx: deserialization failed: excess 1 bytes';
  assert.equal(outcome.status === 'failed' && outcome.message, text, 'the message is decoded first');
});

describe('PaybackWithCollateral', () => {
  function withDollars(held: bigint): { readonly fixture: LoanFixture; readonly vaultId: Hash256 } {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN);
    fixture.attribute('v0/token/1/loan_payback_collateral', { kind: 'bool', value: true });
    fixture.make(owner, DUSD, held);
    assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DUSD, amount: held } }), undefined);
    return { fixture, vaultId };
  }

  test('pays as much as the DUSD collateral permits', () => {
    const { fixture, vaultId } = withDollars(40n * COIN);
    assert.equal(fixture.failure(paybackWithCollateral, { vaultId }, { height: 101 }), undefined);
    assert.equal(loanOf(fixture.view, { vaultId, tokenId: DUSD }), 60n * COIN + 19_026n);
    assert.equal(fixture.balance(burn, DUSD), 19_026n);
  });

  test('is also done for the amount that stands for it', () => {
    const { fixture, vaultId } = withDollars(200n * COIN);
    assert.equal(pay(fixture, vaultId, DUSD, 999_999_999_999_999_999n, 101), undefined);
    assert.equal(loanOf(fixture.view, { vaultId, tokenId: DUSD }), 0n);
  });

  test('needs an attribute', () => {
    const { fixture, vaultId } = inDebt(DUSD, COIN);
    const text = 'PaybackWithCollateralTx: Payback of DUSD loan with collateral is not currently active';
    assert.equal(fixture.failure(paybackWithCollateral, { vaultId }), text);
  });
});

/** @returns satoshis of DUSD in accounts and vaults beyond the minted amount */
type Step = (fixture: LoanFixture, vaultId: Hash256, height: number) => bigint;

const amount = fc.bigInt({ min: 1n, max: 120n * COIN });

function plainStep(run: (fixture: LoanFixture, vaultId: Hash256, height: number) => unknown): Step {
  return (...at) => {
    run(...at);
    return 0n;
  };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(DFI, DUSD), amount).map(([tokenId, value]) => {
    const moved = { tokenId, amount: value };
    return plainStep((fixture, vaultId, height) => fixture.send(depositToVault, { vaultId, from: owner, amount: moved }, { height }));
  }),
  fc.tuple(fc.constantFrom(DFI, DUSD), amount).map(([tokenId, value]) => {
    const moved = { tokenId, amount: value };
    return plainStep((fixture, vaultId, height) => fixture.send(withdrawFromVault, { vaultId, to: owner, amount: moved }, { height }));
  }),
  amount.map((value) => {
    const amounts = [{ tokenId: DUSD, amount: value }];
    return plainStep((fixture, vaultId, height) => fixture.send(takeLoan, { vaultId, to: owner, amounts }, { height }));
  }),
  amount.map((value) => plainStep((fixture, vaultId, height) => pay(fixture, vaultId, DUSD, value, height))),
  // Burnt interest is subtracted from the minted amount and also credited to the burn address.
  fc.constant<Step>((fixture, vaultId, height) => {
    const before = fixture.balance(burn, DUSD);
    fixture.send(paybackWithCollateral, { vaultId }, { height });
    return fixture.balance(burn, DUSD) - before;
  }),
);

interface StepsResult {
  readonly isClosed: boolean;
  readonly excess: bigint;
}

/** Runs steps several blocks apart, then tries to close the vault. */
function runSteps(fixture: LoanFixture, vaultId: Hash256, steps: readonly Step[]): StepsResult {
  const excess = steps.reduce((sum, each, i) => sum + each(fixture, vaultId, fixture.height + 7 * i), 0n);
  const closing = fixture.send(closeVault, { vaultId, to: owner }, { height: fixture.height + 7 * steps.length });
  return { isClosed: closing.status === 'applied', excess };
}

function playground(): { readonly fixture: LoanFixture; readonly vaultId: Hash256 } {
  const { fixture, vaultId } = inDebt(DUSD, 50n * COIN);
  fixture.attribute('v0/token/1/loan_payback_collateral', { kind: 'bool', value: true });
  fixture.give(owner, DFI, 200n * COIN);
  return { fixture, vaultId };
}

test('vault messages preserve the supply of every token', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const { fixture, vaultId } = playground();
      const before = fixture.total(DFI);
      const { isClosed, excess } = runSteps(fixture, vaultId, steps);
      assert.equal(fixture.total(DFI), before + (isClosed ? COIN / 2n : 0n));
      assert.equal(fixture.total(DUSD) - excess, getToken(fixture.view, DUSD)?.minted);
    }),
    { numRuns: 60 },
  );
});

test('an undo of vault messages restores the state', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const { fixture, vaultId } = playground();
      const before = fixture.digest();
      const undo = fixture.branch();
      runSteps(fixture, vaultId, steps);
      fixture.send(createVault, { owner, scheme: 'LOAN200' }, { value: COIN });
      undo();
      assert.equal(fixture.digest(), before);
    }),
    { numRuns: 30 },
  );
});

test('a payment that overflows together with negative interest is refused', () => {
  const most = 2n ** 63n - 1n;
  const early = inDebt(DUSD, 100n * COIN, { interest: -50n * COIN });
  const failure = pay(early.fixture, early.vaultId, DUSD, most, 105);
  assert.match(failure ?? '', /^PaybackLoanTx: Loan token for vault <[0-9a-f]+> not found$/);
  const late = inDebt(DUSD, 100n * COIN, { interest: -50n * COIN, own: heights({ ...GRAND_CENTRAL, metachain: 0 }) });
  assert.match(pay(late.fixture, late.vaultId, DUSD, most, 105) ?? '', /^PaybackLoanTx: negative amount: /);
  assert.equal(pay(early.fixture, early.vaultId, DUSD, most / 2n, 105), undefined);
});

describe('totals of negative interest', () => {
  const keeping = { ...params, keepsNegativeInterest: true };
  // With the scheme's 5 % the rate is -10 % a year: 19025 satoshis of 100 DUSD per block, rounded in favour of the lender.
  const interest = -15n * COIN;

  test('exclude interest that the vault owes', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN, { own: keeping });
    assert.equal(pay(fixture, vaultId, DUSD, 40n * COIN, 101), undefined);
    fixture.runEvent(negativeInterest, 101);
    assert.deepEqual(economyTotal(fixture.view, 'negativeInterest'), []);
    assert.deepEqual(economyTotal(fixture.view, 'currentNegativeInterest'), []);
  });

  test('include used and accrued interest', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN, { own: keeping, interest });
    fixture.runEvent(negativeInterest, 101);
    assert.deepEqual(economyTotal(fixture.view, 'negativeInterest'), []);
    assert.deepEqual(economyTotal(fixture.view, 'currentNegativeInterest'), [{ tokenId: DUSD, amount: 19_025n }]);
    assert.equal(pay(fixture, vaultId, DUSD, 40n * COIN, 101), undefined);
    assert.deepEqual(economyTotal(fixture.view, 'negativeInterest'), [{ tokenId: DUSD, amount: 19_025n }]);
    fixture.runEvent(negativeInterest, 101);
    assert.deepEqual(economyTotal(fixture.view, 'currentNegativeInterest'), [{ tokenId: DUSD, amount: 19_025n }]);
  });

  test('are recorded only by nodes with that option', () => {
    const { fixture, vaultId } = inDebt(DUSD, 100n * COIN, { interest });
    assert.equal(negativeInterest.isDue(fixture), false);
    assert.equal(pay(fixture, vaultId, DUSD, 40n * COIN, 101), undefined);
    assert.deepEqual(economyTotal(fixture.view, 'negativeInterest'), []);
  });
});
