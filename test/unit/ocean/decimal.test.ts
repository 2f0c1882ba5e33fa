import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal } from '../../../src/ocean/pools/decimal.js';
import { unroundedSubsidy } from '../../../src/ocean/pools/subsidy.js';
import { networkParams } from '../../../src/params/index.js';

const of = (digits: string) => Decimal.parse(digits);

test('Sums and products keep all digits', () => {
  assert.equal(of('0.00000001').times(of('0.00000001')).toString(), '0.0000000000000001');
  assert.equal(of('1.5').plus(of('0.00000001')).toString(), '1.50000001');
  assert.equal(of('1').minus(of('1.25')).toString(), '-0.25');
  assert.equal(of('2.50').times(4n).toString(), '10');
});

test('Quotients are rounded half up to 20 decimals', () => {
  assert.equal(of('2').dividedBy(of('3')).toString(), '0.66666666666666666667');
  assert.equal(of('1').dividedBy(of('3')).toString(), '0.33333333333333333333');
  assert.equal(of('0.00000000000000000001').dividedBy(of('2')).toString(), '0.00000000000000000001');
  assert.equal(of('-1').dividedBy(of('8')).toString(), '-0.125');
  assert.throws(() => of('1').dividedBy(Decimal.ZERO), RangeError);
});

test('A decimal becomes the nearest double, and amounts beyond doubles stay exact', () => {
  assert.equal(of('1000').dividedBy(of('431.51288')).toNumber(), 2.317427929381853);
  assert.equal(Decimal.ofAmount(9_223_372_036_854_775_807n).toString(), '92233720368.54775807');
});

const main = networkParams({ network: 'main' });

test('The emission of yields is reduced without rounding, until the reduction is below 0.00001', () => {
  assert.equal(unroundedSubsidy(1, main).toString(), '405.04');
  assert.equal(unroundedSubsidy(926_690, main).toString(), '398.3244368');
  assert.equal(unroundedSubsidy(959_380, main).toString(), '391.720217637856');
  assert.equal(unroundedSubsidy(60_000_000, main).toString(), '0');
});
