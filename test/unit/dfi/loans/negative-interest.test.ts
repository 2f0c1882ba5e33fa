import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { interestRates, loanOf } from '../../../../src/dfi/loans/columns.js';
import { paybackLoan } from '../../../../src/dfi/loans/payback-transactions.js';
import { economyTotal } from '../../../../src/dfi/loans/totals.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { depositToVault, withdrawFromVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { closeVault } from '../../../../src/dfi/vaults/transactions.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

/** Of a loan of two coins at -495 % in a year of 52,560 blocks, after 1,000 blocks: 18,835,616.4 satoshis. */
const CREDIT = 18_835_616n;
const [LATER, COVERED] = [1_100, 100 + 10_619];

/** A vault with plenty of collateral and a loan of two coins, taken at height 100. */
class Debtor {
  readonly state: LoanFixture;
  readonly vaultId: Hash256;

  constructor(params = heights(GRAND_CENTRAL)) {
    this.state = new LoanFixture(params);
    this.vaultId = this.state.openVault();
    this.state.give(owner, DFI, 1_000n * COIN);
    const deposit = { vaultId: this.vaultId, from: owner, amount: { tokenId: DFI, amount: 1_000n * COIN } };
    assert.equal(this.state.failure(depositToVault, deposit), undefined);
    this.state.loanToken(TSLA, -500n * COIN);
    this.borrow(2n * COIN, 100);
  }

  borrow(amount: bigint, height: number): void {
    const body = { vaultId: this.vaultId, to: owner, amounts: [{ tokenId: TSLA, amount }] };
    assert.equal(this.state.failure(takeLoan, body, { height }), undefined);
  }

  pay(amount: bigint, height: number): void {
    const body = { vaultId: this.vaultId, from: owner, amounts: [{ tokenId: TSLA, amount }] };
    assert.equal(this.state.failure(paybackLoan, body, { height }), undefined);
  }

  /** Principal, balance, and supply of the token in satoshis. */
  get sums(): readonly (bigint | undefined)[] {
    const { view } = this.state;
    const loan = loanOf(view, { vaultId: this.vaultId, tokenId: TSLA });
    return [loan, this.state.balance(owner, TSLA), getToken(view, TSLA)?.minted];
  }

  /** Height from which interest counts, and the interest accrued until then. */
  get restart(): readonly [number | undefined, bigint | undefined] {
    const rate = this.state.view.get(interestRates, { vaultId: this.vaultId, tokenId: TSLA });
    return [rate?.height, rate?.toHeight.amount];
  }
}

describe('a loan with negative interest that is increased', () => {
  test('is first reduced by the interest, which starts again', () => {
    const debtor = new Debtor();
    debtor.borrow(COIN, LATER);
    assert.deepEqual(debtor.sums, [3n * COIN - CREDIT, 3n * COIN, 3n * COIN]);
    assert.deepEqual(debtor.restart, [LATER, 0n]);
  });

  test('is the new amount alone if the interest covers the old one', () => {
    for (const amount of [COIN, 3n * COIN]) {
      const debtor = new Debtor();
      debtor.borrow(amount, COVERED);
      assert.deepEqual(debtor.sums, [amount, 2n * COIN + amount, 2n * COIN + amount]);
      assert.deepEqual(debtor.restart, [COVERED, 0n]);
    }
  });

  test('counts the interest up to the size of the old one', () => {
    for (const { height, amount } of [
      { height: LATER, amount: CREDIT },
      { height: COVERED, amount: 2n * COIN },
    ]) {
      const debtor = new Debtor({ ...heights(GRAND_CENTRAL), keepsNegativeInterest: true });
      debtor.borrow(COIN, height);
      assert.deepEqual(economyTotal(debtor.state.view, 'negativeInterest'), [{ tokenId: TSLA, amount }]);
    }
  });

  test('is not reduced in the same block', () => {
    const debtor = new Debtor();
    debtor.borrow(COIN, 100);
    assert.deepEqual(debtor.sums, [3n * COIN, 3n * COIN, 3n * COIN]);
  });
});

