import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divideIntoBatches } from '../../../../src/dfi/auctions/batches.js';
import { COIN } from '../../../../src/primitives/amount.js';
import { fc } from '../../../property.js';

/** One collateral token and loan tokens, all worth one dollar. */
function assets(collateral: bigint, loans: readonly bigint[]) {
  return {
    totalCollaterals: collateral,
    totalLoans: loans.reduce((sum, value) => sum + value, 0n),
    collaterals: [{ tokenId: 0, amount: collateral }],
    loans: loans.map((amount, i) => ({ tokenId: i + 1, amount })),
  };
}

function divide(collateral: bigint, loans: readonly bigint[]) {
  const vault = assets(collateral, loans);
  return divideIntoBatches(vault, vault.collaterals, vault.loans);
}

test('a collateral of 10,000 dollars is one batch, one satoshi more makes two', () => {
  const limit = 10_000n * COIN;
  assert.deepEqual(divide(limit, [9_000n * COIN]), [
    { loan: { tokenId: 1, amount: 9_000n * COIN }, collaterals: [{ tokenId: 0, amount: limit }] },
  ]);
  const [first, second, ...more] = divide(limit + 10_000n, [9_000n * COIN]);
  assert.deepEqual(more, []);
  assert.equal(first?.loan.amount, 899_999_991_000n);
  assert.equal(second?.loan.amount, 9_000n);
  assert.equal(first?.collaterals[0]?.amount, 1_000_000_000_000n);
  assert.equal(second?.collaterals[0]?.amount, 10_000n);
});

test('each loan has its own batches, by its share of the debt', () => {
  // Shares of 0.66666666 and 0.33333333 leave 300 satoshis, which are distributed in turn.
  assert.deepEqual(divide(300n * COIN, [100n * COIN, 50n * COIN]), [
    { loan: { tokenId: 1, amount: 100n * COIN }, collaterals: [{ tokenId: 0, amount: 19_999_999_950n }] },
    { loan: { tokenId: 2, amount: 50n * COIN }, collaterals: [{ tokenId: 0, amount: 10_000_000_050n }] },
  ]);
});

test('indivisible collateral goes to the first batch', () => {
  const vault = assets(2n, [COIN, COIN]);
  const batches = divideIntoBatches(vault, [{ tokenId: 0, amount: 1n }], vault.loans);
  assert.deepEqual(
    batches.map(({ collaterals }) => collaterals),
    [[{ tokenId: 0, amount: 1n }], []],
  );
});

test('the rest of a rounded division goes to batches that have some of the token', () => {
  const amounts = (held: bigint, loans: readonly bigint[]) => {
    const vault = assets(2n, loans);
    const batches = divideIntoBatches(vault, [{ tokenId: 0, amount: held }], vault.loans);
    return batches.map(({ collaterals }) => collaterals[0]?.amount ?? 0n);
  };
  // Tenths of five are half a satoshi and four and a half; of two, three tenths are none, and seven are one.
  assert.deepEqual(amounts(5n, [COIN, 9n * COIN]), [0n, 5n]);
  assert.deepEqual(amounts(2n, [3n * COIN, 7n * COIN]), [0n, 2n]);
});

test('a loan smaller than its negative interest is not sold', () => {
  const vault = assets(300n * COIN, [100n * COIN, 0n]);
  const batches = divideIntoBatches(vault, vault.collaterals, [{ tokenId: 1, amount: 100n * COIN }]);
  assert.deepEqual(
    batches.map(({ loan }) => loan),
    [{ tokenId: 1, amount: 100n * COIN }],
  );
});

test('batches contain all of the collateral, and at most the loans', () => {
  const amount = (bits: bigint) => fc.bigInt({ min: 1n, max: 1n << bits });
  fc.assert(
    fc.property(amount(44n), fc.array(amount(40n), { minLength: 1, maxLength: 3 }), (collateral, loans) => {
      const batches = divide(collateral, loans);
      const sold = batches.flatMap(({ collaterals }) => collaterals).reduce((sum, part) => sum + part.amount, 0n);
      assert.equal(sold, collateral);
      loans.forEach((loan, i) => {
        const own = batches.filter((batch) => batch.loan.tokenId === i + 1).reduce((sum, batch) => sum + batch.loan.amount, 0n);
        assert.ok(own <= loan);
      });
    }),
  );
});
