import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, amount, amountParts, percent, short, size } from '../../../src/explorer/format.js';

test('amount: thousands apart, no zeros at the end, no digit lost', () => {
  const cases: [string, string][] = [
    ['0.00000000', '0'],
    ['-0.00000001', '-0.00000001'],
    ['1200000000.12345678', '1\u2009200\u2009000\u2009000.12345678'],
    ['100', '100'],
    ['1000', '1\u2009000'],
    ['12.50000000', '12.5'],
    ['4.656542373906925e-10', '4.656542373906925e-10'],
    ['', ''],
  ];
  for (const [text, expected] of cases) assert.equal(amount(text), expected);
});

test('amountParts: the symbol begins at the first @', () => {
  const cases: [string, [string, string]][] = [
    ['1.50000000@DFI', ['1.50000000', 'DFI']],
    ['1.00000000@DFI@x#128', ['1.00000000', 'DFI@x#128']],
    ['7', ['7', '']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(amountParts(text), expected);
});

test('short: beginning and end of what is long', () => {
  assert.equal(short('a'.repeat(20)), 'a'.repeat(20));
  assert.equal(short('0123456789abcdef0123456789abcdef'), '01234567…89abcdef');
});

test('age, size and percent: a fitting unit', () => {
  const ages = ['1000', '990', '940', '-6200', '-172000', '1005'].map((seconds) => age(seconds, 1000));
  assert.deepEqual(ages, ['now', '10 s ago', '1 min ago', '2 h ago', '2 d ago', 'in 5 s']);
  assert.deepEqual([0, 999, 1000, 1_550_000, 2e12].map(size), ['0 B', '999 B', '1.0 kB', '1.6 MB', '2.0 TB']);
  assert.equal(percent(0.002), '0.20 %');
});
