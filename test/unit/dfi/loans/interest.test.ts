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
  const fixture = new LoanFixture(heights(given));
  fixture.loanToken(TSLA, tokenInterest);
  putVault(fixture.view, vaultId, { owner, scheme, isUnderLiquidation: false });
  addLoan(fixture.view, vaultId, { tokenId: TSLA, amount: 1000n * COIN });
  increaseInterest(fixture, key, { scheme, added: 1000n * COIN });
  return fixture;
}

function owed(fixture: LoanFixture, height: number): bigint {
  const at = { height, params: fixture.params };
  const rate = interestRate(fixture.view, key, at);
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
      const fixture = borrowed(given);
      assert.equal(interestRate(fixture.view, key, fixture)?.perBlock.amount, perBlock);
      assert.equal(owed(fixture, 100), 0n);
      assert.equal(owed(fixture, 103), afterThree);
    });
  }

  test('may be negative from Great World on, and is then rounded down', () => {
    const fixture = borrowed(ALL, -15n * COIN);
    assert.deepEqual(interestRate(fixture.view, key, fixture)?.perBlock, { negative: true, amount: 1_902_587_519_025_875_190_258n });
    assert.equal(owed(fixture, 103), -570_776n);
  });

  test('is negative if the sum of the rates exceeds 64 bits', () => {
    const greatest = borrowed(ALL, 9_223_372_036_300_000_000n);
    assert.equal(interestRate(greatest.view, key, greatest)?.perBlock.negative, false);
    const fixture = borrowed(ALL, 9_223_372_036_800_000_000n);
    assert.deepEqual(interestRate(fixture.view, key, fixture)?.perBlock, {
      negative: true,
      amount: 17_548_272_519_805_082_952_815_829_528_158n,
    });
  });

  test('decreases by payments, and ends with the loan', () => {
    const fixture = borrowed(ALL);
    decreaseInterest({ ...fixture, view: fixture.view, height: 103, params: fixture.params }, key, {
      scheme,
      loan: 0n,
      interest: 570_000n,
    });
    assert.equal(owed(fixture, 103), 777n);
    decreaseInterest({ view: fixture.view, height: 103, params: fixture.params }, key, { scheme, loan: 0n, interest: ALL_INTEREST });
    assert.equal(owed(fixture, 103), 0n);
    assert.equal(owed(fixture, 104), 190_259n);
  });

  test('restarts at zero after a reset', () => {
    const fixture = borrowed(ALL);
    resetInterest({ view: fixture.view, height: 103, params: fixture.params }, key, scheme);
    assert.equal(owed(fixture, 103), 0n);
  });

  test('applies a new rate of its token and keeps the accrued interest', () => {
    const fixture = borrowed(ALL);
    increaseInterest({ view: fixture.view, height: 103, params: fixture.params }, key, { scheme, added: 0n, tokenInterest: -15n * COIN });
    assert.equal(owed(fixture, 103), 570_777n);
    // Three blocks cost as much as three blocks earned.
    assert.equal(owed(fixture, 106), 0n);
  });

  test('is not stored for an earlier height', () => {
    const fixture = borrowed(ALL);
    assert.throws(() => increaseInterest({ view: fixture.view, height: 99, params: fixture.params }, key, { scheme, added: 0n }), {
      message: 'Cannot store height in the past',
    });
  });

  test('keeps its value when it becomes precise', () => {
    const fixture = borrowed({ fortCanning: 0, fortCanningMuseum: 0, fortCanningHill: 103 });
    assert.equal(owed(fixture, 102), 380_518n);
    fixture.runEvent(interestMigration, 103);
    assert.equal(owed(fixture, 103), 570_777n);
    assert.equal(interestRate(fixture.view, key, { height: 103, params: fixture.params })?.toHeight.amount, 5_707_770_000_000_000_000_000n);
  });
});

test('zero interest is never negative', () => {
  const sum = addInterest({ negative: true, amount: 5n }, { negative: false, amount: 5n });
  assert.deepEqual(sum, { negative: false, amount: 0n });
  assert.deepEqual(addInterest({ negative: true, amount: 5n }, { negative: false, amount: 3n }), { negative: true, amount: 2n });
});
