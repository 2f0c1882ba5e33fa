import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addLoan } from '../../../../src/dfi/loans/columns.js';
import {
  ALL_INTEREST,
  addInterest,
  decreaseInterest,
  increaseInterest,
  interestRate,
  resetInterest,
  totalInterest,
} from '../../../../src/dfi/loans/interest.js';
import { interestMigration } from '../../../../src/dfi/loans/interest-migration-event.js';
import { putVault } from '../../../../src/dfi/vaults/columns.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { heights } from '../fixture.js';
import { COIN, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const vaultId = Buffer.alloc(32, 7);
const key = { vaultId, tokenId: TSLA };
const scheme = 'LOAN150';
const ALL: HeightOverrides = { fortCanning: 0, fortCanningMuseum: 0, fortCanningHill: 0, fortCanningGreatWorld: 0 };

/** Loan of 1000 TSLA at height 100, for 5 % and 5 % a year; regtest has 52,560 blocks a year. */
function borrowed(given: HeightOverrides, tokenInterest = 5n * COIN): LoanFixture {
  const desk = new LoanFixture(heights(given));
  desk.loanToken(TSLA, tokenInterest);
  putVault(desk.view, vaultId, { owner, scheme, isUnderLiquidation: false });
  addLoan(desk.view, vaultId, { tokenId: TSLA, amount: 1000n * COIN });
  increaseInterest(desk, key, { scheme, added: 1000n * COIN });
  return desk;
}

function owed(desk: LoanFixture, height: number): bigint {
  const at = { height, params: desk.params };
  const rate = interestRate(desk.view, key, at);
  assert.ok(rate);
  return totalInterest(rate, at);
}

describe('interest of a loan', () => {
  // 10^10 / 52560 = 190258.75 per block
  const eras: readonly {
    readonly name: string;
    readonly given: HeightOverrides;
    readonly perBlock: bigint;
    readonly afterThree: bigint;
  }[] = [
    { name: 'Fort Canning: rounded down', given: { fortCanning: 0 }, perBlock: 190_258n, afterThree: 570_774n },
    { name: 'Museum: rounded up', given: { fortCanning: 0, fortCanningMuseum: 0 }, perBlock: 190_259n, afterThree: 570_777n },
    {
      name: 'Hill: precise, rounded up at the end',
      given: { fortCanning: 0, fortCanningMuseum: 0, fortCanningHill: 0 },
      perBlock: 1_902_587_519_025_875_190_258n,
      afterThree: 570_777n,
    },
    { name: 'Great World: the same', given: ALL, perBlock: 1_902_587_519_025_875_190_258n, afterThree: 570_777n },
  ];
  for (const { name, given, perBlock, afterThree } of eras) {
    test(name, () => {
      const desk = borrowed(given);
      assert.equal(interestRate(desk.view, key, desk)?.perBlock.amount, perBlock);
      assert.equal(owed(desk, 100), 0n);
      assert.equal(owed(desk, 103), afterThree);
    });
  }

  test('may be negative from Great World on, and is then rounded down', () => {
    const desk = borrowed(ALL, -15n * COIN);
    assert.deepEqual(interestRate(desk.view, key, desk)?.perBlock, { negative: true, amount: 1_902_587_519_025_875_190_258n });
    assert.equal(owed(desk, 103), -570_776n);
  });

  test('decreases by payments, and ends with the loan', () => {
    const desk = borrowed(ALL);
    decreaseInterest({ ...desk, view: desk.view, height: 103, params: desk.params }, key, { scheme, loan: 0n, interest: 570_000n });
    assert.equal(owed(desk, 103), 777n);
    decreaseInterest({ view: desk.view, height: 103, params: desk.params }, key, { scheme, loan: 0n, interest: ALL_INTEREST });
    assert.equal(owed(desk, 103), 0n);
    assert.equal(owed(desk, 104), 190_259n);
  });

  test('restarts at zero after a reset', () => {
    const desk = borrowed(ALL);
    resetInterest({ view: desk.view, height: 103, params: desk.params }, key, scheme);
    assert.equal(owed(desk, 103), 0n);
  });

  test('applies a new rate of its token and keeps the accrued interest', () => {
    const desk = borrowed(ALL);
    increaseInterest({ view: desk.view, height: 103, params: desk.params }, key, { scheme, added: 0n, tokenInterest: -15n * COIN });
    assert.equal(owed(desk, 103), 570_777n);
    // Three blocks cost as much as three blocks earned.
    assert.equal(owed(desk, 106), 0n);
  });

  test('is not stored for an earlier height', () => {
    const desk = borrowed(ALL);
    assert.throws(() => increaseInterest({ view: desk.view, height: 99, params: desk.params }, key, { scheme, added: 0n }), {
      message: 'Cannot store height in the past',
    });
  });

  test('keeps its value when it becomes precise', () => {
    const desk = borrowed({ fortCanning: 0, fortCanningMuseum: 0, fortCanningHill: 103 });
    assert.equal(owed(desk, 102), 380_518n);
    desk.runEvent(interestMigration, 103);
    assert.equal(owed(desk, 103), 570_777n);
    assert.equal(interestRate(desk.view, key, { height: 103, params: desk.params })?.toHeight.amount, 5_707_770_000_000_000_000_000n);
  });
});

test('zero interest is never negative', () => {
  const sum = addInterest({ negative: true, amount: 5n }, { negative: false, amount: 5n });
  assert.deepEqual(sum, { negative: false, amount: 0n });
  assert.deepEqual(addInterest({ negative: true, amount: 5n }, { negative: false, amount: 3n }), { negative: true, amount: 2n });
});
