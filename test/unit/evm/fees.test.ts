import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextBaseFee } from '../../../src/evm/block/fees.js';

const GWEI = 1_000_000_000n;
const LIMIT = 30_000_000n;
const cases = [
  { baseFee: 10n * GWEI, gasUsed: 0n, expected: 10n * GWEI },
  { baseFee: 10n * GWEI, gasUsed: 30_000_000n, expected: 11_250_000_000n },
  { baseFee: 20n * GWEI, gasUsed: 20_000_000n, expected: 20_833_333_333n },
  { baseFee: 20n * GWEI, gasUsed: 10_000_000n, expected: 19_166_666_667n },
  { baseFee: 20n * GWEI, gasUsed: 0n, expected: 17_500_000_000n },
  { baseFee: 20n * GWEI, gasUsed: 15_000_000n, expected: 20n * GWEI },
  { baseFee: 120_000_000n * GWEI, gasUsed: 30_000_000n, expected: 120_000_000n * GWEI },
];

for (const { baseFee, gasUsed, expected } of cases)
  test(`base fee after ${baseFee} wei and ${gasUsed} gas`, () => {
    assert.equal(nextBaseFee({ baseFee, gasUsed, gasLimit: LIMIT }, 2n), expected);
  });

test('base fee of the first block', () => assert.equal(nextBaseFee(undefined, 2n), 10n * GWEI));

test('a target of 0 makes the next block impossible once gas was used', () => {
  const parent = { baseFee: 10n * GWEI, gasUsed: 21_000n, gasLimit: LIMIT };
  assert.throws(() => nextBaseFee(parent, LIMIT + 1n), { message: 'Unsatisfied bounds calculating base_fee_per_gas_delta' });
  assert.equal(nextBaseFee({ ...parent, gasUsed: 0n }, LIMIT + 1n), 10n * GWEI);
});
