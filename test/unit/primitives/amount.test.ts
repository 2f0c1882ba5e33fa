import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COIN, formatAmount, isMoneyRange, MAX_MONEY, parseAmount } from '../../../src/primitives/amount.js';
import { fc } from '../../property.js';

const formatted = [
  { value: 0n, text: '0.00000000' },
  { value: 1n, text: '0.00000001' },
  { value: -1n, text: '-0.00000001' },
  { value: COIN, text: '1.00000000' },
  { value: -150_000_000n, text: '-1.50000000' },
  { value: MAX_MONEY, text: '1200000000.00000000' },
  { value: 2n ** 63n - 1n, text: '92233720368.54775807' },
];
for (const { value, text } of formatted) test(`amount ${value} shows as ${text}`, () => assert.equal(formatAmount(value), text));

const parsed = [
  { text: '0', value: 0n },
  { text: '-0', value: 0n },
  { text: '0.00000001', value: 1n },
  { text: '1e-8', value: 1n },
  { text: '0.1e-7', value: 1n },
  { text: '10E-9', value: 1n },
  { text: '1.5', value: 150_000_000n },
  { text: '-1.5', value: -150_000_000n },
  { text: '0.100000000000', value: 10_000_000n },
  { text: '1200000000.00000009', value: 120_000_000_000_000_009n },
  { text: '1e+2', value: 10_000_000_000n },
  { text: '9999999999.99999999', value: 999_999_999_999_999_999n },
  { text: '0e999', value: 0n },
];
for (const { text, value } of parsed) test(`amount text ${text}`, () => assert.equal(parseAmount(text), value));

const refused = [
  '',
  '-',
  '.',
  '.5',
  '5.',
  '01',
  '+1',
  '1 ',
  ' 1',
  '0x1',
  '1e',
  '1e1.5',
  '0.000000001',
  '1e-9',
  '10000000000',
  '1e10',
  '1e9999',
  'NaN',
  '1,5',
  '٣',
];
for (const text of refused) test(`no amount: "${text}"`, () => assert.equal(parseAmount(text), undefined));

test('amounts round-trip through text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }), (value) => parseAmount(formatAmount(value)) === value),
  );
});

test('any text is parsed or yields undefined', () => {
  fc.assert(fc.property(fc.string(), (text) => ['bigint', 'undefined'].includes(typeof parseAmount(text))));
});

test('isMoneyRange includes both ends', () => {
  assert.deepEqual([-1n, 0n, MAX_MONEY, MAX_MONEY + 1n].map(isMoneyRange), [false, true, true, false]);
});