describe('a payment of a loan with negative interest', () => {
  test('is increased by the interest', () => {
    const debtor = new Debtor();
    debtor.pay(COIN, LATER);
    assert.deepEqual(debtor.sums, [COIN - CREDIT, COIN, COIN]);
  });

  test('is charged without the interest if it pays everything', () => {
    for (const offered of [2n * COIN - CREDIT, 2n * COIN]) {
      const debtor = new Debtor();
      debtor.pay(offered, LATER);
      assert.deepEqual(debtor.sums, [0n, CREDIT, CREDIT]);
    }
    const short = new Debtor();
    short.pay(2n * COIN - CREDIT - 1n, LATER);
    assert.deepEqual(short.sums, [1n, CREDIT + 1n, CREDIT + 1n]);
  });

  test('costs nothing if the interest covers the loan', () => {
    const debtor = new Debtor();
    debtor.pay(COIN, COVERED);
    // In `defid` too, the supply grows by the part of the interest that is larger than the loan: 200,015,410.9 less two coins.
    assert.deepEqual(debtor.sums, [0n, 2n * COIN, 2n * COIN + 15_410n]);
  });

  test('is charged with the interest before Epilogue, unless they pay for more than the loan', () => {
    const { fortCanningEpilogue: _epilogue, grandCentral: _grandCentral, ...world } = GRAND_CENTRAL;
    const cases = [
      { offered: COIN, sums: [COIN - CREDIT, COIN - CREDIT, COIN] },
      { offered: 2n * COIN - CREDIT, sums: [0n, 0n, CREDIT] },
      { offered: 2n * COIN - CREDIT + 1n, sums: [0n, CREDIT, CREDIT] },
    ];
    for (const { offered, sums } of cases) {
      const debtor = new Debtor(heights(world));
      debtor.pay(offered, LATER);
      assert.deepEqual(debtor.sums, sums);
    }
  });

  test('counts the interest only if it is smaller than the loan', () => {
    for (const { height, counted } of [
      { height: LATER, counted: [{ tokenId: TSLA, amount: CREDIT }] },
      { height: COVERED, counted: [] },
    ]) {
      const debtor = new Debtor({ ...heights(GRAND_CENTRAL), keepsNegativeInterest: true });
      debtor.pay(COIN, height);
      assert.deepEqual(economyTotal(debtor.state.view, 'negativeInterest'), counted);
    }
  });
});

describe('a withdrawal of collateral with negative interest', () => {
  const keeping = { ...heights(GRAND_CENTRAL), keepsNegativeInterest: true };
  const withdraw = ({ state, vaultId }: Debtor, height: number) =>
    state.failure(withdrawFromVault, { vaultId, to: owner, amount: { tokenId: DFI, amount: COIN } }, { height });

  test('subtracts the interest from the loan, counts it, and restarts it', () => {
    for (const { height, used } of [
      { height: LATER, used: CREDIT },
      { height: COVERED, used: 2n * COIN },
    ]) {
      const debtor = new Debtor(keeping);
      assert.equal(withdraw(debtor, height), undefined);
      assert.equal(debtor.sums[0] ?? 0n, 2n * COIN - used);
      assert.deepEqual(debtor.restart, [height, 0n]);
      assert.deepEqual(economyTotal(debtor.state.view, 'negativeInterest'), [{ tokenId: TSLA, amount: used }]);
      assert.deepEqual(economyTotal(debtor.state.view, 'loans'), []);
    }
  });

  test('subtracts that of DUSD from the loans of DUSD', () => {
    const debtor = new Debtor(keeping);
    const { state, vaultId } = debtor;
    state.loanToken(DUSD, -500n * COIN);
    const borrow = { vaultId, to: owner, amounts: [{ tokenId: DUSD, amount: 2n * COIN }] };
    assert.equal(state.failure(takeLoan, borrow, { height: 100 }), undefined);
    assert.equal(withdraw(debtor, LATER), undefined);
    assert.deepEqual(economyTotal(state.view, 'loans'), [{ tokenId: DUSD, amount: 2n * COIN - CREDIT }]);
  });

  test('leaves a loan with positive interest as it is', () => {
    const debtor = new Debtor(keeping);
    const { state, vaultId } = debtor;
    state.loanToken(DUSD, 500n * COIN);
    const borrow = { vaultId, to: owner, amounts: [{ tokenId: DUSD, amount: 2n * COIN }] };
    assert.equal(state.failure(takeLoan, borrow, { height: 100 }), undefined);
    assert.equal(withdraw(debtor, LATER), undefined);
    assert.equal(loanOf(state.view, { vaultId, tokenId: DUSD }), 2n * COIN);
    assert.equal(state.view.get(interestRates, { vaultId, tokenId: DUSD })?.height, 100);
  });
});

test('a vault is closed when negative interest leaves nothing of its loan, not with a satoshi of it', () => {
  const close = (amount: bigint, height: number) => {
    const state = new LoanFixture(heights(GRAND_CENTRAL));
    const vaultId = state.openVault();
    state.give(owner, DFI, 1_000n * COIN);
    const deposit = { vaultId, from: owner, amount: { tokenId: DFI, amount: 1_000n * COIN } };
    assert.equal(state.failure(depositToVault, deposit), undefined);
    state.loanToken(TSLA, -500n * COIN);
    assert.equal(state.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId: TSLA, amount }] }), undefined);
    return state.failure(closeVault, { vaultId, to: owner }, { height });
  };
  // Interest of 69,999.04 and of 10,000.8 satoshis.
  assert.match(close(70_000n, COVERED - 1) ?? '', /has loans$/);
  assert.equal(close(10_000n, COVERED), undefined);
});
